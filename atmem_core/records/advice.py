"""Lessons and procedures: advice drawn from several notes. It is told, never carried out."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from atmem_core.records.note import Source
from atmem_core.records.results import Omitted
from atmem_core.records.scope import RecordKind, Scope


class AdviceStatus(StrEnum):
    """Is it recalled? Nothing of it is deleted."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureStep:
    """One step, as text. Nothing runs it."""

    description: str
    tool_hint: str | None = None
    """Name of a tool that may help, such as ``git.push``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What lessons and procedures have in common."""

    id: str
    scope: Scope
    """Subject and project; session and agent are None."""
    activation: str
    """When it applies."""
    source: Source
    trust: float
    """0 to 1; at most that of the least trusted parent."""
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    parent_ids: tuple[str, ...] = ()
    """Notes that it was drawn from; none when a person wrote it."""
    status: AdviceStatus = AdviceStatus.ACTIVE
    deprecated_at: datetime | None = None
    success_count: int = 0
    failure_count: int = 0
    use_count: int = 0
    vote_score: float = 0.0

    @property
    def told(self) -> str:
        """What it advises, as one text."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson(Advice):
    """A principle that several notes show."""

    principle: str

    kind: ClassVar[RecordKind] = RecordKind.LESSON

    @property
    def told(self) -> str:
        """The principle."""
        return self.principle


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure(Advice):
    """Steps that worked."""

    steps: tuple[ProcedureStep, ...]
    lesson_ids: tuple[str, ...] = ()
    """Lessons that it goes with: deprecated with any of them."""

    kind: ClassVar[RecordKind] = RecordKind.PROCEDURE

    @property
    def told(self) -> str:
        """The steps, numbered."""
        return " ".join(
            f"{number}. {step.description}" + (f" ({step.tool_hint})" if step.tool_hint else "")
            for number, step in enumerate(self.steps, 1)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecall:
    """Lessons whose words a query has, best first. Advice, not evidence."""

    lessons: tuple[Lesson, ...]
    omitted: tuple[Omitted, ...] = ()
    """What the budget left out, with its cost."""
    held: tuple[str, ...] = ()
    """Ids of better matches that wait for a person's word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureRecall:
    """Procedures whose words a query has, best first. Advice, not evidence."""

    procedures: tuple[Procedure, ...]
    omitted: tuple[Omitted, ...] = ()
    """What the budget left out, with its cost."""
    held: tuple[str, ...] = ()
    """Ids of better matches that wait for a person's word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """What became of one cluster of notes."""

    note_ids: tuple[str, ...]
    lesson_id: str | None = None
    procedure_id: str | None = None
    archived: int = 0
    """Its notes that left the index slice; they stay recallable."""
    failure: str = ""
    """Why it gave nothing, one word; its notes are as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What one pass of consolidation did."""

    clusters: tuple[Consolidation, ...] = ()
    deprecated: tuple[str, ...] = ()
    """Ids of advice that aged out, was voted down, or was too many."""
    left: int = 0
    """Further clusters, for a later pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One vote on a profile fact, a lesson or a procedure."""

    direction: int
    """1 for helpful, -1 for not."""
    at: datetime
    session: str | None = None
    turn: str | None = None
