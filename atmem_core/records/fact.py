"""Facts: one statement each, with the time it holds in the world and the time we knew it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from atmem_core.records.note import Note, NoteDraft, Source
from atmem_core.records.scope import Scope

OWNER = "user"
"""The entity that stands for the person whose agent this is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A stored fact. Its statement never changes; it is superseded, forgotten or erased.

    ``valid_from`` (inclusive) and ``valid_to`` (exclusive, None is open) are world time; ``recorded_at`` and
    ``superseded_at`` are ours. All are aware and in UTC.
    """

    id: str
    scope: Scope
    entity: str
    """What the statement is about: ``user``, a name, a thing."""
    predicate: str
    object: str
    text: str
    """Entity, predicate and object in a line: what is indexed, judged and rendered."""
    speaker: str
    source: Source
    trust: float
    """0 to 1, higher is better."""
    confidence: float
    """0 to 1: how sure whoever extracted it was that this was said."""
    content_hash: str
    valid_from: datetime
    recorded_at: datetime
    valid_to: datetime | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    forgotten_at: datetime | None = None
    source_id: str | None = None
    """Id of the turn or the note that said it."""

    def active(self, at: datetime) -> bool:
        """Does it hold at this instant, as far as we know now?"""
        if self.forgotten_at is not None or self.valid_from > at:
            return False
        return self.valid_to is None or at < self.valid_to


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRef:
    """A fact as a prompt or a list needs it."""

    id: str
    entity: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKey:
    """What judgement knows of a fact beside its text: folded stems of its parts."""

    entity: frozenset[str]
    predicate: frozenset[str]
    object: frozenset[str]
    about: str
    """The one form of the predicate."""
    owner: bool
    """Is it about the person whose agent this is?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDraft:
    """A checked fact that isn't stored yet, with all that the store indexes."""

    note: NoteDraft
    """The record: text, words, scope, speaker, source, trust."""
    entity: str
    predicate: str
    object: str
    entity_key: str
    """Entity, folded."""
    predicate_key: str
    """The one form of the predicate: ``lives_in`` and ``resides in`` have the same."""
    key: str
    """SHA-256 in hex of project, entity and predicate: equal means the same thing is told of."""
    triple: str
    """SHA-256 in hex of key and object."""
    single: bool
    """Can it have one value at a time?"""
    confidence: float
    valid_from: datetime
    """As given, or else when it was said."""
    dated: bool
    """Was ``valid_from`` given?"""
    source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorFacts:
    """What is stored that a new statement may touch. Every fact here is of the same subject."""

    same: Fact | None = None
    """The newest fact with an equal triple that stands: not superseded, not forgotten."""
    standing: tuple[Fact, ...] = ()
    """Facts of the same key that stand, newest ``valid_from`` first."""
    before: Fact | None = None
    """Of the same key, the last that begins at or before the new one, whatever its state but forgotten."""
    after: Fact | None = None
    """Of the same key, the first that begins after the new one."""
    named: Fact | None = None
    """The fact that the caller wants superseded; None when this subject has none of that id."""


class FactAction(StrEnum):
    """What became of a new statement."""

    ADD = "add"
    UPDATE = "update"
    NOOP = "noop"


class FactNote(StrEnum):
    """Why a statement was taken otherwise than asked for, or than its form suggests."""

    KNOWN = "known"
    """It was stored already."""
    HISTORICAL = "historical"
    """Something later is known already: it went into the past."""
    SUPERSEDES_UNKNOWN = "supersedes_unknown"
    """The fact to supersede isn't there, or isn't this subject's."""
    SUPERSEDES_STALE = "supersedes_stale"
    """The fact to supersede is superseded or forgotten already."""
    SUPERSEDES_UNRELATED = "supersedes_unrelated"
    """The fact to supersede is about something else."""
    LESS_TRUSTED = "less_trusted"
    """What it contradicts is more trusted and stands beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPlan:
    """What is to be done with a new statement, in one transaction."""

    action: FactAction
    closes: tuple[str, ...] = ()
    """Ids of facts that end where the new one begins."""
    succeeded_by: Fact | None = None
    """The fact that begins where the new one ends: it goes into the past."""
    notes: tuple[FactNote, ...] = ()


Consolidate: TypeAlias = Callable[[FactDraft, PriorFacts, str | None], FactPlan]
"""Draft, what is stored, and the id that the caller wants superseded, to a plan. Pure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWritten:
    """What ``facts.add`` or ``facts.update`` did."""

    id: str
    fact: Fact
    """The new fact, or the one that says the same already."""
    action: FactAction
    closed: tuple[str, ...] = ()
    """Ids of the facts that it closed."""
    notes: tuple[FactNote, ...] = ()
    degraded: tuple[str, ...] = ()
    """What was not available; the fact is stored all the same."""

    @property
    def created(self) -> bool:
        """Was a fact stored?"""
        return self.action is not FactAction.NOOP


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStored:
    """A fact, its record and its row, after a write."""

    written: FactWritten
    record: Note
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHit:
    """One row of a fact search. It ranks; it is no permission to inject."""

    fact: Fact
    score: float
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the arms; higher is better."""
    keyword_rank: int | None
    """Place among the keyword hits, from 1; None when it is none."""
    vector_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHits:
    """What a fact search found, best first."""

    hits: tuple[FactHit, ...]
    degraded: tuple[str, ...] = ()
    """Why there was no vector arm, such as ``embedding_unavailable``."""
