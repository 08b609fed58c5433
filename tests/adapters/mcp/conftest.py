"""Skips this folder, with a reason, where MCP isn't installed."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from atmem_core import Memory

INSTALLED = find_spec("mcp") is not None
TOLD = (
    "The code of my gym locker is quillfeather.",
    "Brutus is my Bernese mountain dog.",
    "My dentist is Doctor Okafor.",
)


class Unwanted(pytest.Module):
    """A test module that isn't imported, since its host isn't there."""

    def collect(self) -> NoReturn:
        pytest.skip("needs mcp: pip install 'atmem-core[mcp]'", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Unwanted | None:
    """pytest asks this for each module of the folder; None is pytest's own way."""
    return None if INSTALLED else Unwanted.from_parent(parent, path=module_path)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with Memory.open(path, embedder=None) as memory:
        for text in TOLD:
            memory.remember(text, subject="ada")
    return path


@pytest.fixture
def memory(database: Path) -> Iterator[Memory]:
    with Memory.open(database, embedder=None) as memory:
        yield memory
