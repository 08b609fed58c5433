"""The driver's errors as ours. A message names the file and what to do, never content."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from atmem_core.errors import (
    AtmemError,
    NotADatabase,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

_IO_FULL = frozenset({apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_TRUNCATE})
"""How a full disk shows where SQLite has no word of its own for it."""


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise the driver's errors as StoreError and its leaves."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
    except UnicodeDecodeError:
        # Only what was valid is ever written. No `from`: the driver's message holds the bytes.
        raise _damaged(path) from None


def translate(error: apsw.Error, path: str) -> AtmemError:
    """The error that says what happened to the file."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(f"{path} is locked by another process; try again")
        case apsw.ReadOnlyError():
            return StoreReadOnly(f"{path} can't be written: {error}; check its permissions")
        case apsw.FullError():
            return StoreFull(f"the disk of {path} is full; free space and try again")
        case apsw.NotADBError():
            return NotADatabase(f"{path} isn't a database; give another path")
        case apsw.CorruptError():
            return _damaged(path)
        case apsw.ConnectionClosedError():
            return StoreError(f"{path} was closed; open it again")
        case apsw.CantOpenError():
            return StoreError(f"{path} can't be opened; check that its folder exists and may be used")
        case apsw.IOError() if error.extendedresult in _IO_FULL:
            return StoreFull(f"{path} can't grow; free space and try again")
        case _:
            return StoreError(f"{path}: {type(error).__name__} ({error.result})")


def _damaged(path: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} is damaged; restore a backup or run: atmem repair {path}")
