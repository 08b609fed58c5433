"""``AsyncMemory.facts``: the same methods over one worker hop a call."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Protocol, TypeVar, Unpack

from atmem_core.facts.book import Facts
from atmem_core.facts.told import Told
from atmem_core.records import Fact, FactHits, FactWritten

_R = TypeVar("_R")


class Hop(Protocol):
    """Runs work in a worker of the memory."""

    def __call__(self, work: Callable[[], _R]) -> Awaitable[_R]:
        """What the work gives, when it is awaited."""
        ...


class AsyncFacts:
    """``Facts`` for an event loop. Arguments, results and errors are those of ``Facts``."""

    def __init__(self, hop: Hop, facts: Callable[[], Facts]) -> None:
        self._hop = hop
        self._facts = facts

    async def add(
        self,
        entity: str,
        predicate: str,
        object: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        supersedes: str | None = None,
        **told: Unpack[Told],
    ) -> FactWritten:
        """As ``Facts.add``."""
        return await self._hop(
            lambda: self._facts().add(
                entity,
                predicate,
                object,
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                supersedes=supersedes,
                **told,
            )
        )

    async def update(
        self,
        fact_id: str,
        object: str,
        *,
        subject: str,
        confidence: float = 1.0,
        occurred_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        source_id: str | None = None,
    ) -> FactWritten:
        """As ``Facts.update``."""
        return await self._hop(
            lambda: self._facts().update(
                fact_id,
                object,
                subject=subject,
                confidence=confidence,
                occurred_at=occurred_at,
                valid_from=valid_from,
                valid_to=valid_to,
                source_id=source_id,
            )
        )

    async def get(self, fact_id: str, *, subject: str) -> Fact:
        """As ``Facts.get``."""
        return await self._hop(lambda: self._facts().get(fact_id, subject=subject))

    async def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        limit: int = 50,
        offset: int = 0,
        all_states: bool = False,
    ) -> tuple[Fact, ...]:
        """As ``Facts.list``."""
        return await self._hop(
            lambda: self._facts().list(
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                entity=entity,
                predicate=predicate,
                limit=limit,
                offset=offset,
                all_states=all_states,
            )
        )

    async def as_of(
        self,
        at: datetime,
        *,
        subject: str,
        known_at: datetime | None = None,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[Fact, ...]:
        """As ``Facts.as_of``."""
        return await self._hop(
            lambda: self._facts().as_of(
                at,
                subject=subject,
                known_at=known_at,
                project=project,
                session=session,
                agent=agent,
                entity=entity,
                predicate=predicate,
                limit=limit,
                offset=offset,
            )
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
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        k: int = 10,
        mode: str = "hybrid",
    ) -> FactHits:
        """As ``Facts.search``."""
        return await self._hop(
            lambda: self._facts().search(
                query,
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                tags=tags,
                as_of=as_of,
                deadline_ms=deadline_ms,
                k=k,
                mode=mode,
            )
        )

    async def history(self, fact_id: str, *, subject: str) -> tuple[Fact, ...]:
        """As ``Facts.history``."""
        return await self._hop(lambda: self._facts().history(fact_id, subject=subject))

    async def forget(self, fact_id: str, *, subject: str) -> bool:
        """As ``Facts.forget``."""
        return await self._hop(lambda: self._facts().forget(fact_id, subject=subject))
