"""Calling a memory for a host: sync or async, within a deadline, with failures as values.

Rule: only what memory raises becomes a value; cancellation and wrong configuration are raised
whatever ``on_error`` says. How it works: what to ask a memory is written once, as a generator that
yields calls and gets answers; the two drivers below are all that differs between ``invoke`` and
``ainvoke``.
"""

import asyncio
import inspect
import logging
import re
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, get_args

from atmem_core.aio import AsyncMemory
from atmem_core.errors import AtmemError, InvalidInput
from atmem_core.host.tracing import Span, Watch, watched
from atmem_core.memory import Memory

T = TypeVar("T")
OnError: TypeAlias = Literal["ignore", "raise"]
Steps: TypeAlias = Generator[Callable[[Any], Any], Any, T]
"""Yields calls on a memory, is sent their answers or thrown their errors, and returns a result."""

# One pool for all hosts, made of threads that stay: a memory keeps a connection for each thread.
# Only a synchronous call with a deadline needs it; whoever is late keeps its thread until it ends
# by itself.
_pool = ThreadPoolExecutor(max_workers=16, thread_name_prefix="atmem-host")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class DeadlineExceeded(AtmemError, TimeoutError):
    """Memory did not answer in time. A late write may still land; a retry doesn't double it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What went wrong, without any text: an error's message may quote a memory."""

    type: str
    """Name of the exception's class."""
    code: str
    """``deadline``, the error's own code or reason, or its class in snake case."""

    def to_dict(self) -> dict[str, str]:
        """Plain JSON types."""
        return {"type": self.type, "code": self.code}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[T]):
    """A value, or what went wrong."""

    value: T | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One memory, called the way one host wants it."""

    memory: Memory | AsyncMemory
    on_error: OnError = "ignore"
    deadline_ms: float | None = None
    logger: str = "atmem_core.host"
    """Who logs a failure."""

    def __post_init__(self) -> None:
        """Refuse what can't work when the graph is built, not at the first turn."""
        if self.on_error not in get_args(OnError):
            raise InvalidInput("on_error", f"must be 'ignore' or 'raise', got {self.on_error!r}")
        if self.deadline_ms is not None and not self.deadline_ms > 0:
            raise InvalidInput("deadline_ms", f"must be above 0 or None, got {self.deadline_ms!r}")

    @property
    def is_async(self) -> bool:
        """Whether the memory's methods are awaited."""
        return inspect.iscoroutinefunction(self.memory.recall)

    @property
    def embed_deadline_ms(self) -> float | None:
        """Half of the deadline: when the query's vector is late, keywords use the other half."""
        return None if self.deadline_ms is None else self.deadline_ms / 2

    def run(self, steps: Steps[T], *, watch: Watch | None = None) -> Outcome[T]:
        """Drive the steps in this thread, or in another when there is a deadline.

        Raises:
            InvalidInput: The memory is an AsyncMemory.
        """
        if self.is_async:
            raise InvalidInput(
                "memory",
                "is an AsyncMemory, which needs an event loop; call the graph with ainvoke or "
                "astream, or build it with a Memory",
            )
        with watched(watch) as span:
            try:
                return _seen(self._in_time(steps), watch, span)
            except Exception as error:  # noqa: BLE001 - an agent outlives whatever its memory raises
                return self._failed(error, span)

    async def arun(self, steps: Steps[T], *, watch: Watch | None = None) -> Outcome[T]:
        """Drive the steps without holding up the event loop: a Memory works in a thread."""
        with watched(watch) as span:
            try:
                return _seen(await self._in_time_async(steps), watch, span)
            except Exception as error:  # noqa: BLE001 - as above; CancelledError is no Exception
                return self._failed(error, span)

    def _in_time(self, steps: Steps[T]) -> T:
        if self.deadline_ms is None:
            return _drive(steps, self.memory)
        future = _pool.submit(copy_context().run, _drive, steps, self.memory)
        try:
            return future.result(timeout=self.deadline_ms / 1000)
        except TimeoutError as error:
            if future.done():
                raise  # the memory's own
            future.cancel()
            raise self._late() from error

    async def _in_time_async(self, steps: Steps[T]) -> T:
        seconds = None if self.deadline_ms is None else self.deadline_ms / 1000
        try:
            async with asyncio.timeout(seconds) as limit:
                if self.is_async:
                    return await _drive_async(steps, self.memory)
                return await asyncio.to_thread(_drive, steps, self.memory)
        except TimeoutError as error:
            if not limit.expired():
                raise  # the memory's own
            raise self._late() from error

    def _late(self) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"memory did not answer within {self.deadline_ms:g} ms; allow more with deadline_ms"
        )

    def _failed(self, error: Exception, span: Span) -> Outcome[T]:
        failure = described(error)
        span.set_attribute("atmem.error_type", failure.type)
        span.set_attribute("atmem.error_code", failure.code)
        if self.on_error == "raise":
            raise error
        log = logging.getLogger(self.logger)
        log.warning("memory failed, the run goes on without: %s (%s)", failure.type, failure.code)
        return Outcome(failure=failure)


def _seen(value: T, watch: Watch | None, span: Span) -> Outcome[T]:
    if watch is not None:
        for key, measured in watch.measure(value).items():
            span.set_attribute(key, measured)
    return Outcome(value=value)


def described(error: Exception) -> Failure:
    """Type and code of an error, without its message."""
    name = type(error).__name__
    if isinstance(error, DeadlineExceeded):
        return Failure(type=name, code="deadline")
    told = getattr(error, "code", None) or getattr(error, "reason", None)
    # Only atmem's own codes are known to hold no text; another library's `reason` may hold
    # anything.
    if isinstance(error, AtmemError) and isinstance(told, str):
        return Failure(type=name, code=told)
    return Failure(type=name, code=_HUMP.sub("_", name).lower())


def _drive(steps: Steps[T], memory: object) -> T:
    try:
        call = next(steps)
        while True:
            try:
                answer = call(memory)
            except Exception as error:  # noqa: BLE001 - the steps decide what an error means
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def _drive_async(steps: Steps[T], memory: object) -> T:
    try:
        call = next(steps)
        while True:
            try:
                answer = await call(memory)
            except Exception as error:  # noqa: BLE001 - the steps decide what an error means
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
