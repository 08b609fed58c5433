"""What a fork copies: connections that believe in locks which the child doesn't have."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import SteppingClock, drafted, opened, reading

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

TRY_TO_LOCK_ALONE = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        sys.exit(0)
sys.exit(1)
"""
"""SQLite's range of shared locks: who gets all of it may take the log away. Exit 0 when it is held."""


def is_held(path: Path) -> bool:
    """Does some other process hold the file open, as SQLite sees it?"""
    return subprocess.run([sys.executable, "-c", TRY_TO_LOCK_ALONE, str(path)], check=False).returncode == 0


class Child:
    """A forked process that takes its steps when it is told to, and is gone at the end."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self._told, tell = os.pipe()
        hear, self._said = os.pipe()
        self._tell, self._hear = tell, hear
        self.pid = os.fork()
        if self.pid == 0:
            self._run(steps)

    def _run(self, steps: tuple[Callable[[], object], ...]) -> None:
        try:
            for step in steps:
                os.read(self._told, 1)
                step()
                os.write(self._said, b"+")
            os.read(self._told, 1)  # the file stays open until the end
        except BaseException:  # noqa: BLE001 - whatever it is, the parent must hear of it
            os.write(self._said, b"-")
        os._exit(0)

    def step(self) -> None:
        os.write(self._tell, b".")
        assert os.read(self._hear, 1) == b"+"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def told(store: SqliteStore, name: str, count: int = 1) -> None:
    clock = SteppingClock(name=name)
    for at in range(count):
        store.add(drafted(f"{name} says {at}", clock))


def test_a_child_keeps_its_writes_when_its_parent_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "forked.db"
    store = opened(path)
    told(store, "parent")
    assert store.stats().notes == 1  # a reader and a writer are open
    with Child(lambda: told(store, "early"), lambda: told(store, "late", 20)) as child:
        child.step()
        store.close()
        assert is_held(path)
        child.step()
        again = opened(path)
        assert again.stats().notes == 22
        told(again, "again")
    again.close()
    last = opened(path)
    assert last.stats().notes == 23
    assert last.verify() == []
    last.close()


def test_a_second_store_of_the_parent_costs_the_child_nothing(tmp_path: Path) -> None:
    path = tmp_path / "forked.db"
    store, second = opened(path), opened(path)
    told(store, "parent")
    told(second, "second")
    with Child(lambda: told(store, "child")) as child:
        child.step()
        store.close()
        second.close()
        assert is_held(path)


def test_a_parent_keeps_its_writes_when_its_child_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "forked.db"
    store = opened(path)
    told(store, "parent")
    with Child(lambda: told(store, "child"), store.close) as child:
        child.step()
        child.step()
        assert is_held(path)
        told(store, "late", 20)
    again = opened(path)
    assert again.stats().notes == 22
    again.close()
    store.close()


def test_a_fork_in_the_middle_of_a_read_lets_the_child_write(tmp_path: Path) -> None:
    path = tmp_path / "forked.db"
    store = opened(path)
    told(store, "parent")
    with store.read(reading()) as view:
        child = Child(lambda: told(store, "child"))
        child.step()
        assert view.corpus.documents == 1
    with child:
        store.close()
        assert is_held(path)


def test_opening_a_file_again_keeps_the_lock_of_the_first_store(tmp_path: Path) -> None:
    """Whoever closes any handle of a file drops all locks of the process on it: leave it alone."""
    path = tmp_path / "twice.db"
    store = opened(path)
    told(store, "first")
    assert is_held(path)
    second = opened(path)
    assert is_held(path)
    second.close()
    assert is_held(path)
    store.close()
    assert not is_held(path)
