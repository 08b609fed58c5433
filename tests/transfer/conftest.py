"""Memories on files, with a clock that a test moves and ids of their own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

FILES = Path(__file__).with_name("files")
Opener = Callable[[str], Memory]


class NamedClock(FakeClock):
    """Ids of two files never meet by chance."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def new_id(self, prefix: str) -> str:
        return f"{super().new_id(prefix)}-{self._name}"


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Opener]:
    """Opens a memory by name in a folder of the test; all are closed at its end."""
    with ExitStack() as stack:
        yield lambda name: stack.enter_context(
            Memory.open(tmp_path / name, embedder=FakeEmbedder(), clock=NamedClock(name))
        )
