"""Bounded fuzzing: a short form in every run, a long one in the soak job."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from atmem_core import Memory
from tests.trust.input.fuzzing import fuzz_imports, fuzz_queries, messages
from tests.trust.input.wire import answered

needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="needs mcp: pip install 'atmem-core[mcp]'")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "agent.db", embedder=None) as opened:
        yield opened


def test_no_query_is_an_error(memory: Memory) -> None:
    assert fuzz_queries(memory, 400, seed=1) == 400
    assert memory.verify() == []


def test_no_file_is_more_than_refused(memory: Memory) -> None:
    memory.remember("The dog house is red.", subject="ada")
    assert fuzz_imports(memory, 120, seed=1) == 120
    assert memory.verify() == []


@needs_mcp
def test_no_message_ends_the_server(tmp_path: Path) -> None:
    assert answered(tmp_path / "agent.db", messages(150, seed=1)) > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_no_query_is_an_error_for_long(seed: int, memory: Memory) -> None:
    assert fuzz_queries(memory, 3_000, seed=seed) == 3_000
    assert memory.verify() == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_no_file_is_more_than_refused_for_long(seed: int, memory: Memory) -> None:
    memory.remember("The dog house is red.", subject="ada")
    assert fuzz_imports(memory, 1_500, seed=seed) == 1_500
    assert memory.verify() == []


@pytest.mark.soak
@needs_mcp
@pytest.mark.parametrize("seed", [2])
def test_no_message_ends_the_server_for_long(seed: int, tmp_path: Path) -> None:
    assert answered(tmp_path / "agent.db", messages(2_000, seed=seed)) > 1_000
