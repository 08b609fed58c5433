"""Records on their way into a file or out of one: what is copied, and what a copy came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from atmem_core.records.fact import Fact, FactDraft
from atmem_core.records.note import Note, NoteDraft
from atmem_core.records.turn import Turn

RECORDS_FORMAT = "atmem-records-v1"
"""Stands in the first line of an export. What a later version adds gets a new number."""
MAX_PROBLEMS = 1_000
"""Problems that a receipt lists; it counts them all."""


class ImportFormat(StrEnum):
    """What a file can be."""

    JSONL = "jsonl"
    """An export of atmem, or one JSON object a line with a ``text``."""
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    LOCOMO = "locomo"
    MEM0 = "mem0"
    LANGGRAPH_STORE = "langgraph-store"


class ImportCode(StrEnum):
    """Why a line, or a part of one, wasn't stored."""

    BAD_JSON = "bad_json"
    BAD_RECORD = "bad_record"
    UNKNOWN_RECORD = "unknown_record"
    UNKNOWN_TARGET = "unknown_target"
    ID_CONFLICT = "id_conflict"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    INCOMPLETE = "incomplete"
    EMPTY_TEXT = "empty_text"
    TEXT_TOO_LONG = "text_too_long"
    ONLY_RECALLED_MEMORY = "only_recalled_memory"
    SECRET_FOUND = "secret_found"  # noqa: S105 - a code
    KIND_NOT_STORED_HERE = "kind_not_stored_here"
    OTHER_OWNER = "other_owner"
    ASSISTANT_LEFT_OUT = "assistant_left_out"
    HIDDEN_MESSAGE = "hidden_message"
    TOOL_MESSAGE = "tool_message"
    ATTACHMENT = "attachment"
    OTHER_BRANCH = "other_branch"
    NOT_CARRIED = "not_carried"

    @property
    def by_rule(self) -> bool:
        """Left out on purpose: nothing is wrong with the file."""
        return self in _BY_RULE


_BY_RULE = frozenset(
    {
        ImportCode.OTHER_OWNER,
        ImportCode.ASSISTANT_LEFT_OUT,
        ImportCode.HIDDEN_MESSAGE,
        ImportCode.TOOL_MESSAGE,
        ImportCode.ATTACHMENT,
        ImportCode.OTHER_BRANCH,
        ImportCode.NOT_CARRIED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProblem:
    """One thing that wasn't stored. Never holds the text itself."""

    line: int
    """Line of the file, from 1, at which the line, conversation or memory begins."""
    code: ImportCode
    message: str
    where: str = ""
    """Ids inside the line, such as a conversation's and a message's; the file's name in an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReceipt:
    """What an import did. A repeated import has nothing created and nothing updated."""

    subject: str
    created: int = 0
    """Records that are new."""
    updated: int = 0
    """Records that were there and are now superseded, forgotten or archived, as the file says."""
    unchanged: int = 0
    """Records that were there already."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """What should have been stored and wasn't, counted by code."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """What isn't brought along, by rule, counted by code."""
    problems: tuple[ImportProblem, ...] = ()
    """The first 1,000, refused and left out, in the order of the file."""
    degraded: tuple[str, ...] = ()
    """What was not available, such as ``embedding_unavailable``; the records are stored all the same."""

    @property
    def whole(self) -> bool:
        """Was everything stored that should have been?"""
        return not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteCopy:
    """A note with its whole state, on its way into a store."""

    draft: NoteDraft
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    forgotten_at: datetime | None = None
    archived_at: datetime | None = None
    use_count: int = 0
    last_used_at: datetime | None = None

    @property
    def current(self) -> bool:
        """Neither superseded nor forgotten."""
        return self.superseded_by is None and self.forgotten_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldNote:
    """A stored note with what ``Note`` leaves out."""

    row: int
    note: Note
    idempotency_key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLink:
    """A directed tie between two notes of one subject."""

    from_id: str
    to_id: str
    kind: str
    weight: float
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEnd:
    """An end that a fact was known to have, from when on."""

    recorded_at: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFact:
    """A stored fact with its record and every end it was known to have, oldest first."""

    fact: Fact
    record: HeldNote
    ends: tuple[FactEnd, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCopy:
    """A fact with its whole state, on its way into a store."""

    draft: FactDraft
    record: NoteCopy
    """The state of its record; the draft is the fact's own."""
    valid_to: datetime | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    forgotten_at: datetime | None = None
    ends: tuple[FactEnd, ...] = ()

    @property
    def stands(self) -> bool:
        """Neither superseded nor forgotten."""
        return self.superseded_by is None and self.forgotten_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCopy:
    """A turn with what the store knows of its extraction."""

    turn: Turn
    attempts: int
    search_text: str = ""
    """Derived on the way in."""
    row: int = 0
    """On the way out: the store's integer."""


class CopyOutcome(StrEnum):
    """What became of a copy."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRefused:
    """A copy that the store didn't take, and why."""

    code: ImportCode
    message: str
