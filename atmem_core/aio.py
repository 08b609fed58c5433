"""AsyncMemory: the same methods over one worker hop a call.

The event loop never touches the file: opening, too, happens in the worker, at the first call.
"""

import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from atmem_core.advice import AsyncLessons, AsyncProcedures
from atmem_core.chat import ChatModel
from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.context.capture import worth_keeping
from atmem_core.context.provider import Rewriter, channels_of
from atmem_core.context.waiting import AsyncContextProvider
from atmem_core.doctor import AsyncFileVerbs
from atmem_core.embedding import Embedder
from atmem_core.errors import StoreError
from atmem_core.events import EventStream
from atmem_core.facts import AsyncFacts
from atmem_core.links import AsyncLinks
from atmem_core.memory import Memory
from atmem_core.memory.quarantine import AsyncQuarantine
from atmem_core.profile import AsyncProfile
from atmem_core.records import (
    ContextBlock,
    Decision,
    DoctorReport,
    EraseReceipt,
    Forgotten,
    Hit,
    Note,
    Recall,
    Remembered,
)
from atmem_core.semantic import AsyncSemantic
from atmem_core.sessions import AsyncSessions
from atmem_core.transfer.verbs import AsyncTransferVerbs

_P = ParamSpec("_P")
_R = TypeVar("_R")
_WORKERS = 4


class AsyncMemory(AsyncTransferVerbs, AsyncFileVerbs):
    """``Memory`` for an event loop. Arguments, results and errors are those of ``Memory``."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._memory: Memory | None = None
        self._closed = False
        self._opening = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="atmem")
        # What the opened memory emits comes here too; whether it holds content was settled there.
        self.events = EventStream(content=True)
        self.facts = AsyncFacts(self._hop, lambda: self._opened().facts)
        self.quarantine = AsyncQuarantine(self._hop, lambda: self._opened().quarantine)
        self.semantic = AsyncSemantic(self._hop, lambda: self._opened().semantic)
        self.sessions = AsyncSessions(self._hop, lambda: self._opened().sessions)
        self.links = AsyncLinks(self._hop, lambda: self._opened().links)
        self.profile = AsyncProfile(self._hop, lambda: self._opened().profile)
        self.lessons = AsyncLessons(self._hop, lambda: self._opened().lessons)
        self.procedures = AsyncProcedures(self._hop, lambda: self._opened().procedures)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | str | None = "auto",
        config: Config | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """As ``Memory.open``; not awaited. The file is opened by the first call, which may raise."""
        return cls(partial(Memory.open, path, embedder=embedder, config=config, clock=clock))

    async def remember(
        self,
        text: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        speaker: str = "user",
        source: str = "user",
        trust: float | None = None,
        tags: Iterable[str] = (),
        kind: str = "note",
        occurred_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        idempotency_key: str | None = None,
        supersedes: str | None = None,
    ) -> Remembered:
        """As ``Memory.remember``."""
        return await self._run(
            Memory.remember,
            text,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            speaker=speaker,
            source=source,
            trust=trust,
            tags=tags,
            kind=kind,
            occurred_at=occurred_at,
            valid_from=valid_from,
            valid_to=valid_to,
            idempotency_key=idempotency_key,
            supersedes=supersedes,
        )

    async def supersede(self, note_id: str, text: str, *, subject: str) -> Remembered:
        """As ``Memory.supersede``."""
        return await self._run(Memory.supersede, note_id, text, subject=subject)

    async def forget(
        self,
        note_id: str | None = None,
        *,
        subject: str,
        session: str | None = None,
        project: str | None = None,
        older_than: datetime | None = None,
        everything: bool = False,
    ) -> Forgotten:
        """As ``Memory.forget``."""
        return await self._run(
            Memory.forget,
            note_id,
            subject=subject,
            session=session,
            project=project,
            older_than=older_than,
            everything=everything,
        )

    async def erase(
        self,
        note_id: str | None = None,
        *,
        subject: str,
        session: str | None = None,
        project: str | None = None,
        older_than: datetime | None = None,
        everything: bool = False,
    ) -> EraseReceipt:
        """As ``Memory.erase``."""
        return await self._run(
            Memory.erase,
            subject=subject,
            note_id=note_id,
            session=session,
            project=project,
            older_than=older_than,
            everything=everything,
        )

    async def decide(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
    ) -> Decision:
        """As ``Memory.decide``."""
        return await self._run(
            Memory.decide,
            query,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tags,
            kinds=kinds,
            as_of=as_of,
            deadline_ms=deadline_ms,
        )

    async def recall(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        allow_background: bool = False,
        budget_tokens: int | None = None,
    ) -> Recall:
        """As ``Memory.recall``."""
        return await self._run(
            Memory.recall,
            query,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tags,
            kinds=kinds,
            as_of=as_of,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
        )

    async def context(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        allow_background: bool = False,
        budget_tokens: int | None = None,
        channels: Iterable[str] | None = None,
    ) -> ContextBlock:
        """As ``Memory.context``."""
        return await self._run(
            Memory.context,
            query,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tags,
            kinds=kinds,
            as_of=as_of,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
            channels=channels,
        )

    async def search(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        k: int = 10,
        mode: str = "hybrid",
    ) -> list[Hit]:
        """As ``Memory.search``."""
        return await self._run(
            Memory.search,
            query,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tags,
            kinds=kinds,
            as_of=as_of,
            deadline_ms=deadline_ms,
            k=k,
            mode=mode,
        )

    async def notes(
        self,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        limit: int = 50,
        offset: int = 0,
        all_states: bool = False,
    ) -> list[Note]:
        """As ``Memory.notes``."""
        return await self._run(
            Memory.notes,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tags,
            limit=limit,
            offset=offset,
            all_states=all_states,
        )

    async def get(self, note_id: str, *, subject: str) -> Note:
        """As ``Memory.get``."""
        return await self._run(Memory.get, note_id, subject=subject)

    async def versions(self, note_id: str, *, subject: str) -> list[Note]:
        """As ``Memory.versions``."""
        return await self._run(Memory.versions, note_id, subject=subject)

    async def mark_used(self, note_ids: Sequence[str], *, subject: str) -> None:
        """As ``Memory.mark_used``."""
        return await self._run(Memory.mark_used, note_ids, subject=subject)

    def provider(
        self,
        *,
        rewriter: Rewriter | None = None,
        rewriter_model: ChatModel | None = None,
        channels: Iterable[str] | None = None,
        keep: Callable[[str], bool] = worth_keeping,
        keep_assistant: bool = False,
        facts: bool = False,
        links_model: ChatModel | None = None,
    ) -> AsyncContextProvider:
        """As ``Memory.provider``; not awaited. The file is opened by the first call."""
        channels = None if channels is None else channels_of(channels)
        make = partial(
            Memory.provider,
            rewriter=rewriter,
            rewriter_model=rewriter_model,
            channels=channels,
            keep=keep,
            keep_assistant=keep_assistant,
            facts=facts,
            links_model=links_model,
        )
        return AsyncContextProvider(self._hop, lambda: make(self._opened()))

    async def doctor(self) -> DoctorReport:
        """As ``Memory.doctor``."""
        return await self._run(Memory.doctor)

    async def close(self) -> None:
        """Let calls under way finish, then close the file and end the workers. Closing twice is fine."""
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        self._closed = True
        # Not in the pool: what runs there is what this waits for.
        await asyncio.get_running_loop().run_in_executor(None, self._end)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _end(self) -> None:
        self._pool.shutdown(wait=True)
        if self._memory is not None:
            self._memory.close()

    def _opened(self) -> Memory:
        with self._opening:
            if self._memory is None:
                self._memory = self._opener()
                self._memory.events.subscribe(self.events)
            return self._memory

    def _run(
        self, method: Callable[Concatenate[Memory, _P], _R], *args: _P.args, **kwargs: _P.kwargs
    ) -> Awaitable[_R]:
        return self._hop(lambda: method(self._opened(), *args, **kwargs))

    def _hop(self, work: Callable[[], _R]) -> Awaitable[_R]:
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        if self._closed:
            raise StoreError("this memory was closed; open it again")
        return asyncio.get_running_loop().run_in_executor(self._pool, work)
