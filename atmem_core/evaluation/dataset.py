"""The neutral shape that every layout is read into: stores of notes, and questions about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from atmem_core.errors import InvalidInput
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope

SUBJECT = "evaluation"
"""Whose memory a store is when the layout names nobody."""
WHOSE = Scope(subject=SUBJECT)
_QUIET_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_AFTERWARDS = timedelta(days=1)


class Format(StrEnum):
    """Layouts that can be read."""

    LOCOMO = "locomo"
    SQUAD = "squad"
    XQUAD = "xquad"
    LONGMEMEVAL = "longmemeval"
    JSONL = "jsonl"
    PRECISION = "precision"
    STORES = "stores"


class NoteStatus(StrEnum):
    """Where a note is in its life when the questions are asked."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetNote:
    """One note of a data set."""

    key: str
    """The data set's name for it, unique in its store."""
    text: str
    scope: Scope = WHOSE
    speaker: str = "user"
    source: str = "user"
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    status: NoteStatus = NoteStatus.ACTIVE
    supersedes: str | None = None
    """Key of the note whose place it takes; that one stands earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question about a store."""

    text: str
    label: str
    """The data set's own word for its kind."""
    scope: Scope = WHOSE
    evidence: tuple[tuple[str, ...], ...] = ()
    """Pieces of evidence, each as the keys of the notes that hold it, any of which will do."""
    negative: NegativeKind | None = None
    """None when the evidence answers it."""
    forbidden: tuple[str, ...] = ()
    """Keys of notes that must not be injected."""
    case: str = ""
    """Turns of one case share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetStore:
    """Notes that are remembered together, and what is asked of them."""

    name: str
    now: datetime
    """When the questions are asked."""
    notes: tuple[DatasetNote, ...]
    """In the order in which they are told."""
    questions: tuple[Question, ...]
    speakers: tuple[str, ...] = ()
    """Names, not roles, in order of appearance."""

    @property
    def answerable(self) -> tuple[Question, ...]:
        """Questions that the notes answer."""
        return tuple(one for one in self.questions if one.negative is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A data set as it was read."""

    name: str
    format: Format
    stores: tuple[DatasetStore, ...]
    digest: str
    """SHA-256 of the file, or over those of several, in hex."""
    skipped: int = 0
    """Questions left out since the evidence that they name isn't among the notes."""


def asked_at(notes: Iterable[DatasetNote]) -> datetime:
    """A day after the last note was told; a fixed day when none says when."""
    last = max((note.occurred_at for note in notes if note.occurred_at is not None), default=None)
    return _QUIET_NOW if last is None else last + _AFTERWARDS


def told_in_order(notes: Sequence[DatasetNote]) -> tuple[DatasetNote, ...]:
    """The same order, but for a note that supersedes a later one: it comes right after that one.

    Raises:
        InvalidInput: Two notes share a key, or a supersession names no note or leads round in a circle.
    """
    _refuse_twice("have the key", [note.key for note in notes])
    _refuse_twice("supersede", [note.supersedes for note in notes if note.supersedes is not None])
    done: dict[str, DatasetNote] = {}
    waiting: dict[str, DatasetNote] = {}
    for note in notes:
        if note.supersedes is not None and note.supersedes not in done:
            waiting[note.supersedes] = note
            continue
        # Whatever was waiting for this one can be told now, and what waited for that.
        following: DatasetNote | None = note
        while following is not None:
            done[following.key] = following
            following = waiting.pop(following.key, None)
    for missing, note in waiting.items():
        raise InvalidInput("dataset", f"note {note.key!r} supersedes {missing!r}, which is no note before it")
    return tuple(done.values())


def _refuse_twice(what: str, keys: Sequence[str]) -> None:
    twice = [key for key, times in Counter(keys).items() if times > 1]
    if twice:
        raise InvalidInput("dataset", f"two notes {what} {twice[0]!r}; only one note of a store may")
