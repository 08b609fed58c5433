"""A real memory behind a fault, for tests of what calls it."""

import asyncio
import functools
import threading
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

from atmem_core.memory import Memory


class MemoryFault(StrEnum):
    """What is wrong with a FaultyMemory."""

    RAISES = "raises"
    """An error of some other library, whose message and fields quote a memory."""
    HANGS = "hangs"
    """Waits until ``release()``, then answers rightly."""


class CarelessError(Exception):
    """As careless libraries raise them: text of a memory in message and fields."""

    def __init__(self, quoted: str) -> None:
        super().__init__(f"failed at: {quoted}")
        self.code = self.reason = quoted


class FaultyMemory:
    """Has the methods of a Memory; each call meets the fault first. Leaving ``with`` releases it.

    Args:
        memory: The memory behind it.
        fault: What is wrong; None mends it. May be changed at any time.
        quoted: What the error of ``RAISES`` quotes.
    """

    def __init__(self, memory: Memory, fault: MemoryFault | None = None, *, quoted: str = "") -> None:
        self.memory = memory
        self.fault = fault
        self.quoted = quoted
        self.entered = threading.Event()
        """Set when a call hangs."""
        self._released = threading.Event()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.memory, name)

        @functools.wraps(method)
        def call(*args: object, **options: object) -> object:
            self._meet_the_fault()
            return method(*args, **options)

        return call

    def release(self) -> None:
        """Let calls that hang go on, and all later ones."""
        self._released.set()

    def _meet_the_fault(self) -> None:
        if self.fault is MemoryFault.RAISES:
            raise CarelessError(self.quoted)
        if self.fault is MemoryFault.HANGS:
            self.entered.set()
            self._released.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


async def until(event: threading.Event, *, seconds: float = 30.0) -> bool:
    """Wait for a thread's event without holding up the loop; False when the time is over."""
    return await asyncio.to_thread(event.wait, seconds)
