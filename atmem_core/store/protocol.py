"""What a store can do, and nothing about how. The conformance suite tests what stands here.

A *row* is the store's own integer for a record, stable while the record lives. Rows never leave the
core: callers of atmem see ids.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from atmem_core.records import (
    EraseReceipt,
    Forgotten,
    Note,
    NoteDraft,
    RecordKind,
    Scope,
    Selector,
    StoreStats,
)
from atmem_core.store.advice_protocol import AdviceStore
from atmem_core.store.epoch_protocol import EpochStore
from atmem_core.store.fact_protocol import FactStore
from atmem_core.store.link_protocol import LinkStore
from atmem_core.store.moving import RecordMover
from atmem_core.store.profile_protocol import ProfileStore
from atmem_core.store.turn_protocol import TurnStore

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFilter:
    """Which records a read may see. The store applies it before any cut."""

    scope: Scope
    at: datetime
    """Records whose validity holds at this instant."""
    as_of: bool = False
    """Read as it was at ``at``: without what was stored later, with what was superseded later. Off for
    a read of now, so that no clock that goes back hides a note that was just stored."""
    tags: tuple[str, ...] = ()
    """All of them must be there."""
    kinds: tuple[RecordKind, ...] = ()
    """Any of them; empty means all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The subject's own statistics. Nothing here spans two subjects."""

    documents: int
    """Records in the subject's keyword index."""
    mean_length: float
    """Mean ``token_count`` of those records; 0.0 when there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A note and its row, after a write."""

    note: Note
    row: int
    created: bool
    similar: tuple[str, ...] = ()
    """Ids of eligible notes of the same scope that share a near key, newest first, 20 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a decision needs to know about a candidate."""

    row: int
    note: Note
    search_text: str
    token_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The rows of the turns around one turn of a session."""

    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A note that waits for its vector."""

    row: int
    note: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPart:
    """What a record states, when it is a fact."""

    entity: str
    predicate: str
    object: str
    source_id: str | None
    """Id of the turn or note that said it."""


class ReadView(Protocol):
    """One consistent snapshot of one subject, seen through one filter. Writes nothing."""

    @property
    def corpus(self) -> Corpus:
        """Statistics over the subject's whole index, whatever the filter."""
        ...

    def postings(self, word: str, *, limit: int | None = None) -> Sequence[int]:
        """Rows of the subject that hold this token, after the index's own stemming; unranked.

        ``word`` is one token as it stands in ``search_text``; any text is safe. Not filtered: the
        length is the subject's document frequency. With a limit, the newest that many rows.
        """
        ...

    def document_frequency(self, word: str) -> int:
        """Length of the unlimited postings, without building them."""
        ...

    def eligible(self, rows: Iterable[int]) -> list[int]:
        """Those of the rows that pass the filter, in the given order."""
        ...

    def search_texts(self, rows: Sequence[int]) -> Mapping[int, tuple[str, int]]:
        """For each row its ``search_text`` and ``token_count``."""
        ...

    def documents(self, rows: Sequence[int]) -> Mapping[int, Document]:
        """The records of these rows; a row that isn't eligible is missing."""
        ...

    def nearest(self, identity_digest: str, vector: "Float32Array", k: int) -> Sequence[tuple[int, float]]:
        """The k eligible rows of highest cosine, best first; ties by content hash.

        Cosine is -1 to 1, higher is better. Exact: filters apply before the cut. Among the newest alone where
        there are more than a scan may read: ``unscanned`` counts the others.
        """
        ...

    @property
    def unscanned(self) -> int:
        """Vectors that the last ``nearest`` passed over."""
        ...

    def cosines(
        self, identity_digest: str, vector: "Float32Array", rows: Sequence[int]
    ) -> Mapping[int, float]:
        """Cosine of each row that has a vector of this identity."""
        ...

    def turns_beside(self, rows: Sequence[int]) -> "Mapping[int, Beside]":
        """For each note that belongs to a session, the notes right before and after it there.

        In the order of ``occurred_at``, or ``created_at`` where that is missing, then of ``created_at``;
        notes of one session that share both have no order. A turn that isn't eligible is None.
        """
        ...

    def vocabulary(self, length: int) -> Sequence[str]:
        """The subject's distinct words of this many characters, sorted."""
        ...

    def fact_parts(self, rows: Sequence[int]) -> Mapping[int, FactPart]:
        """What those of the rows that are facts state."""
        ...

    def facts_named(self, predicates: Sequence[str]) -> Sequence[int]:
        """Eligible facts with one of these predicates, as ``FactDraft.predicate_key``; newest first."""
        ...

    def outdated(self, record_ids: Sequence[str]) -> frozenset[str]:
        """Those of the records that said facts none of which stands any more."""
        ...


class Store(RecordMover, Protocol):
    """The only writer of the canonical records."""

    @property
    def fact_store(self) -> FactStore:
        """Facts: what records of that kind state."""
        ...

    @property
    def turn_store(self) -> TurnStore:
        """Session history."""
        ...

    @property
    def link_store(self) -> LinkStore:
        """Links between notes."""
        ...

    @property
    def profile_store(self) -> ProfileStore:
        """Profile facts."""
        ...

    @property
    def advice_store(self) -> AdviceStore:
        """Lessons and procedures."""
        ...

    @property
    def epoch_store(self) -> EpochStore:
        """Which identity serves whom."""
        ...

    def read(self, read_filter: ReadFilter) -> AbstractContextManager[ReadView]:
        """A snapshot. An unknown subject is an empty one."""
        ...

    def add(self, draft: NoteDraft, *, supersedes: str | None = None) -> Stored:
        """Store the note, or find the one with the same dedupe hash; one transaction.

        With ``supersedes`` that note is closed at ``draft.created_at`` in the same transaction.

        Raises:
            NotFound: ``supersedes`` is unknown to this subject, forgotten or superseded already.
            WriteRefused: ``idempotency_conflict``: the key was used for other content.
        """
        ...

    def get(self, subject: str, note_id: str) -> Note:
        """The note, whatever its state. Raises NotFound for a missing or a foreign id."""
        ...

    def notes(
        self,
        read_filter: ReadFilter,
        *,
        limit: int,
        offset: int = 0,
        all_states: bool = False,
    ) -> list[Note]:
        """Newest first. ``all_states`` also gives superseded, expired and forgotten ones."""
        ...

    def versions(self, subject: str, note_id: str) -> list[Note]:
        """The chain of supersession that this note is in, oldest first."""
        ...

    def forget(self, subject: str, selector: Selector, *, at: datetime) -> Forgotten:
        """Take notes out of recall at once; history is kept. Raises NotFound for an unknown id."""
        ...

    def erase(self, subject: str, selector: Selector, *, at: datetime) -> EraseReceipt:
        """Remove the bytes from every table, index, vector, cache and log."""
        ...

    def finish_erase(self, *, wait_ms: int = 0) -> bool:
        """Write the file anew after something was erased. False while a reader holds the log open."""
        ...

    def mark_used(self, subject: str, note_ids: Sequence[str], *, at: datetime) -> None:
        """Count one use of each note."""
        ...

    def vouch(self, subject: str, note_id: str, *, trust: float) -> None:
        """Give a current note this trust. Raises NotFound."""
        ...

    def put_vectors(self, identity_digest: str, vectors: Mapping[int, "Float32Array"]) -> None:
        """Store or replace vectors by row and take the rows off the waiting list.

        Rows that no longer exist are ignored: the note may have been erased meanwhile.
        """
        ...

    def awaiting_vectors(self, *, limit: int, subject: str | None = None) -> list[Pending]:
        """Notes that were stored and have no vector yet, newest first."""
        ...

    def set_archived(self, subject: str, note_ids: Sequence[str], *, at: datetime) -> int:
        """Archive notes: they leave the index slice and stay recallable. Returns how many changed."""
        ...

    def stats(self, subject: str | None = None) -> StoreStats:
        """Counts of one subject, or of the file."""
        ...

    def facts(self) -> Mapping[str, str]:
        """What a doctor shows of file and driver, by name."""
        ...

    def verify(self) -> list[str]:
        """What is wrong, one finding a line; empty when nothing is."""
        ...

    def repair(self) -> list[str]:
        """Build again what is derived from the notes; what was done, one line each."""
        ...

    def backup(self, path: str | Path) -> None:
        """Copy the file while it is in use. Raises StoreError when ``path`` exists."""
        ...

    def close(self) -> None:
        """Close every connection. Closing twice is fine."""
        ...
