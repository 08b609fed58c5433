"""The driver's errors as ours. A message names the file and what to do, never content."""

from collections.abc import Iterator, Mapping
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
_DAMAGE = "is damaged; restore a backup or run: atmem repair"
_LOCKED = "is locked by another process; try again"
_MEANINGS: Mapping[type[apsw.Error], tuple[type[StoreError], str]] = {
    apsw.BusyError: (StoreBusy, _LOCKED),
    apsw.LockedError: (StoreBusy, _LOCKED),
    apsw.ReadOnlyError: (StoreReadOnly, "can't be written; check its permissions"),
    apsw.FullError: (StoreFull, "stands on a full disk; free space and try again"),
    apsw.NotADBError: (NotADatabase, "isn't a database, or is encrypted; give another path, or its key"),
    apsw.CorruptError: (StoreCorrupt, _DAMAGE),
    apsw.ConnectionClosedError: (StoreError, "was closed; open it again"),
    apsw.CantOpenError: (StoreError, "can't be opened; check that its folder exists and may be used"),
}


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
    kind, message = _meaning(error)
    return kind(f"{path} {message}")


def _meaning(error: apsw.Error) -> tuple[type[StoreError], str]:
    for driver, meaning in _MEANINGS.items():
        if isinstance(error, driver):
            return meaning
    if getattr(error, "extendedresult", None) in _IO_FULL:
        return StoreFull, "can't grow; free space and try again"
    return StoreError, f"can't be used: {type(error).__name__} ({getattr(error, 'result', '')})"


def _damaged(path: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} {_DAMAGE}")
