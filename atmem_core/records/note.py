"""Notes: verbatim text that was told or seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from atmem_core.errors import InvalidInput
from atmem_core.records.scope import RecordKind, Scope, label


class Source(StrEnum):
    """Where a text came from; it sets the default trust."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"


ROLES = frozenset({"user", "assistant", "tool", "system"})
"""Speakers that are a role and no name, folded."""


def attributed(speaker: str, text: str) -> str:
    """What is indexed, embedded and judged: "Anna: ..." for a named speaker, the bare text for a role.

    With the name before each turn, dense recall on two-person dialogue rose by more than half.
    """
    return text if speaker.casefold() in ROLES else f"{speaker}: {text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A stored note. Content never changes; a note is superseded, forgotten, archived or erased.

    All times are aware and in UTC. ``valid_from`` is inclusive, ``valid_to`` exclusive; None is open.
    """

    id: str
    scope: Scope
    text: str
    speaker: str
    source: Source
    trust: float
    """0 to 1, higher is better."""
    content_hash: str
    """SHA-256 in hex of the normalised text."""
    created_at: datetime
    kind: RecordKind = RecordKind.NOTE
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    forgotten_at: datetime | None = None
    archived_at: datetime | None = None
    use_count: int = 0
    last_used_at: datetime | None = None

    def stands(self, at: datetime) -> bool:
        """Is it neither forgotten nor superseded, and valid at this instant?"""
        gone = self.forgotten_at is not None or self.superseded_by is not None
        early = self.valid_from is not None and at < self.valid_from
        late = self.valid_to is not None and at >= self.valid_to
        return not (gone or early or late)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """A checked note that isn't stored yet, with everything the store indexes, derived once.

    The store computes nothing about language: it writes what stands here.
    """

    id: str
    scope: Scope
    text: str
    speaker: str
    source: Source
    trust: float
    content_hash: str
    dedupe_hash: str
    """SHA-256 in hex of scope, speaker, kind, interval and normalised text: equal means the same note."""
    search_text: str
    """Folded tokens joined by a space: what the keyword index holds."""
    token_count: int
    """Number of tokens in ``search_text``: the length that BM25 uses."""
    vocabulary: frozenset[str]
    """Distinct words that spelling correction may offer; no numbers, no identifiers."""
    near_keys: tuple[int, ...] = ()
    """Keys of 63 bits or fewer; near duplicates share at least one with high probability."""
    created_at: datetime
    kind: RecordKind = RecordKind.NOTE
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What ``remember`` did."""

    id: str
    record: Note
    created: bool
    """False when the same note was there already."""
    similar: tuple[str, ...] = ()
    """Ids of near matches, best first. They are reported and never merged."""
    degraded: tuple[str, ...] = ()
    """What was not available, such as ``embedding_unavailable``; the note is stored all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Exactly one way to say what to forget or erase; none or several is refused."""

    note_id: str | None = None
    session: str | None = None
    project: str | None = None
    older_than: datetime | None = None
    """Notes whose ``occurred_at``, or else ``created_at``, is before this instant."""
    everything: bool = False

    def __post_init__(self) -> None:
        """Refuse before anything is read: no selector must ever mean "all"."""
        named = (self.note_id, self.session, self.project, self.older_than)
        if sum(one is not None for one in named) + bool(self.everything) != 1:
            raise InvalidInput(
                "selector",
                "give exactly one of note_id, session, project, older_than, everything=True",
            )
        for name in ("note_id", "session", "project"):
            if getattr(self, name) is not None:
                label(name, getattr(self, name))
        if not isinstance(self.everything, bool):
            raise InvalidInput("everything", f"must be True or False, got {self.everything!r}")
        moment: object = self.older_than
        if moment is not None and (not isinstance(moment, datetime) or moment.utcoffset() is None):
            raise InvalidInput("older_than", f"must be an aware datetime, got {moment!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What ``forget`` did."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseReceipt:
    """What ``erase`` did. Ids and counts, never content."""

    ids: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows removed for each table."""
    pending_checkpoint: bool = False
    """True while another reader holds the log open; the next open, close or erase finishes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """Counts of one subject, or of the file when no subject was named."""

    notes: int
    superseded: int
    forgotten: int
    archived: int
    vectors: int
    awaiting_vector: int
    file_bytes: int
    schema_version: int
    wal_bytes: int = 0
    facts: int = 0
    """In every state; ``notes`` and its states count no facts, ``vectors`` count both."""
    facts_standing: int = 0
    """Neither superseded nor forgotten."""
    turns: int = 0
    """Of the session history."""
    turns_waiting: int = 0
    """Those that nobody has read facts out of yet."""
    profile_facts: int = 0
    """Current values of profile keys."""
    lessons: int = 0
    """Active ones."""
    procedures: int = 0
    """Active ones."""
