"""A file that can't be written: reads work, writes say why."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.cli.shell import Ran, process, stored

NOBODY = 65534


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A database that this process, or the one it starts as nobody, can't write."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "memory.db"
        stored(database, "I live in Lisbon.")
        database.chmod(0o444)
        Path(folder).chmod(0o555)
        yield database
        Path(folder).chmod(0o755)


def unprivileged(*words: str | Path) -> Ran:
    """Root may write everything, so that it steps down first."""
    return process(*words, user=NOBODY if os.geteuid() == 0 else None)


def test_a_read_only_file_is_read(read_only: Path) -> None:
    ran = unprivileged("notes", "list", read_only, "--subject", "ada", "--json")
    assert ran.status == 0, ran.err
    assert [note["text"] for note in ran.document["notes"]] == ["I live in Lisbon."]


def test_a_read_only_file_is_judged(read_only: Path) -> None:
    ran = unprivileged("decide", read_only, "I live in Lisbon.", "--subject", "ada", "--json")
    assert ran.status == 0, ran.err
    assert len(ran.document["candidates"]) == 1


def test_a_write_to_a_read_only_file_says_why(read_only: Path) -> None:
    ran = unprivileged("remember", read_only, "I moved.", "--subject", "ada", "--json")
    assert (ran.status, ran.error["type"]) == (1, "StoreReadOnly")
    assert str(read_only) in ran.error["message"]
