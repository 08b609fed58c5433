"""A model call that is left behind when it is late."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor
from concurrent.futures import TimeoutError as NotInTime
from typing import TypeVar

__all__ = ["Closed", "NotInTime", "in_time"]

Result = TypeVar("Result")


class Closed(Exception):
    """The memory was closed before the call was done."""


def in_time(work: Callable[[], Result], *, pool: Executor, deadline_ms: float | None) -> Result:
    """What ``work`` gives; with a deadline it runs in ``pool``.

    Raises:
        NotInTime: The time ran out.
        Closed: The pool ended.
    """
    if deadline_ms is None:
        return work()
    try:
        call = pool.submit(work)
    except RuntimeError:
        raise Closed from None
    try:
        return call.result(timeout=deadline_ms / 1000)
    except CancelledError:
        raise Closed from None
    finally:
        call.cancel()  # one that hasn't begun is of no use to anybody any more
