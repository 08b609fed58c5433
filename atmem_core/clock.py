"""The only place that reads time or makes ids."""

import base64
import os
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from atmem_core.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


class Clock(Protocol):
    """Time and ids, so that tests can hold both still."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...

    def new_id(self, prefix: str) -> str:
        """An opaque id that starts with ``prefix``; unique over all files."""
        ...


class SystemClock:
    """The machine's clock and its source of randomness."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        return datetime.now(UTC)

    def new_id(self, prefix: str) -> str:
        """``prefix`` and 80 random bits in lower-case base 32: no order, no count, no subject in it."""
        return prefix + base64.b32encode(os.urandom(10)).decode().lower()


class Deadline:
    """Time that is left of a call, by a clock that nobody sets."""

    def __init__(self, ms: float | None) -> None:
        self._end = None if ms is None else time.monotonic() + ms / 1000

    @property
    def left_ms(self) -> float | None:
        """Milliseconds, 0 or more; None without a limit."""
        return None if self._end is None else max(0.0, (self._end - time.monotonic()) * 1000)


def to_micros(moment: datetime, field: str = "datetime") -> int:
    """Microseconds since 1970 in UTC.

    Raises:
        InvalidInput: ``moment`` is naive: an instant needs a zone.
    """
    if not isinstance(moment, datetime):
        raise InvalidInput(field, f"must be a datetime, got {type(moment).__name__}")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInput(field, "has no time zone; give an aware datetime, such as datetime.now(UTC)")
    micros = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST <= micros <= _LAST:
        raise InvalidInput(field, f"{moment} is outside the years 1 to 9999 of UTC")
    return micros


def from_micros(micros: int) -> datetime:
    """The aware UTC instant; the inverse of ``to_micros``."""
    return _EPOCH + timedelta(microseconds=micros)
