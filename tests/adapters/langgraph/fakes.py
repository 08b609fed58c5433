"""Memories and a chat model whose every answer a test can foresee."""

import asyncio
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from atmem_core import (
    ContextBlock,
    Decision,
    InvalidInput,
    Note,
    NotFound,
    Recall,
    Remembered,
    Scope,
    Source,
    SupportClass,
    WriteRefused,
)
from atmem_core.context import render_notes

Answer = TypeVar("Answer")
Anything: TypeAlias = Any
"""What a test passes on, or puts where a signature wants a Memory."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOLD = "Brutus is my Bernese mountain dog."
ASKED = "What breed is Brutus?"
UNASKED = "What did the stock market do?"
TELLTALE = "Bernese"
"""A word of what was told, that must not turn up elsewhere."""


class FixedClock:
    """Always noon."""

    def now(self) -> datetime:
        return NOON

    def new_id(self, prefix: str) -> str:
        return f"{prefix}fixed"


class WordMemory:
    """A memory that releases a note when the question shares a capitalised name with it."""

    def __init__(self) -> None:
        self.stored: dict[str, Note] = {}
        self.keys: dict[tuple[str, str], str] = {}
        self.asked: list[dict[str, Any]] = []
        self.threads: set[int] = set()

    def tell(self, text: str, *, subject: str = "ada", **changes: Anything) -> str:
        """Put a note there, as a test wants it."""
        note = Note(
            id=f"n{len(self.stored) + 1}",
            scope=Scope(subject=subject),
            text=text,
            speaker="user",
            source=Source.USER,
            trust=0.9,
            content_hash=text,
            created_at=NOON,
        )
        self.stored[note.id] = replace(note, **changes)
        return note.id

    def change(self, note_id: str, **changes: Anything) -> None:
        """What happens to a note between the decision and the model call."""
        self.stored[note_id] = replace(self.stored[note_id], **changes)

    def recall(
        self, query: str, *, subject: str, allow_background: bool = False, **asked: Anything
    ) -> Recall:
        self._called(query=query, subject=subject, allow_background=allow_background, **asked)
        if not query.strip():
            raise InvalidInput("query", "is empty; ask something")
        names = set(re.findall(r"[A-Z][a-z]{4,}", query))
        found = tuple(
            note
            for note in self.stored.values()
            if note.scope.subject == subject and names & set(re.findall(r"\w+", note.text))
        )
        best = SupportClass.DIRECT_SUPPORT if found else SupportClass.NO_USEFUL_MEMORY
        return Recall(decision=decision(best, subject, [note.id for note in found]), records=found)

    def context(self, query: str, *, subject: str, **asked: Anything) -> ContextBlock:
        recall = self.recall(query, subject=subject, **asked)
        rendered = render_notes(recall.records)
        return ContextBlock(text=rendered.text, decision=recall.decision, record_ids=rendered.record_ids)

    def get(self, note_id: str, *, subject: str) -> Note:
        self._called(note_id=note_id, subject=subject)
        note = self.stored.get(note_id)
        if note is None or note.scope.subject != subject:
            raise NotFound(f"no note {note_id}")
        return note

    def remember(
        self, text: str, *, subject: str, idempotency_key: str | None = None, **told: Anything
    ) -> Remembered:
        self._called(text=text, subject=subject, idempotency_key=idempotency_key, **told)
        held = self.keys.get((subject, idempotency_key or ""))
        if held is not None:
            if self.stored[held].text != text:
                raise WriteRefused("idempotency_conflict", "the key was used for other content")
            return Remembered(id=held, record=self.stored[held], created=False)
        scope = Scope(subject=subject, project=told["project"], session=told["session"], agent=told["agent"])
        note_id = self.tell(
            text,
            scope=scope,
            speaker=told["speaker"],
            source=Source(told["source"]),
            tags=told["tags"],
            occurred_at=told["occurred_at"],
        )
        if idempotency_key is not None:
            self.keys[subject, idempotency_key] = note_id
        return Remembered(id=note_id, record=self.stored[note_id], created=True)

    def texts(self, subject: str = "ada") -> list[str]:
        return [note.text for note in self.stored.values() if note.scope.subject == subject]

    def _called(self, **asked: Anything) -> None:
        self.threads.add(threading.get_ident())
        self.asked.append(asked)


class DownMemory(WordMemory):
    """Fails whenever it is asked, with a message that quotes a memory."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def _called(self, **asked: Anything) -> None:
        super()._called(**asked)
        raise self.error


class StuckMemory(WordMemory):
    """Answers no sooner than the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.released = threading.Event()

    def _called(self, **asked: Anything) -> None:
        super()._called(**asked)
        self.begun.set()
        assert self.released.wait(timeout=30), "the test forgot to release its memory"


class Awaited:
    """Any of the memories above with awaited methods, as AsyncMemory has them."""

    def __init__(self, memory: WordMemory, *, gate: Anything = None) -> None:
        self.memory = memory
        self.gate = gate
        """Awaited before each answer; an ``asyncio.Event`` keeps a call hanging."""
        self.begun = asyncio.Event()

    async def recall(self, query: str, **asked: Anything) -> Recall:
        return await self._answer(self.memory.recall, query, **asked)

    async def context(self, query: str, **asked: Anything) -> ContextBlock:
        return await self._answer(self.memory.context, query, **asked)

    async def get(self, note_id: str, **asked: Anything) -> Note:
        return await self._answer(self.memory.get, note_id, **asked)

    async def remember(self, text: str, **told: Anything) -> Remembered:
        return await self._answer(self.memory.remember, text, **told)

    async def _answer(self, method: Callable[..., Answer], *args: Anything, **asked: Anything) -> Answer:
        self.begun.set()
        if self.gate is not None:
            await self.gate.wait()
        return method(*args, **asked)


def decision(best: SupportClass, subject: str, ids: list[str]) -> Decision:
    """A decision of that class that releases those ids."""
    return Decision(
        decision_id="d1",
        decided_at=NOON,
        query_sha256="0" * 64,
        scope=Scope(subject=subject),
        support_class=best,
        ranked_record_ids=tuple(ids),
        candidates=(),
        reason_codes=(),
        policy_version="1",
        calibration_version="1",
        thresholds={},
    )


class RecordingModel(BaseChatModel):
    """Says what the script says and keeps each request."""

    script: list[AIMessage] = Field(default_factory=list)
    requests: list[list[tuple[str, str]]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "recording"

    def bind_tools(self, tools: Sequence[Any], **_options: Anything) -> "RecordingModel":
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: object = None,
        run_manager: object = None,
        **_: Anything,
    ) -> ChatResult:
        self.requests.append([(message.type, str(message.text)) for message in messages])
        reply = self.script.pop(0) if self.script else AIMessage("Noted.")
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def request(self, number: int = -1) -> str:
        """All text of one request."""
        return "\n".join(text for _, text in self.requests[number])
