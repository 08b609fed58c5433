"""The repository as the house tests see it: its files, its settings."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    ROOT / "atmem_core",
    ROOT / "adapters" / "atmem_agent_framework",
    ROOT / "adapters" / "atmem_cli",
    ROOT / "adapters" / "atmem_langgraph",
    ROOT / "adapters" / "atmem_mcp",
    ROOT / "adapters" / "atmem_openai_agents",
    ROOT / "adapters" / "atmem_pydantic_ai",
)
FOLDERS = ("atmem_core", "adapters", "examples", "tests", "docs", ".ci")


@cache
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def python_files(*folders: str) -> list[Path]:
    """Python files below these folders of the repository, sorted."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def project_files() -> Iterator[Path]:
    """Every file that belongs to the project: what a clone holds, and what was just written."""
    yield from (path for path in sorted(ROOT.iterdir()) if path.is_file())
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def pages() -> list[Path]:
    """Everything written for people."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name(path: Path) -> str:
    """Path from the root, for ids and messages."""
    return path.relative_to(ROOT).as_posix()


def run_python(*arguments: str, cwd: Path = ROOT, stdin: str | None = None) -> str:
    """What this interpreter prints when it is run so; what it complains of, if it fails."""
    ran = subprocess.run(
        [sys.executable, *arguments],
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
