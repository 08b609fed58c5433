"""``AsyncMemory.lessons`` and ``.procedures``: the same methods over one worker hop a call."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Generic

from atmem_core.advice.lessons import Lessons
from atmem_core.advice.procedures import Procedures
from atmem_core.advice.shelf import A, Shelf
from atmem_core.chat import ChatModel
from atmem_core.records import (
    ConsolidationReport,
    Lesson,
    LessonRecall,
    Procedure,
    ProcedureRecall,
    ProcedureStep,
)
from atmem_core.semantic.waiting import Hop


class AsyncShelf(Generic[A]):
    """``Shelf`` for an event loop."""

    def __init__(self, hop: Hop, shelf: Callable[[], Shelf[A]]) -> None:
        self._hop = hop
        self._shelf = shelf

    async def get(self, advice_id: str, *, subject: str) -> A:
        """As ``Shelf.get``."""
        return await self._hop(lambda: self._shelf().get(advice_id, subject=subject))

    async def deprecate(self, advice_id: str, *, subject: str) -> tuple[str, ...]:
        """As ``Shelf.deprecate``."""
        return await self._hop(lambda: self._shelf().deprecate(advice_id, subject=subject))

    async def outcome(self, advice_id: str, *, success: bool, subject: str) -> A:
        """As ``Shelf.outcome``."""
        return await self._hop(lambda: self._shelf().outcome(advice_id, success=success, subject=subject))

    async def vote(
        self,
        advice_id: str,
        direction: int,
        *,
        subject: str,
        session: str | None = None,
        turn: str | None = None,
    ) -> float:
        """As ``Shelf.vote``."""
        return await self._hop(
            lambda: self._shelf().vote(advice_id, direction, subject=subject, session=session, turn=turn)
        )

    async def used(self, advice_ids: Sequence[str], *, subject: str) -> None:
        """As ``Shelf.used``."""
        return await self._hop(lambda: self._shelf().used(advice_ids, subject=subject))

    async def deprecate_stale(self, *, subject: str) -> tuple[str, ...]:
        """As ``Shelf.deprecate_stale``."""
        return await self._hop(lambda: self._shelf().deprecate_stale(subject=subject))


class AsyncLessons(AsyncShelf[Lesson]):
    """``Lessons`` for an event loop. Arguments, results and errors are those of ``Lessons``."""

    def __init__(self, hop: Hop, lessons: Callable[[], Lessons]) -> None:
        super().__init__(hop, lessons)
        self._lessons = lessons

    async def add(
        self,
        activation: str,
        principle: str,
        *,
        subject: str,
        project: str | None = None,
        tags: Iterable[str] = (),
        parent_ids: Sequence[str] = (),
        source: str = "user",
        trust: float | None = None,
    ) -> Lesson:
        """As ``Lessons.add``."""
        return await self._hop(
            lambda: self._lessons().add(
                activation,
                principle,
                subject=subject,
                project=project,
                tags=tags,
                parent_ids=parent_ids,
                source=source,
                trust=trust,
            )
        )

    async def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        status: str | None = "active",
        limit: int = 20,
        offset: int = 0,
    ) -> "list[Lesson]":
        """As ``Lessons.list``."""
        return await self._hop(
            lambda: self._lessons().list(
                subject=subject, project=project, status=status, limit=limit, offset=offset
            )
        )

    async def recall(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        k: int = 2,
        budget_tokens: int | None = None,
        count: Callable[[str], int] = len,
    ) -> LessonRecall:
        """As ``Lessons.recall``."""
        return await self._hop(
            lambda: self._lessons().recall(
                query, subject=subject, project=project, k=k, budget_tokens=budget_tokens, count=count
            )
        )

    async def consolidate(
        self,
        model: ChatModel,
        *,
        subject: str,
        project: str | None = None,
        min_cluster: int = 3,
        most_clusters: int = 5,
        untouched_for: timedelta = timedelta(days=1),
        timeout_ms: float = 45_000,
        progress: Callable[[int, int], None] | None = None,
    ) -> ConsolidationReport:
        """As ``Lessons.consolidate``; the model and ``progress`` are called in the worker."""
        return await self._hop(
            lambda: self._lessons().consolidate(
                model,
                subject=subject,
                project=project,
                min_cluster=min_cluster,
                most_clusters=most_clusters,
                untouched_for=untouched_for,
                timeout_ms=timeout_ms,
                progress=progress,
            )
        )

    async def consolidate_every(
        self, model: ChatModel, *, subject: str, interval_ms: int = 21_600_000
    ) -> Callable[[], None]:
        """As ``Lessons.consolidate_every``."""
        return await self._hop(
            lambda: self._lessons().consolidate_every(model, subject=subject, interval_ms=interval_ms)
        )

    async def close(self) -> None:
        """As ``Lessons.close``."""
        return await self._hop(lambda: self._lessons().close())


class AsyncProcedures(AsyncShelf[Procedure]):
    """``Procedures`` for an event loop. Arguments, results and errors are those of ``Procedures``."""

    def __init__(self, hop: Hop, procedures: Callable[[], Procedures]) -> None:
        super().__init__(hop, procedures)
        self._procedures = procedures

    async def add(
        self,
        activation: str,
        steps: Iterable[ProcedureStep | str],
        *,
        subject: str,
        project: str | None = None,
        tags: Iterable[str] = (),
        parent_ids: Sequence[str] = (),
        lesson_ids: Sequence[str] = (),
        source: str = "user",
        trust: float | None = None,
    ) -> Procedure:
        """As ``Procedures.add``."""
        return await self._hop(
            lambda: self._procedures().add(
                activation,
                steps,
                subject=subject,
                project=project,
                tags=tags,
                parent_ids=parent_ids,
                lesson_ids=lesson_ids,
                source=source,
                trust=trust,
            )
        )

    async def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        status: str | None = "active",
        limit: int = 20,
        offset: int = 0,
    ) -> "list[Procedure]":
        """As ``Procedures.list``."""
        return await self._hop(
            lambda: self._procedures().list(
                subject=subject, project=project, status=status, limit=limit, offset=offset
            )
        )

    async def recall(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        k: int = 2,
        budget_tokens: int | None = None,
        count: Callable[[str], int] = len,
    ) -> ProcedureRecall:
        """As ``Procedures.recall``."""
        return await self._hop(
            lambda: self._procedures().recall(
                query, subject=subject, project=project, k=k, budget_tokens=budget_tokens, count=count
            )
        )
