"""Moving facts out and in: the record, what it states, and every end it was known to have."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.records import CopyOutcome, CopyRefused, FactCopy, FactEnd, HeldFact, HeldNote, ImportCode
from atmem_core.store.sqlite.asking import Answer, every, first, sole
from atmem_core.store.sqlite.fact_rows import FACT_COLUMNS, FROM_FACTS, fact_checksum, to_fact
from atmem_core.store.sqlite.moving import HELD, NUMBER, REPOINT, insert_copy, merge_state
from atmem_core.store.sqlite.rows import NOTE_COLUMNS, SEQUENCE_BITS, maybe_text, to_note

PAGE = (
    "SELECT " + FACT_COLUMNS + FROM_FACTS + "WHERE facts.subject_number = :number AND facts.row > :after "
    "ORDER BY facts.row LIMIT :limit"
)
RECORD = "SELECT " + NOTE_COLUMNS + ", notes.idempotency_key FROM notes WHERE notes.row = :row"
ENDS = "SELECT recorded_at, valid_to FROM fact_ends WHERE row = :row ORDER BY number"
STATE = "SELECT superseded_by, forgotten_at, valid_to FROM facts WHERE row = :row"
SUCCESSOR = "SELECT superseded_by, superseded_at FROM facts WHERE row = :row"
# What stands and holds for all the time of the copy says it already.
SAME = (
    "SELECT notes.id FROM facts CROSS JOIN notes ON notes.row = facts.row "
    "WHERE facts.subject_number = :number AND facts.triple = :triple AND facts.valid_from <= :valid_from "
    "AND (facts.valid_to IS NULL OR facts.valid_to >= :valid_to) "
    "AND facts.superseded_by IS NULL AND facts.forgotten_at IS NULL "
    "ORDER BY facts.valid_from DESC LIMIT 1"
)
INSERT = (
    "INSERT INTO facts (row, subject_number, entity, predicate, object, entity_key, predicate_key, key, "
    "triple, confidence, source_id, valid_from, valid_to, superseded_by, superseded_at, forgotten_at, "
    "checksum) VALUES (:row, :number, :entity, :predicate, :object, :entity_key, :predicate_key, :key, "
    ":triple, :confidence, :source_id, :valid_from, :valid_to, :superseded_by, :superseded_at, "
    ":forgotten_at, :checksum)"
)
ADD_END = (
    "INSERT INTO fact_ends (row, number, recorded_at, valid_to) VALUES (:row, "
    "(SELECT COUNT(*) + 1 FROM fact_ends WHERE row = :row), :recorded_at, :valid_to)"
)
CLOSE = (
    "UPDATE facts SET valid_to = :valid_to, superseded_by = :superseded_by, superseded_at = :superseded_at "
    "WHERE row = :row"
)
FORGET = "UPDATE facts SET forgotten_at = COALESCE(forgotten_at, :forgotten_at) WHERE row = :row"
END_RECORD = (
    "UPDATE notes SET valid_to = :valid_to, restricted = 1 WHERE row = :row "
    "AND (valid_to IS NULL OR valid_to > :valid_to)"
)
REPOINT_FACTS = (
    "UPDATE facts SET superseded_by = :kept WHERE superseded_by = :id AND +subject_number = :number"
)
WRITE_STATEMENTS = {
    "page": PAGE,
    "record": RECORD,
    "ends": ENDS,
    "state": STATE,
    "successor": SUCCESSOR,
    "same": SAME,
    "insert": INSERT,
    "add end": ADD_END,
    "close": CLOSE,
    "forget": FORGET,
    "end record": END_RECORD,
    "repoint": REPOINT_FACTS,
}
"""What moving facts runs; a test reads the query plan of each."""
_EVER = (1 << 63) - 1


def page_of_facts(connection: apsw.Connection, subject: str, after: int, limit: int) -> list[HeldFact]:
    """The next facts in every state, in the order of their rows."""
    fields = {"number": _number(connection, subject), "after": after, "limit": limit}
    return [_held(connection, found, subject) for found in every(connection, PAGE, fields)]


def _held(connection: apsw.Connection, found: Answer, subject: str) -> HeldFact:
    row = {"row": found[0]}
    record = sole(connection, RECORD, row)
    return HeldFact(
        fact=to_fact(found, subject),
        record=HeldNote(
            row=found[0], note=to_note(record[:-1], subject), idempotency_key=maybe_text(record[-1])
        ),
        ends=tuple(
            FactEnd(recorded_at=from_micros(at), valid_to=from_micros(end))
            for at, end in every(connection, ENDS, row)
        ),
    )


def _number(connection: apsw.Connection, subject: str) -> int:
    found = first(connection, NUMBER, {"subject": subject})
    return int(found[0]) if found else 0


def copy_facts(
    connection: apsw.Connection,
    subject: str,
    copies: Sequence[FactCopy],
    *,
    aliases: MutableMapping[str, str],
) -> list[CopyOutcome | CopyRefused]:
    """Store each copy, or find what it repeats, inside the caller's transaction."""
    return [_copy(connection, subject, _pointed(copy, aliases), aliases) for copy in copies]


def _pointed(copy: FactCopy, aliases: Mapping[str, str]) -> FactCopy:
    """With the ids under which successors stand here."""
    record = replace(
        copy.record,
        superseded_by=aliases.get(copy.record.superseded_by or "", copy.record.superseded_by),
    )
    pointed = aliases.get(copy.superseded_by or "", copy.superseded_by)
    return replace(copy, record=record, superseded_by=pointed)


def _copy(
    connection: apsw.Connection, subject: str, copy: FactCopy, aliases: MutableMapping[str, str]
) -> CopyOutcome | CopyRefused:
    number, note = _number(connection, subject), copy.draft.note
    held = first(connection, HELD, {"id": note.id})
    if held is not None:
        stated = first(connection, STATE, {"row": held[0]})
        if stated is None or (held[1], held[2]) != (number, note.content_hash):
            return CopyRefused(code=ImportCode.ID_CONFLICT, message="this id stands for another record")
        return _merge(connection, held, copy)
    same = _same(connection, number, copy)
    if same is not None:
        aliases[note.id] = same
        for statement in (REPOINT, REPOINT_FACTS):
            connection.execute(statement, {"kept": same, "id": note.id, "number": number})
        return CopyOutcome.UNCHANGED
    row = insert_copy(connection, subject, copy.record)
    connection.execute(INSERT, _values(copy, row))
    for end in copy.ends:
        connection.execute(ADD_END, _end(row, end))
    return CopyOutcome.CREATED


def _same(connection: apsw.Connection, number: int, copy: FactCopy) -> str | None:
    if not copy.stands:
        return None
    fields = {
        "number": number,
        "triple": copy.draft.triple,
        "valid_from": to_micros(copy.draft.valid_from),
        "valid_to": _EVER if copy.valid_to is None else to_micros(copy.valid_to),
    }
    found = first(connection, SAME, fields)
    return None if found is None else str(found[0])


def _values(copy: FactCopy, row: int) -> dict[str, object]:
    draft = copy.draft
    return {
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
        "valid_to": _micros(copy.valid_to),
        "superseded_by": copy.superseded_by,
        "superseded_at": _micros(copy.superseded_at),
        "forgotten_at": _micros(copy.forgotten_at),
        "checksum": fact_checksum(draft.entity, draft.predicate, draft.object, draft.key),
    }


def _merge(connection: apsw.Connection, held: Answer, copy: FactCopy) -> CopyOutcome:
    """Take on what closes the fact. Of two ends the earlier one holds, with who brought it about."""
    row = held[0]
    superseded_by, forgotten_at, valid_to = sole(connection, STATE, {"row": row})
    known = set(every(connection, ENDS, {"row": row}))
    new = [end for end in copy.ends if (to_micros(end.recorded_at), to_micros(end.valid_to)) not in known]
    end = _micros(copy.valid_to)
    earlier = end is not None and (valid_to is None or end < valid_to)
    succeeded = copy.superseded_by is not None and (superseded_by is None or earlier)
    forgotten = forgotten_at is None and copy.forgotten_at is not None
    record = merge_state(connection, held, copy.record)
    if not (new or earlier or succeeded or forgotten):
        return record
    for one in new:
        connection.execute(ADD_END, _end(row, one))
    state = {"row": row, "valid_to": end if earlier else valid_to, "forgotten_at": _micros(copy.forgotten_at)}
    _close(connection, state, copy, succeeded=succeeded)
    connection.execute(FORGET, state)
    ended = copy.draft.note.valid_to
    if ended is not None:
        connection.execute(END_RECORD, {"row": row, "valid_to": to_micros(ended)})
    return CopyOutcome.UPDATED


def _close(
    connection: apsw.Connection, state: Mapping[str, object], copy: FactCopy, *, succeeded: bool
) -> None:
    found = sole(connection, SUCCESSOR, state)
    by, at = (copy.superseded_by, _micros(copy.superseded_at)) if succeeded else found
    connection.execute(CLOSE, {**state, "superseded_by": by, "superseded_at": at})


def _end(row: int, end: FactEnd) -> dict[str, object]:
    return {"row": row, "recorded_at": to_micros(end.recorded_at), "valid_to": to_micros(end.valid_to)}


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)
