"""A clock for tests: it moves when a test says so, and its ids repeat from run to run."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import count

_START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FakeClock:
    """Stands still until ``advance``. Ids are ``n1``, ``n2``, ... in order of asking.

    Args:
        at: The instant at which it stands; aware.
    """

    def __init__(self, at: datetime = _START) -> None:
        self._at = at
        self._numbers = count(1)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The instant at which it stands."""
        return self._at

    def advance(self, by: timedelta) -> datetime:
        """Move on, or back with a negative span; the new instant."""
        with self._lock:
            self._at += by
            return self._at

    def new_id(self, prefix: str) -> str:
        """``prefix`` and the next number."""
        with self._lock:
            return f"{prefix}{next(self._numbers)}"
