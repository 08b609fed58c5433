"""What lies where, and what must not be there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import PACKAGES, ROOT, name, project, project_files, python_files

FOREIGN = re.compile("|".join([r"\.\./" + "shared", "/(?:work|farm)" + "/", "before" + "-stop"]))
"""Places that exist on nobody else's machine."""
SKIPS = {"skip", "skipif", "xfail", "importorskip"}
TESTS = [path for path in python_files("tests") if path.name.startswith(("test_", "conftest"))]


def readable() -> Iterator[tuple[Path, str]]:
    for path in project_files():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_a_place_outside_the_project() -> None:
    found = [f"{name(path)}: {match[0]}" for path, text in readable() for match in FOREIGN.finditer(text)]
    assert found == []


def test_the_usual_files_are_there() -> None:
    usual = "README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICE Makefile .ci/run"
    assert [one for one in usual.split() if not (ROOT / one).is_file()] == []


def test_every_package_is_in_the_wheel_the_contracts_and_the_checks() -> None:
    tool = project()["tool"]
    packages = tool["hatch"]["build"]["targets"]["wheel"]["packages"]
    adapters = sorted(path.parent for path in (ROOT / "adapters").glob("*/__init__.py"))
    found = [ROOT / "atmem_core", *adapters]
    assert found == list(PACKAGES)
    assert packages == [name(path) for path in found]
    assert tool["importlinter"]["root_packages"] == [path.name for path in found]
    assert tool["deptry"]["known_first_party"] == [path.name for path in found]


def test_the_folder_of_the_adapters_is_no_package() -> None:
    assert not (ROOT / "adapters" / "__init__.py").exists()


def test_ci_can_be_run() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def is_skip(node: ast.AST) -> bool:
    text = ast.unparse(node)
    return text.startswith("pytest.") and text.rpartition(".")[2] in SKIPS


def says_why(call: ast.Call) -> bool:
    named = any(keyword.arg == "reason" for keyword in call.keywords)
    return named or (ast.unparse(call.func) == "pytest.skip" and bool(call.args))


def skips(tree: ast.Module) -> Iterator[tuple[int, bool]]:
    """Line of each skip or expected failure, and whether it says why."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_skip(node.func):
            yield node.lineno, says_why(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from ((bare.lineno, False) for bare in node.decorator_list if is_skip(bare))


@pytest.mark.parametrize("path", TESTS, ids=name)
def test_a_test_is_not_skipped_without_a_reason(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [line for line, explained in skips(tree) if not explained] == []


@pytest.mark.parametrize(
    ("code", "explained"),
    [
        ("pytest.mark.skip()", False),
        ("@pytest.mark.skip\ndef test(): ...", False),
        ("pytest.mark.skipif(True)", False),
        ("pytest.importorskip('numpy')", False),
        ("pytest.mark.xfail(reason='fixed upstream in 3.2')", True),
        ("pytest.skip('this machine has no fork')", True),
    ],
)
def test_the_rule_sees_a_skip(code: str, *, explained: bool) -> None:
    assert [found for _, found in skips(ast.parse(code))] == [explained]


@pytest.mark.parametrize("path", TESTS, ids=name)
def test_no_test_sleeps_or_mocks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\btime\.sleep\(|^(?:from|import) unittest", text, re.MULTILINE)
