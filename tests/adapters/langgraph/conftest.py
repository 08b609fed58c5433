"""Skips this folder, with a reason, where LangGraph isn't installed."""

from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

INSTALLED = all(find_spec(name) is not None for name in ("langgraph", "langchain"))


class Unwanted(pytest.Module):
    """A test module that isn't imported, since its host isn't there."""

    def collect(self) -> NoReturn:
        pytest.skip("needs langgraph: pip install 'atmem-core[langgraph]'", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Unwanted | None:
    """pytest asks this for each module of the folder; None is pytest's own way."""
    return None if INSTALLED else Unwanted.from_parent(parent, path=module_path)
