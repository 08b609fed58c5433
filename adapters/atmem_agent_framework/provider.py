"""The provider: one decision before a run, its text beside the new messages, the turn stored after it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from agent_framework import AgentSession, ContextProvider, Message, SessionContext

from atmem_core import AsyncMemory, Clock, Memory, Scope
from atmem_core.host import HostMemory, OnError, Outcome, Said, shortened

Part: TypeAlias = str | Callable[[AgentSession | None], str | None] | None
"""One part of a scope: fixed, or told by each run's session."""


class AtmemContextProvider(ContextProvider):
    """Recalls before a run and stores the turn after it, if asked to.

    The text is a message of the run alone: the framework keeps a provider's messages out of the history. The
    provider's own state, in the session, holds decision, ids and errors, and no text. List it after the
    history: ``[InMemoryHistoryProvider(), AtmemContextProvider(...)]``. Listed alone, the framework adds a
    history behind it, and the text comes before all earlier turns, which breaks a provider's prefix cache.

    Args:
        memory: A Memory, which works in a thread, or an AsyncMemory.
        subject: Whose memory: a text, or a function of the session.
        project: Project that is recalled from and stored to; as ``subject``.
        session: Session that turns are stored to, such as ``lambda session: session.session_id``.
        agent: Agent that is recalled from and stored to.
        allow_background: Release ``background_context`` too.
        budget_tokens: Size of the text at most.
        keep_candidates: How many candidates the state's decision lists beside those it releases.
        remember: Store what the user said when the run has succeeded.
        remember_assistant: Store the answer too; implies ``remember``.
        facts: Also write a stored turn to the session history, where facts are read out of it in the
            background; then ``session`` must name one. Implies ``remember``.
        on_error: ``"ignore"`` lets the run go on with the error in the state, ``"raise"`` ends it. In
            ``after_run`` that loses the answer.
        deadline_ms: Time for the recall, for the rendering and for the write, each.
        clock: What tells a note that has expired; the machine's when None.
        source_id: Key of the state in the session.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        subject: Part,
        project: Part = None,
        session: Part = None,
        agent: Part = None,
        allow_background: bool = False,
        budget_tokens: int = 400,
        keep_candidates: int = 5,
        remember: bool = False,
        remember_assistant: bool = False,
        facts: bool = False,
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        clock: Clock | None = None,
        source_id: str = "atmem",
    ) -> None:
        super().__init__(source_id)
        self._memory = HostMemory(
            memory,
            logger="atmem_agent_framework",
            on_error=on_error,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
            facts=facts,
            clock=clock,
        )
        self._parts = {"project": project, "session": session, "agent": agent}
        self._subject = subject
        self._keep_candidates = keep_candidates
        self._remembers = remember or remember_assistant or facts
        self._remembers_assistant = remember_assistant

    async def before_run(
        self, *, agent: object, session: AgentSession | None, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Decide, and add the released text. Raises InvalidInput when there is no subject."""
        # Reads span all sessions; the session says where a turn belongs.
        scope = replace(self._scope(session), session=None)
        recalled = await self._memory.arecall(_said(context.input_messages), scope)
        decision = None if recalled.value is None else recalled.value.decision
        ids = [] if recalled.value is None else [note.id for note in recalled.value.records]
        shown = await self._memory.arender(ids, scope)
        state["memory_decision"] = None if decision is None else shortened(decision, self._keep_candidates)
        state["memory_record_ids"] = ids
        state["memory_error"] = _failure(recalled) or _failure(shown)
        if shown.value:
            context.extend_messages(self, [Message(role="user", contents=[shown.value])])

    async def after_run(
        self, *, agent: object, session: AgentSession | None, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Store the turn, if that was asked for."""
        if not self._remembers:
            return
        turn = [Said(text=_said(context.input_messages))]
        if self._remembers_assistant and context.response is not None:
            turn.append(Said(text=context.response.text, speaker="assistant", source="assistant"))
        stored = await self._memory.aremember(turn, self._scope(session))
        state["memory_stored_ids"] = list(stored.value or ())
        state["memory_store_error"] = _failure(stored)

    def _scope(self, session: AgentSession | None) -> Scope:
        told = {name: _of(part, session) for name, part in self._parts.items()}
        return Scope(subject=str(_of(self._subject, session) or ""), **told)


def _of(part: Part, session: AgentSession | None) -> str | None:
    return part(session) if callable(part) else part


def _said(messages: list[Message]) -> str:
    """What the user said in a run's new messages."""
    return "\n".join(message.text for message in messages if str(message.role) == "user" and message.text)


def _failure(outcome: Outcome[Any]) -> dict[str, str] | None:
    return None if outcome.failure is None else outcome.failure.to_dict()
