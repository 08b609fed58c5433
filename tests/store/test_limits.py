"""Locks held by others, full disks, a log that a reader makes grow."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from atmem_core.doctor import diagnose
from atmem_core.errors import StoreBusy
from atmem_core.records import CheckStatus, Selector
from atmem_core.store.sqlite import store as sqlite_store
from tests.conftest import ROOT
from tests.store.files import filled
from tests.store.histories import IDENTITY, LATER, SteppingClock, drafted, opened, reading
from tests.store.test_upgrade import of_schema

HOLD = """
import sys, threading, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE file_state SET value = value")
print("held", flush=True)
threading.Event().wait(float(sys.argv[2]))
connection.execute("COMMIT")
"""
FULL = """
import resource, signal, sys, apsw
from atmem_core.errors import StoreFull
from tests.store.histories import SteppingClock, drafted, opened, reading
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
def refused(act):
    try:
        act()
    except StoreFull:
        return
    raise SystemExit("no StoreFull")
path = sys.argv[2]
"""
MIGRATION = """
limit(4096)
refused(lambda: opened(path))
limit(hard)
"""
CHECKPOINT = """
store = opened(path)
clock = SteppingClock(name="more")
for number in range(40):
    store.add(drafted(f"a longer note {number} of many words", clock))
def checkpoint():
    with store._connections.outside() as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
limit(16384)
refused(checkpoint)
assert len(store.notes(reading(), limit=99)) == 43
limit(hard)
checkpoint()
assert len(store.notes(reading(), limit=99)) == 43
store.close()
"""


@contextmanager
def held(path: Path, seconds: float) -> Iterator[None]:
    """Another process holds the write lock for so long, or until the block ends."""
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.kill()


def test_a_write_waits_for_a_lock_of_two_seconds(tmp_path: Path) -> None:
    filled(tmp_path / "a.db")
    store = opened(tmp_path / "a.db")
    with held(tmp_path / "a.db", 2):
        began = monotonic()
        store.add(drafted("late", SteppingClock(name="b")))
        assert monotonic() - began > 1
    assert store.verify() == []
    store.close()


def test_a_lock_of_a_minute_is_busy_in_time_and_reads_go_on(tmp_path: Path) -> None:
    ids = filled(tmp_path / "a.db")
    store = opened(tmp_path / "a.db", write_timeout_ms=200)
    with held(tmp_path / "a.db", 60):
        began = monotonic()
        with pytest.raises(StoreBusy, match="200 ms"):
            store.add(drafted("late", SteppingClock(name="b")))
        assert monotonic() - began < 5
        assert len(store.notes(reading(), limit=9)) == len(ids)
    store.add(drafted("in time", SteppingClock(name="b")))
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs setrlimit")
@pytest.mark.parametrize("act", ["migration", "checkpoint"])
def test_a_full_disk_loses_nothing_and_all_works_again(tmp_path: Path, act: str) -> None:
    path = tmp_path / "a.db"
    ids = filled(path)
    if act == "migration":
        of_schema(5, tmp_path / "old.db", path)
        path = tmp_path / "old.db"
    script = FULL + (MIGRATION if act == "migration" else CHECKPOINT)
    command = [sys.executable, "-c", script, "-", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr
    store = opened(path)
    assert {note.id for note in store.notes(reading(), limit=99)} >= set(ids)
    assert store.verify() == []
    store.close()


def test_a_log_that_a_reader_makes_grow_is_told_and_shrinks_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    store, other = opened(path), opened(path)
    added = store.add(drafted("a large one", SteppingClock(name="b")))
    with other.read(reading()) as view:
        view.postings("brutus")
        for number in range(5):
            store.put_vectors(IDENTITY, {added.row: np.full(4_000_000, number + 1, dtype="<f4")})
        assert store.stats().wal_bytes > 64 * 1024 * 1024
        told = [one for one in diagnose(store, None, None).checks if one.name == "log"]
        assert [one.status for one in told] == [CheckStatus.WARN]
    for number in range(2):  # one empties the log, the next begins it anew
        store.put_vectors(IDENTITY, {added.row: np.full(8, number + 1, dtype="<f4")})
    assert store.stats().wal_bytes <= 64 * 1024 * 1024
    assert not [one for one in diagnose(store, None, None).checks if one.name == "log"]
    store.close()
    other.close()


def test_a_large_file_is_written_anew_by_way_of_a_file_and_memory_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_MOST_IN_MEMORY", 0)
    ids = filled(tmp_path / "a.db")
    store = opened(tmp_path / "a.db")
    assert not store.erase("ada", Selector(note_id=ids[1]), at=LATER).pending_checkpoint
    with store._connections.outside() as connection:
        assert connection.execute("PRAGMA temp_store").fetchone() == (2,)
    assert all(b"brutus note 1" not in file.read_bytes() for file in tmp_path.iterdir())
    assert store.verify() == []
    store.close()
