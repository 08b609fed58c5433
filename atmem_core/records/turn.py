"""Turns of a session, and what of them becomes facts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from atmem_core.records.note import Source
from atmem_core.records.scope import Scope


class Role(StrEnum):
    """Who spoke, as chat hosts name it."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ExtractionState(StrEnum):
    """Where the extraction of a turn stands."""

    NONE = "none"
    """Nothing is to be extracted: not the user's, not finished, or forgotten since."""
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    """Given up after several attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One side of an exchange, as it was said, without recalled blocks."""

    id: str
    scope: Scope
    role: Role
    speaker: str
    source: Source
    text: str
    created_at: datetime
    answers: str | None = None
    """Id of the turn that this one answers."""
    extraction: ExtractionState = ExtractionState.NONE
    idempotency_key: str | None = None

    @property
    def session(self) -> str:
        """The session; a turn always has one."""
        return self.scope.session or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    """One turn that a search within a session found."""

    turn: Turn
    score: float
    """BM25 within the session; higher is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionJob:
    """A finished turn that may hold facts."""

    turn_id: str
    scope: Scope
    user_text: str
    assistant_text: str
    at: datetime
    """When it was said."""
    speaker: str = "user"
    source: Source = Source.USER


class OperationKind(StrEnum):
    """What an extractor may ask for."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    NOOP = "NOOP"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactOperation:
    """One thing to do. A NOOP isn't one: an extraction without operations is it."""

    kind: OperationKind
    entity: str
    predicate: str
    object: str
    supersedes: str | None = None
    """Id of the prior fact that this one takes the place of; with UPDATE only."""
    confidence: float = 1.0
    """0 to 1: how sure the extractor is that this was said."""


class DropReason(StrEnum):
    """Why an entry of a model's reply was left out."""

    NO_OBJECT = "no_object"
    """It isn't an object."""
    UNKNOWN_OPERATION = "unknown_operation"
    MISSING_PART = "missing_part"
    """Entity, predicate or object is missing, empty or no text."""
    TOO_LONG = "too_long"
    UNGROUNDED = "ungrounded"
    """The user's own statements don't say it."""
    REPEATED = "repeated"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a turn says that is worth keeping; empty means nothing."""

    operations: tuple[FactOperation, ...] = ()
    dropped: Mapping[DropReason, int] = field(default_factory=dict)
    """Entries that were left out, by reason."""
    stray_supersedes: int = 0
    """Updates of a fact that wasn't listed, or of another thing's: they became additions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionHealth:
    """How extraction fares in this process. Counts since it began."""

    extractor: str
    """What extracts, such as ``rules (no model)``."""
    stored: bool
    """False: there is no store, every job is refused."""
    running: bool
    queued: int
    done: int
    facts: int
    """Facts added or updated."""
    entries_dropped: int
    """Entries of replies that were left out."""
    dropped: int
    """Jobs that left the queue undone."""
    refused: int
    """Jobs that came while there was no store."""
    failed: int
    """Jobs that ended with an error; their turns wait."""
    last_failure: str = ""
    """One word, such as ``extraction_timeout``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRun:
    """What one pass over the waiting turns did."""

    done: int
    facts: int
    failed: int
    waiting: int
    """Turns that still wait."""
    failure: str = ""
    """Why the pass ended early, one word; empty when it didn't."""
