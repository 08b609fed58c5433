"""The driver's errors as ours. A message names the file and what to do, never content."""

from collections.abc import Callable, Iterator, Mapping
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


_ODD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""How a value that nobody wrote shows in code that reads it; a mistake in that code shows the same way."""


@contextmanager
def translated(path: str, *, damaged: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Raise the driver's errors as StoreError and its leaves.

    Args:
        path: Of the file.
        damaged: Asks the file whether it holds what was never written. Only then is another error its
            fault, and StoreCorrupt; on a healthy file the error is a mistake of ours and stays what it is.
    """
    try:
        yield
    except AtmemError:
        raise
    except apsw.Error as error:
        found = translate(error, path)
        if type(found) is StoreError and _asked(damaged):
            raise corrupt(path) from None
        raise found from error
    except UnicodeDecodeError:
        # Only what was valid is ever written. No `from`: the driver's message holds the bytes.
        raise corrupt(path) from None
    except _ODD:
        if _asked(damaged):
            # No `from`: the message may hold content.
            raise corrupt(path) from None
        raise


def _asked(damaged: Callable[[], bool]) -> bool:
    try:
        return damaged()
    except apsw.ConnectionClosedError:
        return False
    except (apsw.Error, *_ODD):  # what can't even be looked through
        return True


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


def corrupt(path: str) -> StoreCorrupt:
    """What every verb raises of a damaged file."""
    return StoreCorrupt(f"{path} {_DAMAGE}")
