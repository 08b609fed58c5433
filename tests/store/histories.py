"""Histories of writes, told to a real store and to the plain one at the same time."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import NotFound
from atmem_core.records import FactDraft, Note, NoteDraft, Scope, Selector
from atmem_core.remember.fact_draft import Statement, draft_fact
from atmem_core.remember.ingest import Telling, draft
from atmem_core.store.protocol import ReadFilter, Stored
from atmem_core.store.sqlite.store import SqliteStore
from atmem_core.testing.stores import ReferenceStore

START = datetime(2030, 1, 1, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
IDENTITY = "i" * 64
DIMENSIONS = 8


@dataclass(slots=True)
class SteppingClock:
    """One second a look, ids in order."""

    ticks: int = 0
    ids: int = 0
    name: str = ""

    def now(self) -> datetime:
        self.ticks += 1
        return START + timedelta(seconds=self.ticks)

    def new_id(self, prefix: str) -> str:
        self.ids += 1
        return f"{prefix}{self.name}{self.ids:06}"


def drafted(text: str, clock: Clock, *, subject: str = "ada", **given: Any) -> NoteDraft:
    parts = {name: given.pop(name, None) for name in ("project", "session", "agent")}
    scope = Scope(subject=subject, **parts)
    return draft(Telling(text=text, scope=scope, **given), clock)


def stated(
    entity: str, predicate: str, value: str, clock: Clock, *, subject: str = "ada", **given: Any
) -> FactDraft:
    parts = {name: given.pop(name, None) for name in ("project", "session", "agent")}
    scope = Scope(subject=subject, **parts)
    told = Statement(entity=entity, predicate=predicate, object=value, scope=scope, **given)
    return draft_fact(told, clock)


def opened(path: object = ":memory:", **given: Any) -> SqliteStore:
    return SqliteStore.open(str(path), config=Config(**given))


def reading(subject: str = "ada", at: datetime = LATER, **given: Any) -> ReadFilter:
    parts = {name: given.pop(name, None) for name in ("project", "session", "agent")}
    scope = Scope(subject=subject, **parts)
    return ReadFilter(scope=scope, at=at, **given)


def unit(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    vector = np.random.default_rng(seed).standard_normal(dimensions)
    found: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return found


class Oracle(ReferenceStore):
    """The reference, with what it leaves out."""

    def add(self, draft: NoteDraft, *, supersedes: str | None = None) -> Stored:
        """As the reference; a text that is there already closes the old note all the same."""
        if supersedes is None:
            return super().add(draft)
        same = next(
            (
                held.note
                for _, held in self._of(draft.scope.subject)
                if held.draft.dedupe_hash == draft.dedupe_hash
                and held.note.superseded_by is None
                and held.note.forgotten_at is None
            ),
            None,
        )
        old = self._row(draft.scope.subject, supersedes)
        if same is None or same.id == supersedes:
            return super().add(draft, supersedes=supersedes)
        if old.note.superseded_by is not None or old.note.forgotten_at is not None:
            raise NotFound("not current")
        old.note = replace(old.note, superseded_by=same.id, superseded_at=draft.created_at)
        return super().add(draft)

    def erase(self, subject: str, note_id: str) -> None:
        """Nothing reads a forgotten row, so for reads it is as good as gone."""
        self.forget(subject, note_id, at=START)


@dataclass(slots=True)
class Pair:
    """A real store and the reference, after the same history."""

    store: SqliteStore
    oracle: Oracle = field(default_factory=Oracle)
    clock: SteppingClock = field(default_factory=SteppingClock)
    notes: list[Note] = field(default_factory=list)
    erased: set[str] = field(default_factory=set)

    def add(self, text: str, *, supersedes: Note | None = None, **given: Any) -> None:
        one = drafted(text, self.clock, **given)
        old = None if supersedes is None else supersedes.id
        try:
            expected = self.oracle.add(one, supersedes=old)
        except NotFound:
            expected = None
        try:
            found = self.store.add(one, supersedes=old)
        except NotFound:
            assert expected is None
            return
        assert expected is not None
        assert (found.note.id, found.created) == (expected.note.id, expected.created)
        if found.created:
            self.notes.append(found.note)

    def embed(self, note: Note, vector: NDArray[np.float32]) -> None:
        for row, held in self.oracle.rows.items():
            if held.note.id == note.id and held.note.id not in self.erased:
                self.oracle.put_vectors(IDENTITY, {row: vector})
        self.store.put_vectors(IDENTITY, {row_of(self.store, note): vector})

    def forget(self, note: Note) -> None:
        if note.id not in self.erased:
            at = self.clock.now()
            self.oracle.forget(note.scope.subject, note.id, at=at)
            self.store.forget(note.scope.subject, Selector(note_id=note.id), at=at)

    def erase(self, note: Note) -> None:
        if note.id not in self.erased:
            self.erased.add(note.id)
            self.oracle.erase(note.scope.subject, note.id)
            receipt = self.store.erase(note.scope.subject, Selector(note_id=note.id), at=self.clock.now())
            assert receipt.ids == (note.id,)


def row_of(store: SqliteStore, note: Note) -> int:
    """The store's integer for a note; 0 when it was erased."""
    with store._connections.reading() as connection:
        sql = "SELECT row FROM notes WHERE id = :id"
        found = connection.execute(sql, {"id": note.id}).fetchone()
    return 0 if found is None else int(found[0])
