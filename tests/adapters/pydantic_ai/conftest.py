"""Skips this folder, with a reason, where Pydantic AI isn't installed."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from atmem_core import Memory

INSTALLED = find_spec("pydantic_ai") is not None
TOLD = "The code of my gym locker is quillfeather."


class Unwanted(pytest.Module):
    """A test module that isn't imported, since its host isn't there."""

    def collect(self) -> NoReturn:
        pytest.skip("needs pydantic-ai: pip install 'atmem-core[pydantic-ai]'", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Unwanted | None:
    """pytest asks this for each module of the folder; None is pytest's own way."""
    return None if INSTALLED else Unwanted.from_parent(parent, path=module_path)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember(TOLD, subject="ada")
        yield memory
