"""Paths that aren't ours, files that can't be written, disks that are full."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from atmem_core.config import Config
from atmem_core.errors import (
    AtmemError,
    InvalidInput,
    NotADatabase,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from atmem_core.records import Selector
from atmem_core.store.sqlite.faults import translate, translated
from atmem_core.store.sqlite.store import SqliteStore
from tests.conftest import ROOT
from tests.store.files import filled, read_everything
from tests.store.histories import (
    LATER,
    SteppingClock,
    drafted,
    opened,
    reading,
)

# --- what the path is ------------------------------------------------------------------------------


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(NotADatabase, match="folder"):
        opened(tmp_path)


def test_a_pipe_is_no_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotADatabase, match="regular file"):
        opened(tmp_path / "pipe")


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\0" + b"x" * 4096, b"\0" * 8192])
def test_a_file_of_another_kind_is_no_database_and_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises((NotADatabase, StoreCorrupt), match=r"notes\.txt"):
        opened(path)
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("application_id", [0, 42])
def test_another_applications_file_is_refused_and_left_alone(tmp_path: Path, application_id: int) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA application_id = {application_id}")
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another application"):
        opened(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused_and_left_byte_for_byte(tmp_path: Path, read_only: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    path = tmp_path / "newer.db"
    filled(path)
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="999"):
        SqliteStore.open(path, config=Config(), read_only=read_only)
    assert path.read_bytes() == before
    # A connection that may not write can't take its empty log away again.
    left = sum(one.stat().st_size for one in tmp_path.iterdir() if one.name.endswith("-wal"))
    assert left == 0
    assert read_only or [one.name for one in tmp_path.iterdir()] == ["newer.db"]


def test_an_empty_file_becomes_ours(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert len(filled(path)) == 3


def test_a_missing_file_is_not_made_when_it_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database"):
        SqliteStore.open(tmp_path / "missing.db", config=Config(), create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere is no folder"):
        opened(tmp_path / "nowhere" / "a.db")


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db", "a%41.db", "ä ö.db", "file:x.db", "'quoted'.db"])
def test_any_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    filled(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 0
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names that are text")
def test_a_name_that_is_no_text_is_just_a_name(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe.db")
    filled(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["", "a\0b.db", "\ud800.db", b"bytes.db", None, 3])
def test_what_names_no_file_is_refused_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="path"):
        SqliteStore.open(name, config=Config())
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_too_long_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="too long"):
        opened(tmp_path / ("a" * 300))


# --- what may be written ---------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may look into: pytest's own is closed to others."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def as_a_plain_user(act: Callable[[], None]) -> None:
    """Run in a child that isn't root: permissions mean nothing to root."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            act()
        except BaseException:  # noqa: BLE001 - whatever it is, the parent must hear of it
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)])
def test_what_cant_be_written_can_be_read(open_folder: Path, file_mode: int, folder_mode: int) -> None:
    path = open_folder / "agent.db"
    filled(path)
    path.chmod(file_mode)
    open_folder.chmod(folder_mode)

    def act() -> None:
        store = opened(path)
        assert read_everything(store) == 3
        assert store.verify() == []
        with pytest.raises(StoreReadOnly, match="reading still works"):
            store.add(drafted("new", SteppingClock(name="b")))
        with pytest.raises(StoreReadOnly):
            store.erase("ada", Selector(everything=True), at=LATER)
        assert read_everything(store) == 3
        store.close()

    before = path.read_bytes()
    as_a_plain_user(act)
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_file_that_may_not_be_read_and_a_folder_without_room_say_so(open_folder: Path) -> None:
    path = open_folder / "agent.db"
    filled(path)
    path.chmod(0o000)
    closed = open_folder / "closed"
    closed.mkdir(mode=0o555)

    def act() -> None:
        with pytest.raises(StoreError, match="can't be read"):
            opened(path)
        with pytest.raises(StoreReadOnly, match="can't be made"):
            opened(closed / "new.db")

    as_a_plain_user(act)


def test_a_store_opened_for_reading_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    filled(path)
    before = path.read_bytes()
    store = SqliteStore.open(path, config=Config(), read_only=True)
    assert read_everything(store) == 3
    assert store.verify() == []
    with pytest.raises(StoreReadOnly):
        store.add(drafted("new", SteppingClock(name="b")))
    store.close()
    assert path.read_bytes() == before


def test_a_store_opened_for_reading_sees_what_others_write(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    filled(path)
    reader, writer = SqliteStore.open(path, config=Config(), read_only=True), opened(path)
    writer.add(drafted("brutus again", SteppingClock(name="b"), tags=("pets",)))
    assert read_everything(reader) == 4
    reader.close()
    writer.close()


def test_reads_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    filled(path)
    store = opened(path)
    store.add(drafted("brutus in the log", SteppingClock(name="b"), tags=("pets",)))
    before = [Path(f"{path}{end}").read_bytes() for end in ("", "-wal")]
    changes = store._connections._writing().total_changes()
    read_everything(store)
    assert [Path(f"{path}{end}").read_bytes() for end in ("", "-wal")] == before
    assert store._connections._writing().total_changes() == changes
    readers = list(store._connections._readers)
    assert readers
    for reader in readers:
        assert reader.total_changes() == 0
        assert reader.pragma("query_only") == 1
        with pytest.raises(apsw.ReadOnlyError):
            reader.execute("DELETE FROM notes")
    store.close()


@pytest.mark.parametrize("where", [":memory:", "file"])
def test_a_closed_store_says_so(tmp_path: Path, where: str) -> None:
    store = opened(where if where == ":memory:" else tmp_path / "a.db")
    store.add(drafted("one", SteppingClock()))
    store.close()
    store.close()
    for act in (
        lambda: store.notes(reading(), limit=1),
        lambda: store.add(drafted("two", SteppingClock(name="b"))),
        store.verify,
        store.stats,
    ):
        with pytest.raises(StoreError, match="was closed"):
            act()


# --- full disks ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs setrlimit")
def test_a_full_disk_loses_one_write_and_reads_go_on(tmp_path: Path) -> None:
    path = tmp_path / "full.db"
    command = [sys.executable, "-m", "tests.store.worker", "full-disk", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["error"] == "StoreFull"
    assert told["readable"] == len(told["ids"]) - 1
    assert told["findings"] == []
    store = opened(path)
    assert {note.id for note in store.notes(reading(), limit=9_999)} == set(told["ids"])
    store.close()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (apsw.SQLITE_FULL, StoreFull),
        (apsw.SQLITE_IOERR_WRITE, StoreFull),
        (apsw.SQLITE_IOERR_SHMSIZE, StoreFull),
        (apsw.SQLITE_IOERR_READ, StoreError),
        (apsw.SQLITE_CORRUPT_VTAB, StoreCorrupt),
        (apsw.SQLITE_NOTADB, NotADatabase),
    ],
)
def test_the_drivers_codes_become_our_errors(code: int, wanted: type[AtmemError]) -> None:
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    assert type(translate(error, "agent.db")) is wanted


def test_text_that_is_no_text_any_more_is_damage_and_isnt_quoted() -> None:
    with pytest.raises(StoreCorrupt) as told, translated("agent.db"):
        b"secret \xff".decode()
    assert "secret" not in "".join(traceback.format_exception(told.value, chain=False))
    assert told.value.__suppress_context__
