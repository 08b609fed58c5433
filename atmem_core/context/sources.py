"""Where the channels come from: the ports of a context to the rooms that keep them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from atmem_core.records import (
    Decision,
    LessonRecall,
    Linked,
    Procedure,
    ProcedureRecall,
    ProfileFact,
    ProfileRecall,
)
from atmem_core.records import Lesson as LessonRecord


class LinkSource(Protocol):
    """Neighbours of notes."""

    def expand(
        self,
        note_ids: Sequence[str],
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        depth: int = 1,
        limit: int = 12,
        as_of: datetime | None = None,
    ) -> tuple[Linked, ...]:
        """Breadth first from these notes, none of them in it, no id twice."""
        ...


class ProfileSource(Protocol):
    """Profile facts."""

    def recall(self, query: str, *, subject: str) -> ProfileRecall:
        """Pinned ones, and those with a keyword in the query, in the order in which to show them."""
        ...

    def list(self, *, subject: str, limit: int = 500, offset: int = 0) -> "list[ProfileFact]":
        """Those that stand."""
        ...


class LessonSource(Protocol):
    """Lessons."""

    def recall(self, query: str, *, subject: str, project: str | None = None, k: int = 2) -> LessonRecall:
        """Those whose words the query has, best first."""
        ...

    def get(self, advice_id: str, *, subject: str) -> LessonRecord:
        """One of them. Raises NotFound."""
        ...

    def used(self, advice_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each."""
        ...


class ProcedureSource(Protocol):
    """Procedures."""

    def recall(self, query: str, *, subject: str, project: str | None = None, k: int = 2) -> ProcedureRecall:
        """Those whose words the query has, best first."""
        ...

    def get(self, advice_id: str, *, subject: str) -> Procedure:
        """One of them. Raises NotFound."""
        ...

    def used(self, advice_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each."""
        ...


class Announcing(Protocol):
    """Who says what happened."""

    def did_without(self, subject: str, reasons: Iterable[str]) -> None:
        """A part was missing."""
        ...

    def retrieved(self, decision: Decision, record_ids: Iterable[str]) -> None:
        """Records were given out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All of them, of one memory."""

    links: LinkSource
    profile: ProfileSource
    lessons: LessonSource
    procedures: ProcedureSource
    announcing: Announcing
