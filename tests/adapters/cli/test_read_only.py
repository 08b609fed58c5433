"""A file that can't be written: reads work, writes say why."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.cli.shell import Ran, process, stored

DROP_CAPABILITY = 24
"""PR_CAPBSET_DROP of prctl(2)."""
OVERRIDES_PERMISSIONS = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root write a file that nobody may write."""


@pytest.fixture
def read_only(database: Path) -> Iterator[Path]:
    """A database that may be read, in a folder that may be read."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("root writes everything on this platform")
    stored(database, "I live in Lisbon.")
    database.chmod(0o444)
    database.parent.chmod(0o555)
    yield database
    database.parent.chmod(0o755)


def as_anyone() -> None:
    """Root in this process obeys permissions from the next program on."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in OVERRIDES_PERMISSIONS:
        if libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def unprivileged(*words: str | Path) -> Ran:
    return process(*words, first=as_anyone if os.geteuid() == 0 else None)


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
