"""Connections: one writer behind a lock, one reader a thread, all made anew after a fork.

A ``:memory:`` file is one connection behind one lock, for reading too.
"""

import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import apsw

from atmem_core.errors import StoreBusy, StoreError, StoreReadOnly
from atmem_core.store.sqlite.encryption import unlock
from atmem_core.store.sqlite.faults import translated

MEMORY = ":memory:"
_INHERITED: list[apsw.Connection] = []
"""Copies, in a forked child, of its parent's connections; closed before the child opens its own."""
_NEVER_CLOSED: list[apsw.Connection] = []
"""Copies that were inside a write. Rolling one back would reach into the memory that processes share."""

PRAGMAS = (
    # A commit survives a crash of this process; the newest may be lost when the power fails.
    "PRAGMA synchronous = NORMAL",
    # Off by default; the cascades of the schema do nothing without it.
    "PRAGMA foreign_keys = ON",
    # What is erased is overwritten, not just unlinked. FAST leaves whole pages.
    "PRAGMA secure_delete = ON",
    # Sorts of a query stay in memory: no content in a file that we don't know of.
    "PRAGMA temp_store = MEMORY",
    # A file from elsewhere can't run functions through its schema.
    "PRAGMA trusted_schema = OFF",
    # Damage is found when a page is read, not when it has spread.
    "PRAGMA cell_size_check = ON",
    # 32 MiB of pages: the working set of a subject with tens of thousands of notes.
    "PRAGMA cache_size = -32768",
    # Pages are read without a copy.
    "PRAGMA mmap_size = 268435456",
    # A log that a long reader made grow is cut again afterwards.
    "PRAGMA journal_size_limit = 67108864",
)
READER_PRAGMAS = (
    *PRAGMAS,
    # A read that writes is a fault; here it is an error.
    "PRAGMA query_only = ON",
)
READER_WAIT_MS = 5_000


class Connections:
    """The connections to one file."""

    def __init__(
        self, path: str, *, write_timeout_ms: int, read_only: bool, uri: str, key: str | None = None
    ) -> None:
        self.path = path
        self._key = key
        self.read_only = read_only
        self._uri = uri
        self._timeout_ms = write_timeout_ms
        self._shared = path == MEMORY
        self._writer: apsw.Connection | None = None
        self.closed = False
        self.vector_extension = False
        self.looked_through: Callable[[apsw.Connection], bool] = lambda _connection: False
        """Is the file damaged? Asked when a read or a write fails in an odd way."""
        self._fresh()
        _EVERY.add(self)

    def _fresh(self) -> None:
        self._lock = threading.RLock()
        self._local = threading.local()
        self._readers: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()

    def leave_parent(self) -> None:
        """In a forked child: its locks and connections are the parent's; make new ones when needed."""
        _INHERITED.extend(self._readers)
        # A database in memory is this process's own copy; the only other place it stands in is the parent.
        if self._writer is not None and not self._shared:
            (_NEVER_CLOSED if self._writer.in_transaction else _INHERITED).append(self._writer)
            self._writer = None
        self._fresh()

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection inside one snapshot; nothing else writes to it meanwhile."""
        if self._shared:
            with self._lock, self._snapshot(self._writing()) as connection:
                yield connection
            return
        with self._snapshot(self._reader()) as connection:
            yield connection

    @contextmanager
    def _snapshot(self, connection: apsw.Connection) -> Iterator[apsw.Connection]:
        with translated(self.path, damaged=lambda: self.looked_through(connection)):
            if connection.in_transaction:  # a read inside a read sees the same snapshot
                yield connection
                return
            try:  # from here on: an interrupt must not leave the reader in an old snapshot
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """The writer inside one immediate transaction: committed at the end, or rolled back whole."""
        if self.read_only:
            raise StoreReadOnly(f"{self.path} can't be written; reading still works")
        with self._lock, translated(self.path, damaged=lambda: self.looked_through(self._writing())):
            connection = self._writing()
            try:
                begin(connection, self._timeout_ms, self.path)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def outside(self) -> Iterator[apsw.Connection]:
        """The writer without a transaction: for checkpoints and backups."""
        with self._lock, translated(self.path, damaged=lambda: self.looked_through(self._writing())):
            yield self._writing()

    def _writing(self) -> apsw.Connection:
        if self._writer is None:
            self._refuse_closed()
            self._writer = self._open(READER_PRAGMAS if self.read_only else PRAGMAS)
        return self._writer

    def _reader(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._lock:
                self._refuse_closed()
                connection = self._open(READER_PRAGMAS)
                self._readers.add(connection)
            self._local.connection = connection
        return connection

    def _refuse_closed(self) -> None:
        if self.closed:
            raise StoreError(f"{self.path} was closed; open it again")

    def _open(self, pragmas: tuple[str, ...]) -> apsw.Connection:
        close_inherited()
        flags = apsw.SQLITE_OPEN_URI | (
            apsw.SQLITE_OPEN_READONLY
            if self.read_only
            else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        )
        connection = apsw.Connection(self._uri, flags=flags)
        # Readers wait only while a log is recovered; the writer has its own, longer way to wait.
        connection.set_busy_timeout(READER_WAIT_MS if pragmas is READER_PRAGMAS else 0)
        self.unlock(connection)
        for pragma in pragmas:
            # The first statement looks at the file, which another process may just be making.
            retry(partial(_run, connection, pragma), self._timeout_ms, self.path)
        self.vector_extension = load_vector_extension(connection)
        return connection

    @property
    def keyed(self) -> bool:
        """Is the file encrypted?"""
        return self._key is not None

    def unlock(self, connection: apsw.Connection) -> None:
        """Before all else on a new connection to this file, or to a copy of it."""
        if self._key is not None:
            retry(partial(unlock, connection, self._key, self.path), self._timeout_ms, self.path)

    def close(self) -> None:
        """Close every connection of this process."""
        with self._lock:
            self.closed = True
            for connection in [*self._readers, *filter(None, [self._writer])]:
                # One that another thread is running closes when that thread lets go of it.
                with suppress(apsw.ThreadingViolationError):
                    connection.close(True)
            self._writer = None
            self._local = threading.local()


_EVERY: weakref.WeakSet[Connections] = weakref.WeakSet()
"""All that are open in this process."""


def _after_fork() -> None:
    for connections in list(_EVERY):
        connections.leave_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def close_inherited() -> None:
    """Close what a fork copied, of every store, before anything is opened.

    SQLite notes once a process and file which locks it holds. A fork copies the note without the locks,
    and while a copied connection is open a new one takes the note's word: the child then seems to be gone
    to other processes, and the last of them takes the log away under it. To close a copy is safe: it
    gives up locks of the child alone, and the parent's own keep it from touching the log.
    """
    while _INHERITED:
        with suppress(IndexError, apsw.Error):  # another thread was quicker; or it was in use in the parent
            _INHERITED.pop().close(True)


def _run(connection: apsw.Connection, sql: str) -> None:
    connection.execute(sql).fetchall()


def begin(connection: apsw.Connection, timeout_ms: int, path: str) -> None:
    """BEGIN IMMEDIATE, again with growing, random pauses while another process writes."""
    retry(lambda: connection.execute("BEGIN IMMEDIATE"), timeout_ms, path)


def retry(act: Callable[[], object], timeout_ms: int, path: str) -> None:
    """Do it until it isn't refused for a lock. Raises StoreBusy after ``timeout_ms``."""
    end = time.monotonic() + timeout_ms / 1000
    pause = 0.001
    while True:
        try:
            act()
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() >= end:
                raise StoreBusy(
                    f"{path} was locked by another process for {timeout_ms} ms; try again"
                ) from None
            # Jitter, or several writers knock in step for ever.
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - no secret depends on it
            pause = min(pause * 2, 0.05)
        else:
            return


def load_vector_extension(connection: apsw.Connection) -> bool:
    """Load sqlite-vec; False when it isn't there. Its Python module imports numpy, so it isn't imported."""
    spec = find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        return False
    library = Path(spec.origin).with_name("vec0")
    try:
        connection.enable_load_extension(True)
        connection.load_extension(str(library))
        connection.enable_load_extension(False)
    except (apsw.Error, AttributeError):  # the library doesn't fit, or this build loads none
        return False
    return True
