"""A store in plain Python: slow, plain, and the reference that real stores are compared with."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from atmem_core.errors import NotFound
from atmem_core.records import Note, NoteDraft, RecordKind
from atmem_core.store.protocol import Beside, Corpus, Document, FactPart, Pending, ReadFilter, Stored
from atmem_core.text import STEMS

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array


@dataclass(slots=True, kw_only=True)
class _Row:
    note: Note
    draft: NoteDraft
    vectors: dict[str, list[float]] = field(default_factory=dict)


class ReferenceStore:
    """What the read and write paths need of a store, over a list of rows in this process."""

    def __init__(self) -> None:
        self.rows: dict[int, _Row] = {}

    @contextmanager
    def read(self, read_filter: ReadFilter) -> Iterator["ReferenceView"]:
        """A view; nothing is copied, since nothing writes meanwhile in a test."""
        yield ReferenceView(self.rows, read_filter)

    def add(self, draft: NoteDraft, *, supersedes: str | None = None) -> Stored:
        """Store the note, or find the same one."""
        for row, held in self._of(draft.scope.subject):
            current = held.note.superseded_by is None and held.note.forgotten_at is None
            if current and held.draft.dedupe_hash == draft.dedupe_hash:
                return Stored(note=held.note, row=row, created=False)
        note = Note(
            id=draft.id,
            scope=draft.scope,
            text=draft.text,
            speaker=draft.speaker,
            source=draft.source,
            trust=draft.trust,
            content_hash=draft.content_hash,
            created_at=draft.created_at,
            kind=draft.kind,
            tags=draft.tags,
            occurred_at=draft.occurred_at,
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
        )
        if supersedes is not None:
            old = self._row(draft.scope.subject, supersedes)
            if old.note.superseded_by is not None or old.note.forgotten_at is not None:
                raise NotFound(f"no current note {supersedes}")
            old.note = replace(old.note, superseded_by=draft.id, superseded_at=draft.created_at)
        row = len(self.rows) + 1
        self.rows[row] = _Row(note=note, draft=draft)
        return Stored(note=note, row=row, created=True)

    def get(self, subject: str, note_id: str) -> Note:
        """The note; NotFound for a foreign id."""
        return self._row(subject, note_id).note

    def forget(self, subject: str, note_id: str, *, at: datetime) -> None:
        """Take one note out of recall."""
        held = self._row(subject, note_id)
        held.note = replace(held.note, forgotten_at=at)

    def put_vectors(self, identity_digest: str, vectors: Mapping[int, "Float32Array"]) -> None:
        """Store vectors by row."""
        for row, vector in vectors.items():
            self.rows[row].vectors[identity_digest] = [float(part) for part in vector]

    def awaiting_vectors(self, *, limit: int, subject: str | None = None) -> list[Pending]:
        """Notes without any vector, newest first."""
        waiting = [
            Pending(row=row, note=held.note)
            for row, held in sorted(self.rows.items(), reverse=True)
            if not held.vectors and subject in (None, held.note.scope.subject)
        ]
        return waiting[:limit]

    def close(self) -> None:
        """Nothing is open."""

    def _of(self, subject: str) -> list[tuple[int, _Row]]:
        return [pair for pair in self.rows.items() if pair[1].note.scope.subject == subject]

    def _row(self, subject: str, note_id: str) -> _Row:
        for _, held in self._of(subject):
            if held.note.id == note_id:
                return held
        raise NotFound(f"no note {note_id}")


class ReferenceView:
    """One subject through one filter, by looking at every row."""

    def __init__(self, rows: dict[int, _Row], read_filter: ReadFilter) -> None:
        self._filter = read_filter
        self._rows = {
            row: held
            for row, held in rows.items()
            if held.note.scope.subject == read_filter.scope.subject and held.note.forgotten_at is None
        }

    @property
    def corpus(self) -> Corpus:
        """Statistics of the subject's unforgotten rows."""
        lengths = [held.draft.token_count for held in self._rows.values()]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        return Corpus(documents=len(lengths), mean_length=mean)

    def postings(self, word: str, *, limit: int | None = None) -> list[int]:
        """Rows that hold the word's stem."""
        rows = [
            row
            for row, held in self._rows.items()
            if STEMS[word] in {STEMS[one] for one in held.draft.search_text.split(" ")}
        ]
        return rows if limit is None else sorted(rows, reverse=True)[:limit]

    def document_frequency(self, word: str) -> int:
        """Length of the postings."""
        return len(self.postings(word))

    def eligible(self, rows: Iterable[int]) -> list[int]:
        """Those that pass the filter."""
        return [row for row in rows if row in self._rows and self._passes(self._rows[row].note)]

    def search_texts(self, rows: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Indexed text and length by row."""
        drafts = {row: self._rows[row].draft for row in rows}
        return {row: (one.search_text, one.token_count) for row, one in drafts.items()}

    def documents(self, rows: Sequence[int]) -> dict[int, Document]:
        """Eligible records by row."""
        return {
            row: Document(
                row=row,
                note=self._rows[row].note,
                search_text=self._rows[row].draft.search_text,
                token_count=self._rows[row].draft.token_count,
            )
            for row in self.eligible(rows)
        }

    def nearest(self, identity_digest: str, vector: "Float32Array", k: int) -> list[tuple[int, float]]:
        """Best cosine first, ties by content hash."""
        found = self.cosines(identity_digest, vector, self.eligible(self._rows))
        ordered = sorted(
            found.items(),
            key=lambda pair: (-round(pair[1], 6), self._rows[pair[0]].note.content_hash),
        )
        return ordered[:k]

    @property
    def unscanned(self) -> int:
        """None: every vector is compared."""
        return 0

    def cosines(self, identity_digest: str, vector: "Float32Array", rows: Sequence[int]) -> dict[int, float]:
        """Cosine of each row that has a vector."""
        wanted = {row: self._rows[row].vectors.get(identity_digest) for row in rows}
        return {row: _cosine(vector, other) for row, other in wanted.items() if other is not None}

    def turns_beside(self, rows: Sequence[int]) -> dict[int, Beside]:
        """The turns around each row of a session, where they are eligible."""
        return {
            row: Beside(before=self._turn(row, later=False), after=self._turn(row, later=True))
            for row in rows
            if row in self._rows
            and self._rows[row].note.scope.session is not None
            and self._rows[row].note.kind is RecordKind.NOTE
        }

    def _turn(self, row: int, *, later: bool) -> int | None:
        note = self._rows[row].note
        own = (note.scope.session, note.scope.project)
        others = {
            other: _telling(held.note)
            for other, held in self._rows.items()
            if (held.note.scope.session, held.note.scope.project) == own and held.note.kind is RecordKind.NOTE
        }
        here = others[row]
        beyond = [one for one in others if (others[one] > here if later else others[one] < here)]
        if not beyond:
            return None
        nearest = min(beyond, key=others.__getitem__) if later else max(beyond, key=others.__getitem__)
        return nearest if self.eligible([nearest]) else None

    def vocabulary(self, length: int) -> list[str]:
        """Distinct words of that length."""
        words = {word for held in self._rows.values() for word in held.draft.vocabulary}
        return sorted(word for word in words if len(word) == length)

    def fact_parts(self, rows: Sequence[int]) -> dict[int, FactPart]:
        """None: the reference holds notes alone."""
        return {}

    def facts_named(self, predicates: Sequence[str]) -> list[int]:
        """None, for the same reason."""
        return []

    def outdated(self, record_ids: Sequence[str]) -> frozenset[str]:
        """None, for the same reason."""
        return frozenset()

    def _passes(self, note: Note) -> bool:
        scope, at = self._filter.scope, self._filter.at
        return (
            all(
                getattr(scope, part) in (None, getattr(note.scope, part))
                for part in ("project", "session", "agent")
            )
            and (note.valid_from is None or note.valid_from <= at)
            and (note.valid_to is None or at < note.valid_to)
            and (note.superseded_at is None or (self._filter.as_of and at < note.superseded_at))
            and (not self._filter.as_of or note.created_at <= at)
            and set(self._filter.tags) <= set(note.tags)
            and (not self._filter.kinds or note.kind in self._filter.kinds)
        )


def _telling(note: Note) -> tuple[datetime, datetime]:
    return note.occurred_at or note.created_at, note.created_at


def _cosine(one: "Float32Array", other: Sequence[float]) -> float:
    dot = sum(float(a) * b for a, b in zip(one, other, strict=True))
    norms = math.sqrt(sum(float(a) ** 2 for a in one) * sum(b * b for b in other))
    return dot / norms if norms else 0.0
