"""One memory as one host uses it, and the port that a host calls.

Rule: an act gives an ``Outcome``, a value or a failure. A failure is never a decision that nothing is
useful, and what the host configured wrongly is raised whatever ``on_error`` says.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypedDict, Unpack

from atmem_core.aio import AsyncMemory
from atmem_core.clock import Clock, SystemClock
from atmem_core.errors import InvalidInput
from atmem_core.host.calls import Caller, OnError, Outcome, Steps
from atmem_core.host.functions import FunctionResult, called, memory_functions
from atmem_core.host.tracing import Watch, decision_seen
from atmem_core.host.turns import Said, asked, finished, rendered, session_of_turn, stored
from atmem_core.memory import Memory
from atmem_core.records import Recall, Scope


class HostPort(Protocol):
    """What a host calls around a turn; ``HostMemory`` is one. Each act has an awaited twin."""

    def recall(self, query: str, scope: Scope) -> Outcome[Recall]:
        """Before the turn's steps, once: what may be injected."""

    async def arecall(self, query: str, scope: Scope) -> Outcome[Recall]:
        """As ``recall``."""

    def render(self, ids: Sequence[str], scope: Scope) -> Outcome[str]:
        """At each model call: the fenced text of what may still be shown; empty for none."""

    async def arender(self, ids: Sequence[str], scope: Scope) -> Outcome[str]:
        """As ``render``."""

    def remember(self, turn: Sequence[Said], scope: Scope) -> Outcome[tuple[str, ...]]:
        """When the turn is over: ids of the notes that hold it."""

    async def aremember(self, turn: Sequence[Said], scope: Scope) -> Outcome[tuple[str, ...]]:
        """As ``remember``."""


class HostOptions(TypedDict, total=False):
    """How a host wants its memory; everything may be left out."""

    on_error: OnError
    """``"ignore"``, the default: the turn goes on and the outcome holds a failure. Or ``"raise"``."""
    deadline_ms: float | None
    """Time for each act. Half of a recall's is for the query's vector, then keywords answer."""
    allow_background: bool
    """Release ``background_context`` too."""
    budget_tokens: int
    """Size of the rendered text at most, 400 by default."""
    clock: Clock | None
    """What tells a note that has expired; the machine's by default."""


class HostMemory:
    """A ``HostPort`` over a Memory or an AsyncMemory.

    A Memory works in both ways of calling, in a thread when it is awaited; an AsyncMemory only awaited.

    Args:
        memory: What is asked.
        logger: Name of the logger that is told of failures, as type and code.
        facts: Also write each finished turn to the session history, where facts are read out of it in the
            background; then a turn needs a session.
        **options: How the host wants it.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        logger: str = "atmem_core.host",
        facts: bool = False,
        **options: Unpack[HostOptions],
    ) -> None:
        self._caller = Caller(
            memory=memory,
            on_error=options.get("on_error", "ignore"),
            deadline_ms=options.get("deadline_ms"),
            logger=logger,
        )
        self._allow_background = options.get("allow_background", False)
        self._budget_tokens = options.get("budget_tokens", 400)
        self._facts = facts
        self._clock = options.get("clock") or SystemClock()

    def recall(self, query: str, scope: Scope) -> Outcome[Recall]:
        """Decide what may be injected for a user's message; the records are those that fit the budget."""
        return self._caller.run(self._judge(query, scope), watch=_recalls(scope))

    async def arecall(self, query: str, scope: Scope) -> Outcome[Recall]:
        """As ``recall``."""
        return await self._caller.arun(self._judge(query, scope), watch=_recalls(scope))

    def render(self, ids: Sequence[str], scope: Scope) -> Outcome[str]:
        """The text of records that were released, without those that don't stand any more."""
        return self._caller.run(self._show(ids, scope)) if ids else Outcome(value="")

    async def arender(self, ids: Sequence[str], scope: Scope) -> Outcome[str]:
        """As ``render``."""
        return await self._caller.arun(self._show(ids, scope)) if ids else Outcome(value="")

    def remember(self, turn: Sequence[Said], scope: Scope) -> Outcome[tuple[str, ...]]:
        """Store a finished turn, each message once."""
        return self._caller.run(self._keep(turn, scope), watch=_remembers(scope))

    async def aremember(self, turn: Sequence[Said], scope: Scope) -> Outcome[tuple[str, ...]]:
        """As ``remember``."""
        return await self._caller.arun(self._keep(turn, scope), watch=_remembers(scope))

    def function(self, name: str, arguments: Mapping[str, Any], scope: Scope) -> Outcome[FunctionResult]:
        """Run one of ``memory_functions`` for a model. Raises InvalidInput for an unknown name."""
        return self._caller.run(self._run(name, arguments, scope))

    async def afunction(
        self, name: str, arguments: Mapping[str, Any], scope: Scope
    ) -> Outcome[FunctionResult]:
        """As ``function``."""
        return await self._caller.arun(self._run(name, arguments, scope))

    def _run(self, name: str, arguments: Mapping[str, Any], scope: Scope) -> Steps[FunctionResult]:
        found = next((one for one in memory_functions() if one.name == name), None)
        if found is None:
            raise InvalidInput("name", f"{name!r} is none of the functions of memory")
        return called(found, arguments, scope, budget_tokens=self._budget_tokens)

    async def acall(self, call: Callable[[Any], Any]) -> Outcome[Any]:
        """Any other call on the memory, under the same rules."""
        return await self._caller.arun(_once(call))

    def _judge(self, query: str, scope: Scope) -> Steps[Recall]:
        options: dict[str, Any] = {
            **scope.to_dict(),
            "deadline_ms": self._caller.embed_deadline_ms,
            "allow_background": self._allow_background,
            "budget_tokens": self._budget_tokens,
        }
        return _once(lambda memory: memory.recall(asked(query), **options))

    def _show(self, ids: Sequence[str], scope: Scope) -> Steps[str]:
        return rendered(ids, scope, budget_tokens=self._budget_tokens, now=self._clock.now())

    def _keep(self, turn: Sequence[Said], scope: Scope) -> Steps[tuple[str, ...]]:
        if self._facts:
            session_of_turn(scope.session)
        return _kept(turn, scope, facts=self._facts)


def _once(call: Callable[[Any], Any]) -> Steps[Any]:
    return (yield call)


def _kept(turn: Sequence[Said], scope: Scope, *, facts: bool) -> Steps[tuple[str, ...]]:
    ids: list[str] = []
    yield from stored(turn, scope.to_dict(), ids)
    if facts:
        yield from finished(turn, scope.to_dict())
    return tuple(ids)


def _recalls(scope: Scope) -> Watch:
    return Watch(act="recall", scope=scope, measure=lambda recall: decision_seen(recall.decision))


def _remembers(scope: Scope) -> Watch:
    return Watch(act="remember", scope=scope, measure=lambda ids: {"atmem.stored": len(ids)})
