"""Storing a fact: look-ups by index, the caller's plan, and the closings, in the caller's transaction."""

from collections.abc import Mapping

import apsw

from atmem_core.clock import to_micros
from atmem_core.errors import StoreError
from atmem_core.records import (
    Consolidate,
    Fact,
    FactAction,
    FactDraft,
    FactPlan,
    FactStored,
    FactWritten,
    PriorFacts,
)
from atmem_core.store.sqlite.adding import LESS_ACTIVE, add
from atmem_core.store.sqlite.asking import every, first
from atmem_core.store.sqlite.fact_rows import FACT_COLUMNS, FROM_FACTS, by_id, fact_checksum, find, to_fact
from atmem_core.store.sqlite.rows import SEQUENCE_BITS
from atmem_core.store.sqlite.rows import by_id as record_by_id

NUMBER = "SELECT number FROM subjects WHERE name = :name"
_SELECT = "SELECT " + FACT_COLUMNS + FROM_FACTS + "WHERE facts.subject_number = :number "
_STANDS = "AND facts.superseded_by IS NULL AND facts.forgotten_at IS NULL "
SAME = _SELECT + "AND facts.triple = :triple " + _STANDS + "ORDER BY facts.valid_from DESC LIMIT 1"
# Twenty: many-valued keys, such as what somebody likes, may have hundreds.
STANDING = _SELECT + "AND facts.key = :key " + _STANDS + "ORDER BY facts.valid_from DESC LIMIT 20"
_TIMELINE = _SELECT + "AND facts.key = :key AND facts.forgotten_at IS NULL "
BEFORE = (
    _TIMELINE + "AND facts.valid_from <= :valid_from ORDER BY facts.valid_from DESC, facts.row DESC LIMIT 1"
)
AFTER = _TIMELINE + "AND facts.valid_from > :valid_from ORDER BY facts.valid_from, facts.row LIMIT 1"
INSERT = (
    "INSERT INTO facts (row, subject_number, entity, predicate, object, entity_key, "
    "predicate_key, key, triple, confidence, source_id, "
    "valid_from, valid_to, checksum) VALUES (:row, :number, :entity, :predicate, :object, "
    ":entity_key, :predicate_key, :key, :triple, "
    ":confidence, :source_id, :valid_from, :valid_to, :checksum)"
)
END = (
    "INSERT INTO fact_ends (row, number, recorded_at, valid_to) VALUES (:row, "
    "(SELECT COUNT(*) + 1 FROM fact_ends WHERE row = :row), :at, :end)"
)
CLOSE = (
    "UPDATE facts SET valid_to = :end, superseded_by = :new_id, superseded_at = :at WHERE row = :row "
    "AND forgotten_at IS NULL AND (valid_to IS NULL OR valid_to >= :end) RETURNING row"
)
# What ends later than now still holds: supersession hides a record at once, so it waits for its end.
CLOSE_RECORD = (
    "UPDATE notes SET valid_to = :end, restricted = 1, "
    "superseded_by = CASE WHEN :end <= :at THEN :new_id ELSE superseded_by END, "
    "superseded_at = CASE WHEN :end <= :at THEN :at ELSE superseded_at END WHERE row = :row"
)
WAS_ACTIVE = (
    "SELECT superseded_by IS NULL AND archived_at IS NULL AND forgotten_at IS NULL FROM notes "
    "WHERE row = :row"
)
WRITE_STATEMENTS = {
    "number": NUMBER,
    "same": SAME,
    "standing": STANDING,
    "before": BEFORE,
    "after": AFTER,
    "insert": INSERT,
    "end": END,
    "close": CLOSE,
    "close record": CLOSE_RECORD,
    "was active": WAS_ACTIVE,
}
"""What a fact's write runs; a test reads the query plan of each."""


def put(
    connection: apsw.Connection,
    draft: FactDraft,
    consolidate: Consolidate,
    *,
    supersedes: str | None,
    max_notes: int | None,
) -> FactStored:
    """Store a draft inside the caller's transaction, as ``consolidate`` says."""
    subject = draft.note.scope.subject
    prior = _prior(connection, draft, supersedes)
    plan = consolidate(draft, prior, supersedes)
    if plan.action is FactAction.NOOP:
        if prior.same is None:
            raise StoreError("a statement that isn't stored can't be known")
        new_id = prior.same.id
    else:
        new_id = draft.note.id
        _insert(connection, draft, add(connection, draft.note, max_notes=max_notes, supersedes=None).row)
    at, start = to_micros(draft.note.created_at), to_micros(draft.valid_from)
    for old_id in plan.closes:
        row, old = by_id(connection, subject, old_id)
        _close(connection, row, by=new_id, end=max(start, to_micros(old.valid_from)), at=at)
    if plan.succeeded_by is not None:
        row, _ = by_id(connection, subject, new_id)
        end = to_micros(plan.succeeded_by.valid_from)
        _close(connection, row, by=plan.succeeded_by.id, end=end, at=at)
    return _stored(connection, subject, new_id, plan)


def _stored(connection: apsw.Connection, subject: str, fact_id: str, plan: FactPlan) -> FactStored:
    row, fact = by_id(connection, subject, fact_id)
    written = FactWritten(
        id=fact_id,
        fact=fact,
        action=plan.action,
        closed=plan.closes,
        notes=plan.notes,
    )
    return FactStored(written=written, record=record_by_id(connection, subject, fact_id)[1], row=row)


def _prior(connection: apsw.Connection, draft: FactDraft, supersedes: str | None) -> PriorFacts:
    subject = draft.note.scope.subject
    number = first(connection, NUMBER, {"name": subject})
    if number is None:
        return PriorFacts()
    fields = {
        "number": number[0],
        "key": draft.key,
        "triple": draft.triple,
        "valid_from": to_micros(draft.valid_from),
    }
    named = None if supersedes is None else find(connection, subject, supersedes)
    return PriorFacts(
        same=_one(connection, SAME, fields, subject),
        standing=tuple(to_fact(row, subject) for row in every(connection, STANDING, fields)),
        before=_one(connection, BEFORE, fields, subject),
        after=_one(connection, AFTER, fields, subject),
        named=None if named is None else named[1],
    )


def _one(connection: apsw.Connection, sql: str, fields: Mapping[str, object], subject: str) -> Fact | None:
    found = first(connection, sql, fields)
    return None if found is None else to_fact(found, subject)


def _insert(connection: apsw.Connection, draft: FactDraft, row: int) -> None:
    end = None if draft.note.valid_to is None else to_micros(draft.note.valid_to)
    fields = {
        "row": row,
        "number": row >> SEQUENCE_BITS,
        "entity": draft.entity,
        "predicate": draft.predicate,
        "object": draft.object,
        "entity_key": draft.entity_key,
        "predicate_key": draft.predicate_key,
        "key": draft.key,
        "triple": draft.triple,
        "confidence": draft.confidence,
        "source_id": draft.source_id,
        "valid_from": to_micros(draft.valid_from),
        "valid_to": end,
        "checksum": fact_checksum(draft.entity, draft.predicate, draft.object, draft.key),
    }
    connection.execute(INSERT, fields)
    if end is not None:
        connection.execute(END, {"row": row, "at": to_micros(draft.note.created_at), "end": end})


def _close(connection: apsw.Connection, row: int, *, by: str, end: int, at: int) -> None:
    """End one fact. All or nothing: a plan that doesn't fit what is stored undoes the whole write."""
    fields = {"row": row, "new_id": by, "end": end, "at": at}
    was_active = first(connection, WAS_ACTIVE, fields)
    if first(connection, CLOSE, fields) is None:
        raise StoreError("the fact to close isn't open; nothing was stored")
    connection.execute(CLOSE_RECORD, fields)
    connection.execute(END, fields)
    if end <= at and was_active is not None and was_active[0]:
        connection.execute(LESS_ACTIVE, {"subject_number": row >> SEQUENCE_BITS})
