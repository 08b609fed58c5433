"""The conformance kit that the adapter of any host has to pass.

An adapter's test builds a host around it with a scripted model, a ``HostUnderTest``, and calls
``check_adapter``, or each of ``ADAPTER_CHECKS`` on its own. No host and no test runner is needed here.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from atmem_core.clock import Clock
from atmem_core.host import OnError
from atmem_core.memory import Memory
from atmem_core.testing.clocks import FakeClock

T = TypeVar("T")
TOLD = "The code of my gym locker is quillfeather."
"""What the memory holds when a check begins, as a note of ``SUBJECT``."""
TELLTALE = "quillfeather"
"""A word that reaches a model by way of memory alone."""
ASKED = "What is the code of my gym locker?"
ASKED_AGAIN = "Which code has my gym locker?"
UNASKED = "How tall is the tallest tower of Dubai?"
SUBJECT = "ada"
STRANGER = "eve"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterOptions:
    """How a check wants the adapter to be built."""

    clock: Clock
    on_error: OnError = "ignore"
    deadline_ms: float | None = None
    remember: bool = False
    """Store what the user said when a turn has finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTurn:
    """What one turn of a host did."""

    requests: tuple[str, ...]
    """All text of each request that reached the model, as it reached it."""
    kept: str
    """All that the host keeps after the turn, as text: history, session, checkpoints."""
    decision: Mapping[str, Any] | None
    """The decision as JSON; None when memory failed."""
    failure: Mapping[str, Any] | None
    """None, or ``type`` and ``code`` of what failed."""


class HostConversation(Protocol):
    """One conversation, whose history grows by each turn. The model answers "Noted."."""

    def say(self, text: str) -> HostTurn:
        """One turn, in the host's synchronous way."""

    async def asay(self, text: str) -> HostTurn:
        """One turn, awaited."""


class HostUnderTest(Protocol):
    """One adapter, inside its host with a scripted model."""

    has_sync: bool
    """Whether the host can be called synchronously."""
    in_process: bool
    """Whether an error of the memory's own can reach the host's caller. Over a wire a host raises one of
    its own, and its text names the memory's."""

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> HostConversation:  # noqa: ANN401 - Memory, AsyncMemory or a fake
        """A new conversation of a subject, which the host says and no model or message can.

        Raises:
            InvalidInput: Here or at the first turn, for a subject that is blank.
        """


def expect(kept: bool, otherwise: str) -> None:  # noqa: FBT001 - a condition is what it takes
    """Raise an AssertionError that names the promise, unless it is kept."""
    if not kept:
        raise AssertionError(otherwise)


class Room:
    """A memory that holds ``TOLD``, and every way that the host can be called."""

    def __init__(self, host: HostUnderTest) -> None:
        self.host = host
        self.clock = FakeClock()
        self.memory = Memory.open(":memory:", embedder=None, clock=self.clock)
        self.memory.remember(TOLD, subject=SUBJECT)

    def options(self, **changes: Any) -> AdapterOptions:  # noqa: ANN401 - fields of AdapterOptions
        """Options with this room's clock."""
        return AdapterOptions(clock=self.clock, **changes)

    def ways(self) -> tuple[str, ...]:
        """Names of the ways to call the host."""
        return ("sync", "async") if self.host.has_sync else ("async",)

    def turns(
        self,
        way: str,
        *texts: str,
        memory: object = None,
        subject: str = SUBJECT,
        options: AdapterOptions | None = None,
    ) -> list[HostTurn]:
        """One conversation, turn by turn."""
        behind = self.memory if memory is None else memory
        conversation = self.host.conversation(behind, options or self.options(), subject=subject)
        if way == "sync":
            return [conversation.say(text) for text in texts]

        async def talk() -> list[HostTurn]:
            return [await conversation.asay(text) for text in texts]

        return asyncio.run(talk())

    def close(self) -> None:
        """Forget all."""
        self.memory.close()


Check = Callable[[Room], None]


def in_a_room(check: Check) -> Callable[[HostUnderTest], None]:
    """The check as a function of the host, with a room of its own."""

    def run(host: HostUnderTest) -> None:
        room = Room(host)
        try:
            check(room)
        finally:
            room.close()

    run.__name__ = check.__name__
    run.__doc__ = check.__doc__
    return run


def raised(call: Callable[[], object], *, by: str) -> BaseException:
    """What a call raises, or the error inside a host's own; an AssertionError when it raises nothing."""
    try:
        call()
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the host makes of it
        return error
    raise AssertionError(f"{by} should have raised")


def is_or_wraps(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether the error is of that kind, or a host's own error was raised from one that is."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
