"""The node that stores: the finished turn, as it was said, once."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig

from atmem_core import AsyncMemory, Memory, Scope, WriteRefused
from atmem_langgraph.calls import Caller, OnError, Steps
from atmem_langgraph.host import HostRun, Part, ScopeSource, current_run
from atmem_langgraph.turn import finished_turn, messages_of, own_text

_KEY_DIGITS = 40


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
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        name: str = "remember",
    ) -> None:
        self.name = name
        self._caller = Caller(memory=memory, on_error=on_error, deadline_ms=deadline_ms)
        self._source = ScopeSource(subject=subject, project=project, session=session, agent=agent)
        self._assistant = remember_assistant
        self._turn_from = turn_from
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
        stored: list[str] = []
        outcome = self._caller.run(self._steps(input, config, stored))
        return {"memory_stored_ids": list(stored), "memory_store_error": outcome.failure}

    async def ainvoke(
        self,
        input: object,
        config: RunnableConfig | None = None,
        **_kwargs: object,
    ) -> dict[str, Any]:
        """As ``invoke``, without blocking the event loop."""
        stored: list[str] = []
        outcome = await self._caller.arun(self._steps(input, config, stored))
        return {"memory_stored_ids": list(stored), "memory_store_error": outcome.failure}

    def _steps(self, state: object, config: RunnableConfig | None, stored: list[str]) -> Steps[None]:
        run = current_run(config)
        told = self._circumstances(run, self._source.scope(run))
        messages = self._turn(state)
        return _store_all(
            [(own_text(message), told | _said_by(message), _key(run, message)) for message in messages],
            stored,
        )

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


def _said_by(message: BaseMessage) -> dict[str, str]:
    """Speaker and source. A message's name is its speaker: in a group, "user" is everybody."""
    role = "assistant" if isinstance(message, AIMessage) else "user"
    return {"speaker": message.name or role, "source": role}


def _key(run: HostRun, message: BaseMessage) -> str | None:
    """The same for every run of one message; None for a message without an id."""
    if message.id is None:
        return None
    return _digest(run.thread_id or "", message.id)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:_KEY_DIGITS]


def _store_all(turn: list[tuple[str, dict[str, Any], str | None]], stored: list[str]) -> Steps[None]:
    """Store each message; one that is refused doesn't keep the others out."""
    refused: WriteRefused | None = None
    for text, told, key in turn:
        try:
            stored.append((yield from _store(text, told, key)))
        except WriteRefused as error:
            refused = error
    if refused is not None:
        raise refused


def _store(text: str, told: dict[str, Any], key: str | None) -> Steps[str]:
    try:
        remembered = yield lambda memory: memory.remember(text, idempotency_key=key, **told)
    except WriteRefused as error:
        if key is None or error.code != "idempotency_conflict":
            raise
        # The message was edited under its old id: what it says now is a statement of its own.
        edited = _digest(key, text)
        remembered = yield lambda memory: memory.remember(text, idempotency_key=edited, **told)
    note_id: str = remembered.id
    return note_id
