"""A memory that judges by words and a small set of synonyms, with a clock that stands."""

from collections.abc import Iterator

import pytest

from atmem_core import Memory
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def memory(clock: FakeClock, embedder: FakeEmbedder) -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=embedder, clock=clock) as opened:
        yield opened
