"""A call that is left behind when it is late, or when nobody wants its answer any more."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from atmem_core.clock import Deadline

Result = TypeVar("Result")

_LOOK_S = 0.02
"""How often ``aborted`` is asked while a call is waited for."""


class Late(Exception):
    """The time ran out."""


class Aborted(Exception):
    """The caller wants no answer any more."""


class Crowded(Exception):
    """As many calls as there may be still run, most of them left behind."""


class Patience:
    """How long one message may take, and whether somebody still waits for it."""

    def __init__(self, timeout_ms: float, aborted: Callable[[], bool]) -> None:
        self._deadline = Deadline(timeout_ms)
        self._aborted = aborted

    def check(self) -> None:
        """Raise Aborted when nobody waits any more."""
        if self._aborted():
            raise Aborted

    def wait(self, wait: Callable[[float], bool]) -> None:
        """Until ``wait``, which takes seconds, says True.

        Raises:
            Late, Aborted: It wasn't to be.
        """
        while True:
            left_s = (self._deadline.left_ms or 0.0) / 1000
            if wait(min(left_s, _LOOK_S)):
                return
            self.check()
            if left_s <= 0:
                raise Late


class Calls:
    """Calls in threads of their own, which end with the process however long they run.

    Args:
        most: How many may run at once, those included that were left behind.
    """

    def __init__(self, most: int) -> None:
        self._free = threading.BoundedSemaphore(most)

    def result(self, work: Callable[[], Result], patience: Patience) -> Result:
        """What ``work`` gives or raises.

        Raises:
            Late, Aborted, Crowded: It gives nothing that is waited for.
        """
        patience.check()
        if not self._free.acquire(blocking=False):
            raise Crowded
        call = _Call(work, self._free.release)
        try:
            call.start()
        except RuntimeError:  # no thread to be had
            self._free.release()
            raise Crowded from None
        patience.wait(call.done.wait)
        return call.result()


class _Call(Generic[Result]):
    def __init__(self, work: Callable[[], Result], ended: Callable[[], None]) -> None:
        self._work = work
        self._ended = ended
        self._given: list[Result] = []
        self._raised: Exception | None = None
        self.done = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="atmem-rewrite", daemon=True).start()

    def result(self) -> Result:
        if self._raised is not None:
            raise self._raised
        return self._given[0]

    def _run(self) -> None:
        try:
            self._given.append(self._work())
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            self._raised = error
        finally:
            self._ended()
            self.done.set()
