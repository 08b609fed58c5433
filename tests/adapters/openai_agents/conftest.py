"""Skips this folder, with a reason, where the OpenAI Agents SDK isn't installed."""

from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

INSTALLED = find_spec("agents") is not None


class Unwanted(pytest.Module):
    """A test module that isn't imported, since its host isn't there."""

    def collect(self) -> NoReturn:
        line = "needs openai-agents: pip install 'atmem-core[openai-agents]'"
        pytest.skip(line, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Unwanted | None:
    """pytest asks this for each module of the folder; None is pytest's own way."""
    return None if INSTALLED else Unwanted.from_parent(parent, path=module_path)
