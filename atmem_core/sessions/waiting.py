"""``AsyncMemory.sessions``: the same methods over one worker hop a call."""

from collections.abc import Callable
from datetime import datetime

from atmem_core.chat import AsyncChatModel, ChatModel
from atmem_core.facts.waiting import Hop
from atmem_core.records import Check, ExtractionHealth, ExtractionRun, Turn, TurnHit
from atmem_core.remember.extraction import Extractor
from atmem_core.sessions.book import Sessions


class AsyncSessions:
    """``Sessions`` for an event loop. Arguments, results and errors are those of ``Sessions``."""

    def __init__(self, hop: Hop, sessions: Callable[[], Sessions]) -> None:
        self._hop = hop
        self._sessions = sessions

    async def append(
        self,
        text: str,
        *,
        subject: str,
        session: str,
        role: str = "user",
        speaker: str | None = None,
        source: str = "user",
        project: str | None = None,
        agent: str | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Turn:
        """As ``Sessions.append``."""
        return await self._hop(
            lambda: self._sessions().append(
                text,
                subject=subject,
                session=session,
                role=role,
                speaker=speaker,
                source=source,
                project=project,
                agent=agent,
                occurred_at=occurred_at,
                idempotency_key=idempotency_key,
            )
        )

    async def finish(
        self,
        user_text: str,
        answer: str = "",
        *,
        subject: str,
        session: str,
        stop: str = "end_turn",
        speaker: str = "user",
        source: str = "user",
        project: str | None = None,
        agent: str | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Turn | None:
        """As ``Sessions.finish``."""
        return await self._hop(
            lambda: self._sessions().finish(
                user_text,
                answer,
                subject=subject,
                session=session,
                stop=stop,
                speaker=speaker,
                source=source,
                project=project,
                agent=agent,
                occurred_at=occurred_at,
                idempotency_key=idempotency_key,
            )
        )

    async def recent(self, *, subject: str, session: str, limit: int = 50) -> list[Turn]:
        """As ``Sessions.recent``."""
        return await self._hop(lambda: self._sessions().recent(subject=subject, session=session, limit=limit))

    async def search(self, query: str, *, subject: str, session: str, limit: int = 20) -> list[TurnHit]:
        """As ``Sessions.search``."""
        return await self._hop(
            lambda: self._sessions().search(query, subject=subject, session=session, limit=limit)
        )

    async def extract_with(self, extractor: Extractor | ChatModel | AsyncChatModel) -> None:
        """As ``Sessions.extract_with``."""
        return await self._hop(lambda: self._sessions().extract_with(extractor))

    async def extract_pending(self, *, subject: str | None = None, limit: int | None = None) -> ExtractionRun:
        """As ``Sessions.extract_pending``, in a worker."""
        return await self._hop(lambda: self._sessions().extract_pending(subject=subject, limit=limit))

    async def waiting(self, subject: str | None = None) -> int:
        """As ``Sessions.waiting``."""
        return await self._hop(lambda: self._sessions().waiting(subject))

    async def drain(self, timeout_ms: float = 10_000) -> bool:
        """As ``Sessions.drain``, in a worker."""
        return await self._hop(lambda: self._sessions().drain(timeout_ms))

    async def health(self) -> ExtractionHealth:
        """As ``Sessions.health``."""
        return await self._hop(lambda: self._sessions().health())

    async def check(self) -> Check:
        """As ``Sessions.check``."""
        return await self._hop(lambda: self._sessions().check())
