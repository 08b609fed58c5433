"""Many processes and threads on one file: no error, nothing lost, nothing half done."""

import gc
import multiprocessing
import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from atmem_core.errors import StoreBusy
from atmem_core.records import Selector
from atmem_core.store.sqlite.store import SqliteStore
from tests.conftest import ROOT
from tests.store.histories import (
    IDENTITY,
    LATER,
    SteppingClock,
    drafted,
    opened,
    reading,
    row_of,
    unit,
)
from tests.store.worker import read_many, write_many

SPAWN = multiprocessing.get_context("spawn")


def ids_in(store: SqliteStore, subject: str) -> set[str]:
    return {note.id for note in store.notes(reading(subject), limit=100_000)}


def run_writers(path: Path, *, writers: int, readers: int, count: int) -> None:
    with ProcessPoolExecutor(writers + readers, mp_context=SPAWN) as pool:
        writing = {f"w{at}": pool.submit(write_many, str(path), f"w{at}", count) for at in range(writers)}
        looking = [pool.submit(read_many, str(path), 20) for _ in range(readers)]
        kept = {name: one.result() for name, one in writing.items()}
        for one in looking:
            one.result()
    store = opened(path)
    found = ids_in(store, "shared")
    for name in kept:
        found |= ids_in(store, name)
    assert found == {note_id for ids in kept.values() for note_id in ids}
    assert store.stats().notes == writers * count
    assert store.verify() == []
    store.close()


def test_several_processes_make_and_write_one_file_together(tmp_path: Path) -> None:
    run_writers(tmp_path / "new.db", writers=3, readers=1, count=10)


@pytest.mark.soak
def test_eight_processes_make_and_write_one_file_together(tmp_path: Path) -> None:
    for at in range(5):
        run_writers(tmp_path / f"new{at}.db", writers=8, readers=2, count=40)


def kill_a_writer(path: Path, after: int) -> None:
    """Start a writer, kill it after it acknowledged so many writes, and look at what it left."""
    command = [sys.executable, "-m", "tests.store.worker", "until-killed", str(path)]
    acknowledged = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            acknowledged.append(line.strip())
            if len(acknowledged) >= after:
                writer.kill()
                break
        acknowledged += [line.strip() for line in writer.stdout if line.endswith("\n")]
    store = opened(path)
    assert {store.get("ada", note_id).id for note_id in acknowledged} == set(acknowledged)
    assert store.verify() == []
    for note in store.notes(reading(), limit=10_000, all_states=True):
        if note.superseded_by not in {None, "erased"}:
            assert store.get("ada", note.superseded_by).id == note.superseded_by
    store.close()


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    kill_a_writer(tmp_path / "killed.db", after=25)


@pytest.mark.soak
def test_writers_killed_at_random_points_lose_nothing(tmp_path: Path) -> None:
    points = random.Random(2)  # noqa: S311 - any points will do, the same each time
    for _ in range(12):
        kill_a_writer(tmp_path / "killed.db", after=points.randint(1, 80))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_parent_and_child_of_a_fork_both_read_and_write(tmp_path: Path) -> None:
    store = opened(tmp_path / "forked.db")
    clock = SteppingClock()
    stored = store.add(drafted("before the fork", clock))
    store.put_vectors(IDENTITY, {stored.row: unit(1)})
    for _ in range(2):
        with store.read(reading()) as view:
            assert view.nearest(IDENTITY, unit(1), 1)
    child = os.fork()
    if child == 0:
        try:
            store.add(drafted("in the child", SteppingClock(name="c")))
            with store.read(reading()) as view:
                good = view.document_frequency("fork") == 1 and view.document_frequency("child") == 1
                good = good and len(view.nearest(IDENTITY, unit(1), 1)) == 1
            store.close()
        except BaseException:  # noqa: BLE001 - whatever it is, the parent must hear of it
            good = False
        os._exit(0 if good else 1)
    store.add(drafted("in the parent", clock))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with store.read(reading()) as view:
        assert len(view.postings("in")) == 2
    assert store.verify() == []
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_store_in_memory_is_copied_by_a_fork() -> None:
    store = opened()
    store.add(drafted("before the fork", SteppingClock()))
    child = os.fork()
    if child == 0:
        try:
            good = len(ids_in(store, "ada")) == 1
            store.add(drafted("in the child", SteppingClock(name="c")))
            good = good and len(ids_in(store, "ada")) == 2
        except BaseException:  # noqa: BLE001 - as above
            good = False
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(ids_in(store, "ada")) == 1
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_closed_store_stays_closed_in_a_child(tmp_path: Path) -> None:
    store = opened(tmp_path / "closed.db")
    store.close()
    child = os.fork()
    if child == 0:
        try:
            ids_in(store, "ada")
        except Exception:  # noqa: BLE001 - the refusal that is wanted
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("where", [":memory:", "file"])
def test_thirty_two_threads_write_and_read(tmp_path: Path, where: str) -> None:
    store = opened(where if where == ":memory:" else tmp_path / "threads.db")
    start = threading.Barrier(32)

    def work(at: int) -> None:
        clock = SteppingClock(name=f"t{at}x")
        start.wait()
        for turn in range(4):
            stored = store.add(drafted(f"thread {at} turn {turn}", clock))
            store.put_vectors(IDENTITY, {stored.row: unit(at * 10 + turn)})
            with store.read(reading()) as view:
                rows = view.postings("turn")
                assert stored.row in rows
                assert len(view.nearest(IDENTITY, unit(at), 128)) <= len(rows)
                assert view.nearest(IDENTITY, unit(at * 10 + turn), 1)[0][1] == pytest.approx(1, abs=1e-5)

    with ThreadPoolExecutor(32) as pool:
        for done in [pool.submit(work, at) for at in range(32)]:
            done.result()
    assert store.stats("ada").vectors == 128
    assert store.verify() == []
    store.close()


def test_dead_threads_leave_no_connection(tmp_path: Path) -> None:
    store = opened(tmp_path / "threads.db")
    for _ in range(20):
        thread = threading.Thread(target=lambda: store.get("ada", _first(store)))
        thread.start()
        thread.join()
    gc.collect()
    assert len(store._connections._readers) <= 1
    store.close()


def _first(store: SqliteStore) -> str:
    found = store.notes(reading(), limit=1)
    return found[0].id if found else store.add(drafted("one", SteppingClock())).note.id


def test_closing_while_another_thread_reads_gives_it_a_clear_error(tmp_path: Path) -> None:
    store = opened(tmp_path / "threads.db")
    store.add(drafted("one", SteppingClock()))
    reads, closed, told = threading.Event(), threading.Event(), []

    def work() -> None:
        try:
            with store.read(reading()) as view:
                reads.set()
                closed.wait(10)
                view.postings("one")
        except Exception as error:  # noqa: BLE001 - looked at below
            told.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert reads.wait(10)
    store.close()
    closed.set()
    thread.join(10)
    assert [type(error).__name__ for error in told] == ["StoreError"]
    assert "closed" in str(told[0])


def test_a_lock_that_is_held_for_too_long_is_busy_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "locked.db"
    store, other = opened(path, write_timeout_ms=30), opened(path)
    with other._connections.writing() as connection:
        connection.execute("SELECT 1").fetchall()
        with pytest.raises(StoreBusy, match="30 ms"):
            store.add(drafted("late", SteppingClock()))
        assert ids_in(store, "ada") == set()
    store.add(drafted("in time", SteppingClock()))
    assert len(ids_in(store, "ada")) == 1
    store.close()
    other.close()


def test_a_read_inside_a_read_sees_the_same_snapshot(tmp_path: Path) -> None:
    store = opened(tmp_path / "nested.db")
    note = store.add(drafted("one", SteppingClock())).note
    with store.read(reading()) as view:
        opened_elsewhere = opened(tmp_path / "nested.db")
        opened_elsewhere.forget("ada", Selector(note_id=note.id), at=LATER)
        assert store.get("ada", note.id).forgotten_at is None
        assert view.document_frequency("one") == 1
    assert store.get("ada", note.id).forgotten_at is not None
    assert row_of(store, note) > 0
    opened_elsewhere.close()
    store.close()


class Interrupted:
    """A connection whose user presses Ctrl-C as soon as a transaction has begun."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self.connection, name)

    def execute(self, sql: str, *given: object) -> object:
        found = self.connection.execute(sql, *given)  # type: ignore[arg-type]  # passed on as it came
        if sql.startswith("BEGIN"):
            raise KeyboardInterrupt
        return found


def test_an_interrupt_leaves_no_reader_in_an_old_snapshot(tmp_path: Path) -> None:
    store = opened(tmp_path / "interrupted.db")
    with store._connections.reading() as connection:
        pass
    store._connections._local.connection = Interrupted(connection)
    with pytest.raises(KeyboardInterrupt):
        store.stats()
    store._connections._local.connection = connection
    assert not connection.in_transaction
    store.close()


def test_an_interrupt_leaves_no_write_open(tmp_path: Path) -> None:
    store = opened(tmp_path / "interrupted.db")
    with store._connections.outside() as connection:
        pass
    store._connections._writer = Interrupted(connection)  # type: ignore[assignment]  # stands in for it
    with pytest.raises(KeyboardInterrupt):
        store.add(drafted("never", SteppingClock()))
    store._connections._writer = connection
    store.add(drafted("next", SteppingClock()))
    assert len(ids_in(store, "ada")) == 1
    store.close()
