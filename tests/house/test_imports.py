"""Importing atmem is cheap: what is heavy or optional is loaded when it is needed."""

import pytest

from tests.house.tree import run_python

LATER = (
    "langchain_core",
    "langgraph",
    "matplotlib",
    "numpy",
    "onnxruntime",
    "opentelemetry",
    "pydantic",
    "rich",
    "sqlite_vec",
    "tokenizers",
    "typer",
)


@pytest.mark.parametrize("use", ["", "Memory.open(':memory:', embedder=None).close()"])
def test_importing_and_opening_loads_nothing_optional(use: str) -> None:
    program = f"import sys\nfrom atmem_core import Memory\n{use}\nprint(*sorted(sys.modules))"
    assert set(LATER) & set(run_python("-c", program).split()) == set()
