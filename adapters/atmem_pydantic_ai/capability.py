"""The capability: decided once before a run's steps, rendered at each model call, stored at the end."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from pydantic_ai import RunContext
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestContext

from atmem_core import AsyncMemory, Clock, InvalidInput, Memory, Scope
from atmem_core.host import Failure, HostMemory, HostOptions, OnError, Said, message_key
from atmem_pydantic_ai.marker import before_prompt, expanded, marked_ids, marker, prompt_text, released_ids
from atmem_pydantic_ai.toolset import MemoryToolset
from atmem_pydantic_ai.whose import Part, Whose, sources

Place: TypeAlias = Literal["turn", "request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvent:
    """What memory did in a run, for the host's own eyes; no text."""

    act: Literal["recall", "remember"]
    decision: dict[str, Any] | None = None
    """Of a recall, as its schema says; None when memory failed."""
    record_ids: tuple[str, ...] = ()
    """What was released, best first; or the notes that hold the turn."""
    failure: Failure | None = None


class MemoryCapability(AbstractCapability[Any]):
    """Recalls once before a run's steps and shows it to the model; stores the turn if asked to.

    Args:
        memory: A Memory, which works in a thread, or an AsyncMemory.
        subject: Whose memory: a text, or a function of the run's context. None asks the run's deps
            for ``subject`` or ``user_id``; deps that have neither are an error.
        project: Project that is recalled from and stored to; as ``subject``.
        session: Session that turns are stored to, such as ``lambda ctx: ctx.conversation_id``.
        agent: Agent that is recalled from and stored to.
        within_session: Recall from that session only, instead of from all.
        allow_background: Release ``background_context`` too.
        budget_tokens: Size of a turn's text at most.
        place: ``"turn"``: the history keeps a marker with record ids after the user's prompt, each
            request shows the markers' records anew; a provider's prefix cache holds over turns.
            ``"request"``: before the user's prompt in the requests of this run; the history keeps
            nothing at all, and later runs don't show it.
        tools: Also give the model the tools of ``MemoryToolset``.
        remember: Store the user's prompt when the run has succeeded.
        remember_assistant: Store the answer too, when it is a text; implies ``remember``.
        facts: Also write a stored turn to the session history, where facts are read out of it in the
            background; then ``session`` must name one. Implies ``remember``.
        observe: Called with each ``MemoryEvent``.
        on_error: ``"ignore"`` lets the run go on; the event has the failure. ``"raise"`` ends it.
        deadline_ms: Time for each recall, rendering and storing.
        clock: What tells a note that has expired; the machine's when None.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        subject: Part = None,
        project: Part = None,
        session: Part = None,
        agent: Part = None,
        within_session: bool = False,
        allow_background: bool = False,
        budget_tokens: int = 400,
        place: Place = "turn",
        tools: bool = False,
        remember: bool = False,
        remember_assistant: bool = False,
        facts: bool = False,
        observe: Callable[[MemoryEvent], None] | None = None,
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        if place not in get_args(Place):
            raise InvalidInput("place", f"must be 'turn' or 'request', got {place!r}")
        parts = Whose(subject=subject, project=project, session=session, agent=agent)
        self._reads, self._writes = sources(parts, within_session=within_session)
        calls = HostOptions(
            on_error=on_error,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
            clock=clock,
        )
        self._memory = HostMemory(memory, **calls, facts=facts, logger="atmem_pydantic_ai")
        toolset = MemoryToolset(memory, **parts, within_session=within_session, **calls)
        self._toolset = toolset if tools else None
        self._place = place
        self._remembers = remember or remember_assistant or facts
        self._remembers_assistant = remember_assistant
        self._observe = observe or (lambda _: None)
        self._begin()

    def _begin(self) -> None:
        """What belongs to one run."""
        self._asked: str | None = None
        self._ids: tuple[str, ...] = ()

    async def for_run(self, ctx: RunContext[Any]) -> "MemoryCapability":
        """A copy with a state of its own: one capability serves runs beside each other."""
        mine = copy.copy(self)
        mine._begin()  # noqa: SLF001 - a copy of itself
        return mine

    def get_toolset(self) -> MemoryToolset | None:
        """The tools, if they were asked for."""
        return self._toolset

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Decide, at the run's first request. Raises InvalidInput when the run names no subject."""
        if self._asked is None:
            self._asked = prompt_text(request_context.messages[-1]) if request_context.messages else ""
            scope = self._reads.scope(ctx)
            if self._asked:
                await self._recall(ctx, scope, request_context.messages)
        return request_context

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Show the model what is still to be shown; each call asks again."""
        scope = self._reads.scope(ctx)
        messages = request_context.messages
        marked = [marked_ids(part) for message in messages for part in message.parts]
        texts = [(await self._memory.arender(ids, scope)).value or "" for ids in marked if ids is not None]
        shown = expanded(messages, texts)
        if self._place == "request" and self._ids:
            shown = before_prompt(shown, (await self._memory.arender(self._ids, scope)).value or "")
        request_context.messages = shown
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Store the turn, if that was asked for and something was said."""
        if self._remembers and self._asked:
            outcome = await self._memory.aremember(self._turn(ctx, result.output), self._writes.scope(ctx))
            self._observe(
                MemoryEvent(act="remember", record_ids=outcome.value or (), failure=outcome.failure)
            )
        return result

    async def _recall(self, ctx: RunContext[Any], scope: Scope, messages: list[ModelMessage]) -> None:
        outcome = await self._memory.arecall(self._asked or "", scope)
        if outcome.value is None:
            self._observe(MemoryEvent(act="recall", failure=outcome.failure))
            return
        decision = outcome.value.decision.to_dict()
        self._ids = tuple(note.id for note in outcome.value.records)
        self._observe(MemoryEvent(act="recall", decision=decision, record_ids=self._ids))
        # What an earlier turn was given stands in its place still.
        known = set(released_ids(messages))
        new = [one for one in self._ids if one not in known]
        if self._place == "turn" and new:
            ctx.enqueue(marker(new, decision))

    def _turn(self, ctx: RunContext[Any], output: object) -> list[Said]:
        run = ctx.run_id or ""
        turn = [Said(text=self._asked or "", key=message_key(run, "user"))]
        if self._remembers_assistant and isinstance(output, str):
            key = message_key(run, "assistant")
            turn.append(Said(text=output, speaker="assistant", source="assistant", key=key))
        return turn
