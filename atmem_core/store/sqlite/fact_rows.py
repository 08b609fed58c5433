"""Rows of the facts table, joined with their records, as facts."""

import zlib

import apsw

from atmem_core.clock import from_micros
from atmem_core.errors import NotFound
from atmem_core.records import Fact, Scope, Source
from atmem_core.store.sqlite.asking import Answer, first
from atmem_core.store.sqlite.rows import maybe_text, text_of

FACT_COLUMNS = (
    "facts.row, notes.id, notes.project, notes.session, notes.agent, facts.entity, facts.predicate, "
    "facts.object, notes.text, notes.speaker, notes.source, notes.trust, facts.confidence, "
    "notes.content_hash, facts.valid_from, notes.created_at, facts.valid_to, facts.superseded_by, "
    "facts.superseded_at, facts.forgotten_at, facts.source_id"
)
# Which of the two leads is for the planner, but notes never do: there are more of them.
FROM_FACTS = " FROM facts CROSS JOIN notes ON notes.row = facts.row "
BY_ID = (
    "SELECT " + FACT_COLUMNS + " FROM notes JOIN facts ON facts.row = notes.row "
    "JOIN subjects ON subjects.number = notes.subject_number "
    "WHERE notes.id = :id AND subjects.name = :subject"
)


def to_fact(row: Answer, subject: str) -> Fact:
    """The fact in a row of ``FACT_COLUMNS``."""
    (
        _, fact_id, project, session, agent, entity, predicate, stated, text, speaker, source, trust,
        confidence, content_hash, valid_from, recorded_at, valid_to, superseded_by, superseded_at,
        forgotten_at, source_id,
    ) = row  # fmt: skip
    return Fact(
        id=text_of(fact_id),
        scope=Scope(subject=subject, project=project, session=session, agent=agent),
        entity=text_of(entity),
        predicate=text_of(predicate),
        object=text_of(stated),
        text=text_of(text),
        speaker=text_of(speaker),
        source=Source(source),
        trust=trust,
        confidence=float(confidence),
        content_hash=text_of(content_hash),
        valid_from=from_micros(valid_from),
        recorded_at=from_micros(recorded_at),
        valid_to=None if valid_to is None else from_micros(valid_to),
        superseded_by=maybe_text(superseded_by),
        superseded_at=None if superseded_at is None else from_micros(superseded_at),
        forgotten_at=None if forgotten_at is None else from_micros(forgotten_at),
        source_id=maybe_text(source_id),
    )


def find(connection: apsw.Connection, subject: str, fact_id: object) -> tuple[int, Fact] | None:
    """Row and fact; None for a missing and for another subject's id."""
    if not isinstance(fact_id, str):
        return None
    found = first(connection, BY_ID, {"id": fact_id, "subject": subject})
    return None if found is None else (int(found[0]), to_fact(found, subject))


def by_id(connection: apsw.Connection, subject: str, fact_id: str) -> tuple[int, Fact]:
    """Row and fact. Raises NotFound, also for another subject's id."""
    found = find(connection, subject, fact_id)
    if found is None:
        raise NotFound(f"this subject has no fact {fact_id!r}; list them with facts.list()")
    return found


def fact_checksum(entity: str, predicate: str, stated: str, key: str) -> bytes:
    """CRC-32 over what must not rot, 4 bytes."""
    return zlib.crc32("\0".join((entity, predicate, stated, key)).encode()).to_bytes(4, "big")
