"""What the processes of the tests do; each is run in a process of its own and killed in the middle.

``python -m tests.semantic.killed VERB FILE`` says a line when it is in the middle, and never ends by itself.
"""

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from atmem_core.config import Config
from atmem_core.embedding import EmbedPurpose, Float32Array
from atmem_core.store.sqlite import coverage, epochs
from atmem_core.store.sqlite.store import SqliteStore
from tests.semantic.models import GATE_TEXTS, GoodModel, opened

ADA = "ada"


def forever() -> None:
    """In the middle: the parent kills from here."""
    sys.stdout.write("there\n")
    sys.stdout.flush()
    threading.Event().wait()


class Slow(GoodModel):
    """Stops in the middle of a build: at its third page of notes."""

    pages = 0

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """The first two pages are embedded."""
        if purpose is EmbedPurpose.DOCUMENT and not set(texts) <= GATE_TEXTS:
            self.pages += 1
            if self.pages > 2:
                forever()
        return super().embed(texts, purpose=purpose)


def build(file: Path) -> None:
    """A setup, stopped in its third page."""
    with opened(file, {"new": Slow("new")}) as memory:
        memory.semantic.setup(subject=ADA, provider="fake", model="new")


def within(file: Path, verb: str) -> None:
    """A prune or a rollback, stopped inside its transaction, after its statements."""
    store = SqliteStore.open(file, config=Config())
    with store._connections.writing() as connection:
        if verb == "prune":
            assert coverage.prune(connection, ADA, GoodModel("new").identity.digest) > 0
        else:
            number = epochs.owner_number(connection, ADA)
            assert number
            epochs.return_to_earlier(connection, number, 0)
        forever()


if __name__ == "__main__":
    named, path = sys.argv[1], Path(sys.argv[2])
    build(path) if named == "build" else within(path, named)
