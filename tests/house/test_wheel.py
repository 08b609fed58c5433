"""One wheel holds the core, the adapters and their data; an editable install finds the same."""

import zipfile
from pathlib import Path

import pytest

from tests.house.tree import PACKAGES, ROOT, project, run_python

BUILD = """
import sys
from hatchling import build
print(getattr(build, sys.argv[1])(sys.argv[2]))
"""
FOUND = """
import sys
from importlib import metadata, resources
import atmem_cli, atmem_core
assert atmem_core.__file__.startswith(sys.argv[1]), atmem_core.__file__
assert atmem_cli.__file__.startswith(sys.argv[1]), atmem_cli.__file__
assert resources.files('atmem_core').joinpath('py.typed').is_file()
atmem_core.Memory.open(':memory:', embedder=None).remember('It works.', subject='ada')
print(metadata.version('atmem-core'))
"""


def build(hook: str, folder: Path) -> Path:
    return folder / run_python("-c", BUILD, hook, str(folder)).split()[-1]


def shipped(package: Path) -> set[str]:
    """Files of a package, as a wheel should name them."""
    return {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_the_wheel_holds_every_file_of_a_package(package: Path, names: set[str]) -> None:
    assert shipped(package) - names == set()


def test_the_wheel_holds_the_data_that_the_code_reads(names: set[str]) -> None:
    suffixes = {Path(name).suffix for name in names if name.startswith("atmem_core/")}
    assert {".py", ".sql", ".json", ".txt", ".typed"} <= suffixes


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_says_that_it_is_typed(package: Path, names: set[str]) -> None:
    assert f"{package.name}/py.typed" in names


def test_the_wheel_holds_nothing_else(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    ours = {package.name for package in PACKAGES}
    assert tops == ours | {f"atmem_core-{project()['project']['version']}.dist-info"}


def test_the_wheel_holds_licence_and_notice(names: set[str]) -> None:
    licences = {Path(name).name for name in names if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}


def test_the_wheel_works_without_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = f"import sys; sys.path.insert(0, sys.argv[1])\n{FOUND}"
    printed = run_python("-I", "-c", program, str(tmp_path), cwd=tmp_path)
    assert printed.strip() == project()["project"]["version"]


def test_an_editable_install_finds_the_packages_in_the_source_tree(tmp_path: Path) -> None:
    editable = build("build_editable", tmp_path)
    with zipfile.ZipFile(editable) as archive:
        archive.extractall(tmp_path)
    program = f"import site, sys; site.addsitedir(sys.argv[2])\nsys.path.reverse()\n{FOUND}"
    run_python("-I", "-c", program, str(ROOT), str(tmp_path), cwd=tmp_path)
