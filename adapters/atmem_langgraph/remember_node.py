"""The node that stores: the finished turn, as it was said, once."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig

from atmem_core import AsyncMemory, Memory, Scope
from atmem_core.host import (
    Caller,
    OnError,
    Said,
    Steps,
    Watch,
    finished,
    message_key,
    session_of_turn,
    stored,
)
from atmem_langgraph.host import HostRun, Part, ScopeSource, current_run
from atmem_langgraph.state import written
from atmem_langgraph.turn import finished_turn, messages_of, own_text


class RememberNode(Runnable[object, dict[str, Any]]):
    """Stores the turn verbatim; one object for ``invoke`` and ``ainvoke``.

    Every run writes ``memory_stored_ids`` and ``memory_store_error``. A message is stored once,
    however often its node runs again: the key is made of thread and message id. Blocks of recalled
    memory are taken out before; tool messages and messages without text are passed over.

    Args:
        memory: As for ``RecallNode``.
        subject: As for ``RecallNode``.
        project: The project that the notes belong to; a text, or a function of the run.
        session: The session that they belong to, such as ``lambda run: run.thread_id``.
        agent: The agent that they belong to.
        remember_assistant: Also store the model's answer, as speaker and source ``assistant``.
        turn_from: From the state to the messages to store, of user and model; None is the last
            user message, and the answer to it with ``remember_assistant``.
        facts: Also write the turn to the session history (``memory.sessions``), where facts are read out of
            it in the background. The session is ``session``, or else the run's thread.
        keep: Which texts are stored; None stores all. ``atmem_core.context.worth_keeping`` leaves out
            small talk, plain commands and mere questions.
        occurred_at: When the turn was said, aware; None leaves it to the time of storing.
        tags: Tags of every note.
        on_error: ``"ignore"`` lets the run go on with ``memory_store_error`` set, ``"raise"``
            ends it.
        deadline_ms: Time for the write. A late one may still land; a retry doesn't double it.
        name: Name of the node.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        subject: Part = None,
        project: Part = None,
        session: Part = None,
        agent: Part = None,
        remember_assistant: bool = False,
        turn_from: Callable[[Any], Sequence[BaseMessage]] | None = None,
        facts: bool = False,
        keep: Callable[[str], bool] | None = None,
        occurred_at: Callable[[HostRun], datetime | None] | None = None,
        tags: Iterable[str] = (),
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        name: str = "remember",
    ) -> None:
        self.name = name
        self._caller = Caller(
            memory=memory, on_error=on_error, deadline_ms=deadline_ms, logger="atmem_langgraph"
        )
        self._source = ScopeSource(subject=subject, project=project, session=session, agent=agent)
        self._assistant = remember_assistant
        self._turn_from = turn_from
        self._facts = facts
        self._keep = keep
        self._occurred_at = occurred_at
        self._tags = tuple(tags)

    def invoke(
        self,
        input: object,
        config: RunnableConfig | None = None,
        **_kwargs: object,
    ) -> dict[str, Any]:
        """The state's update. Raises InvalidInput when the run names no subject."""
        ids: list[str] = []
        steps, watch = self._act(input, config, ids)
        outcome = self._caller.run(steps, watch=watch)
        return {"memory_stored_ids": list(ids), "memory_store_error": written(outcome.failure)}

    async def ainvoke(
        self,
        input: object,
        config: RunnableConfig | None = None,
        **_kwargs: object,
    ) -> dict[str, Any]:
        """As ``invoke``, without blocking the event loop."""
        ids: list[str] = []
        steps, watch = self._act(input, config, ids)
        outcome = await self._caller.arun(steps, watch=watch)
        return {"memory_stored_ids": list(ids), "memory_store_error": written(outcome.failure)}

    def _act(self, state: object, config: RunnableConfig | None, ids: list[str]) -> tuple[Steps[None], Watch]:
        run = current_run(config)
        scope = self._source.scope(run)
        turn = [_said(run, message) for message in self._turn(state)]
        steps = self._store(turn, run, scope, ids)
        return steps, Watch(act="remember", scope=scope, measure=lambda _: {"atmem.stored": len(ids)})

    def _store(self, turn: Sequence[Said], run: HostRun, scope: Scope, ids: list[str]) -> Steps[None]:
        told = self._circumstances(run, scope)
        session = session_of_turn(scope.session or run.thread_id) if self._facts else None
        return _stored(turn, told, tags=self._tags, session=session, ids=ids)

    def _turn(self, state: object) -> list[BaseMessage]:
        if self._turn_from is None:
            chosen = finished_turn(messages_of(state), assistant=self._assistant)
        else:
            chosen = list(self._turn_from(state))
        return [
            message
            for message in chosen
            if isinstance(message, HumanMessage | AIMessage) and self._kept(own_text(message))
        ]

    def _kept(self, text: str) -> bool:
        return bool(text) and (self._keep is None or self._keep(text))

    def _circumstances(self, run: HostRun, scope: Scope) -> dict[str, Any]:
        occurred_at = None if self._occurred_at is None else self._occurred_at(run)
        return {**scope.to_dict(), "occurred_at": occurred_at}


def _stored(
    turn: Sequence[Said],
    told: dict[str, Any],
    *,
    tags: tuple[str, ...],
    session: str | None,
    ids: list[str],
) -> Steps[None]:
    yield from stored(turn, {**told, "tags": tags}, ids)
    if session is not None:
        yield from finished(turn, {**told, "session": session})


def _said(run: HostRun, message: BaseMessage) -> Said:
    """Text, speaker and source. A message's name is its speaker: in a group, "user" is everybody."""
    role = "assistant" if isinstance(message, AIMessage) else "user"
    return Said(
        text=own_text(message),
        speaker=message.name or role,
        source=role,
        key=None if message.id is None else message_key(run.thread_id or "", message.id),
    )
