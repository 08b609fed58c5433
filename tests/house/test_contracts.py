"""The import contracts hold, and each one fails when it is broken."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.markdown import blocks, section
from tests.house.tree import ROOT, project

CONTRACTS = {one["id"]: one for one in project()["tool"]["importlinter"]["contracts"]}
LINT = "from importlinter.cli import lint_imports_command as run; run()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A module that breaks one contract."""

    contract: str
    path: str
    code: str


BREACHES = [
    Breach(contract="layers", path="atmem_core/records/planted.py", code="import atmem_core.clock"),
    Breach(contract="layers", path="atmem_core/recall/planted.py", code="import atmem_core.remember"),
    Breach(contract="layers", path="atmem_core/policy/planted.py", code="import atmem_core.store"),
    Breach(contract="layers", path="atmem_core/store/planted.py", code="import atmem_core.policy"),
    Breach(contract="layers", path="atmem_core/policy/planted.py", code="import atmem_core.judge"),
    Breach(contract="layers", path="atmem_core/judge/planted.py", code="import atmem_core.recall"),
    Breach(contract="layers", path="atmem_core/chat/planted.py", code="import atmem_core.judge"),
    Breach(contract="layers", path="atmem_core/text/planted.py", code="import atmem_core.config"),
    Breach(contract="layers", path="atmem_core/memory/facade.py", code="import atmem_core.aio"),
    Breach(contract="layers", path="atmem_core/room_without_a_layer.py", code=""),
    Breach(contract="pure", path="atmem_core/policy/planted.py", code="import atmem_core.clock"),
    Breach(contract="pure", path="atmem_core/policy/planted.py", code="import random"),
    Breach(contract="pure", path="atmem_core/records/planted.py", code="import time"),
    Breach(contract="pure", path="atmem_core/recall/render.py", code="import pathlib"),
    Breach(contract="pure", path="atmem_core/recall/render.py", code="import atmem_core.judge"),
    Breach(contract="judge", path="atmem_core/judge/planted.py", code="import atmem_core.policy"),
    Breach(contract="judge", path="atmem_core/judge/planted.py", code="import atmem_core.store"),
    Breach(contract="sql", path="atmem_core/memory/facade.py", code="import apsw"),
    Breach(contract="sql", path="atmem_core/recall/planted.py", code="import sqlite3"),
    Breach(contract="sql", path="adapters/atmem_cli/planted.py", code="import sqlite_vec"),
    Breach(
        contract="neutral",
        path="atmem_core/context/planted.py",
        code="def late():\n    import langgraph",
    ),
    Breach(contract="neutral", path="atmem_core/planted.py", code="import atmem_cli"),
    Breach(contract="siblings", path="adapters/atmem_cli/planted.py", code="import atmem_langgraph"),
    Breach(contract="siblings", path="adapters/atmem_cli/planted.py", code="import atmem_mcp"),
    Breach(contract="siblings", path="adapters/atmem_pydantic_ai/planted.py", code="import atmem_cli"),
    Breach(
        contract="public",
        path="adapters/atmem_langgraph/planted.py",
        code="from atmem_core.store import open_store",
    ),
    Breach(
        contract="public",
        path="adapters/atmem_cli/planted.py",
        code="from atmem_core.recall.render import render_notes",
    ),
]


def lint(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", *options],
        cwd=tree,
        env={"PYTHONPATH": f"{tree}:{tree / 'adapters'}", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages, to plant breaches in."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for folder in ("atmem_core", "adapters"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "data"))
    return copy


@pytest.fixture
def planted(tree: Path, request: pytest.FixtureRequest) -> Iterator[Breach]:
    breach: Breach = request.param
    path = tree / breach.path
    before = path.read_text(encoding="utf-8") if path.exists() else None
    path.write_text(f"{before or ''}\n{breach.code}\n", encoding="utf-8")
    yield breach
    if before is None:
        path.unlink()
    else:
        path.write_text(before, encoding="utf-8")


def test_every_contract_is_kept(tree: Path) -> None:
    ran = lint(tree)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("planted", BREACHES, indirect=True, ids=lambda one: f"{one.contract}-{one.code}")
def test_a_contract_fails_when_it_is_broken(tree: Path, planted: Breach) -> None:
    ran = lint(tree, "--contract", planted.contract)
    assert ran.returncode == 1
    assert f"{CONTRACTS[planted.contract]['name']} BROKEN" in ran.stdout, ran.stdout + ran.stderr


def test_every_contract_is_broken_by_one_of_the_breaches() -> None:
    assert {breach.contract for breach in BREACHES} == set(CONTRACTS)


def test_every_room_but_the_store_is_kept_from_sql() -> None:
    package = ROOT / "atmem_core"
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    rooms = {f"atmem_core.{room}" for room in (modules | folders) - {"store"}}
    adapters = set(project()["tool"]["importlinter"]["root_packages"]) - {"atmem_core"}
    assert set(CONTRACTS["sql"]["source_modules"]) == rooms | adapters


def test_architecture_draws_the_layers_that_are_checked() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (drawn,) = [block for block in blocks(section(page, "Who may import whom")) if block.info == "text"]
    checked = [layer.replace("(", "").replace(")", "") for layer in CONTRACTS["layers"]["layers"]]
    assert drawn.body.split("\n")[:-1] == checked
