"""The node that stores: the finished turn, as it was said, once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig

from atmem_core import AsyncMemory, InvalidInput, Memory, Scope
from atmem_core.host import Caller, OnError, Said, Steps, Watch, message_key, stored
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
        keep: Which texts are stored; None stores all. ``atmem_core.context.worth_keeping`` leaves out
            small talk, plain commands and mere questions.
        occurred_at: When the turn was said, aware; None leaves it to the time of storing.
        tags: Tags of every note.
        facts: Also hand the turn to ``memory.sessions.finish``, which reads facts out of it in the
            background; of ``session``, or of the run's thread. A message is handed over once.
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
        keep: Callable[[str], bool] | None = None,
        occurred_at: Callable[[HostRun], datetime | None] | None = None,
        tags: Iterable[str] = (),
        facts: bool = False,
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
        self._keep = keep
        self._occurred_at = occurred_at
        self._tags = tuple(tags)
        self._facts = facts

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
        told = self._circumstances(run, scope)
        steps = stored(turn, told, ids)
        if self._facts:
            steps = _with_facts(steps, turn, {**told, "session": _conversation(run, scope)})
        return steps, Watch(act="remember", scope=scope, measure=lambda _: {"atmem.stored": len(ids)})

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
        return {**scope.to_dict(), "tags": self._tags, "occurred_at": occurred_at}


def _said(run: HostRun, message: BaseMessage) -> Said:
    """Text, speaker and source. A message's name is its speaker: in a group, "user" is everybody."""
    role = "assistant" if isinstance(message, AIMessage) else "user"
    return Said(
        text=own_text(message),
        speaker=message.name or role,
        source=role,
        key=None if message.id is None else message_key(run.thread_id or "", message.id),
    )


def _with_facts(storing: Steps[None], turn: list[Said], told: Mapping[str, Any]) -> Steps[None]:
    """Facts are read out of what people said, each message with the answer that follows it."""
    yield from storing
    where = {key: value for key, value in told.items() if key != "tags"}
    for said, after in zip_longest(turn, turn[1:]):
        if said.source != "user":
            continue
        answer = after.text if after is not None and after.source == "assistant" else ""
        yield _finish(said, answer, where)


def _finish(said: Said, answer: str, where: Mapping[str, Any]) -> Callable[[Any], Any]:
    return lambda memory: memory.sessions.finish(
        said.text, answer, speaker=said.speaker, idempotency_key=said.key, **where
    )


def _conversation(run: HostRun, scope: Scope) -> str:
    told = scope.session or run.thread_id
    if told is None:
        raise InvalidInput("session", "facts=True needs one; give session=, or call with a thread_id")
    return told
