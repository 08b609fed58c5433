"""How often, how long, and with what pauses a call is tried."""

import random
import time

from atmem_core.errors import ChatUnavailable

_AGAIN = ("transport", "status_429", "status_5")
"""What may pass by itself. A wrong key or a body that isn't understood doesn't."""
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 8.0


class Tries:
    """The tries of one call, under one time limit."""

    def __init__(self, *, most: int, timeout_s: float) -> None:
        self._most = most
        self._failed = 0
        self._timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s

    def left(self) -> float:
        """Seconds that are left, above 0. Raises ChatUnavailable when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise ChatUnavailable("timeout", f"no whole reply within {self._timeout_s:g} s")
        return left

    def pause(self, error: ChatUnavailable) -> float:
        """Seconds to wait before the next try; ``error`` itself when there is none."""
        self._failed += 1
        if self._failed >= self._most or not error.reason.startswith(_AGAIN):
            raise error
        grown = min(_FIRST_PAUSE_S * 2 ** (self._failed - 1), _LONGEST_PAUSE_S)
        # Jitter, or clients that were refused together come back together.
        wait = _seconds(error.retry_after) or grown * (0.5 + random.random() / 2)  # noqa: S311
        if time.monotonic() + wait >= self._end:
            raise error
        return wait


def _seconds(said: str) -> float:
    """What ``Retry-After`` says, 0 when it says a date or nothing."""
    return float(said) if said.isdecimal() else 0.0
