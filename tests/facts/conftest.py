"""A memory with facts, on a file, with a clock that tests move."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def memory(path: Path, clock: FakeClock) -> Iterator[Memory]:
    with Memory.open(path, embedder=FakeEmbedder(), clock=clock) as opened:
        yield opened
