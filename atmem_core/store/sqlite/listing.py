"""Notes by scope, by chain, by what waits; and the few columns that may change."""

import json
from collections.abc import Sequence

import apsw

from atmem_core.records import Note
from atmem_core.store.protocol import Pending, ReadFilter
from atmem_core.store.sqlite.eligibility import PARTS, filter_fields, included_sql
from atmem_core.store.sqlite.rows import NOTE_COLUMNS, SEQUENCE_BITS, by_id, to_note

NUMBER = "SELECT number FROM subjects WHERE name = :subject"
_NEWEST = " ORDER BY notes.row DESC LIMIT :limit OFFSET :offset"
_ALL = "SELECT " + NOTE_COLUMNS + " FROM notes WHERE notes.subject_number = :number"
BEFORE = "SELECT id FROM notes WHERE superseded_by = :id AND subject_number = :number"
WAITING = (
    "SELECT " + NOTE_COLUMNS + ", subjects.name FROM waiting JOIN notes ON notes.row = waiting.row "
    "JOIN subjects ON subjects.number = notes.subject_number "
    "WHERE :subject IS NULL OR subjects.name = :subject ORDER BY waiting.row DESC LIMIT :limit"
)
_NAMED = (
    "id IN (SELECT value FROM json_each(:ids)) "
    "AND subject_number = (SELECT number FROM subjects WHERE name = :subject)"
)
USE = "UPDATE notes SET use_count = use_count + 1, last_used_at = :at WHERE " + _NAMED
ARCHIVE = (
    "UPDATE notes SET archived_at = :at WHERE archived_at IS NULL AND forgotten_at IS NULL AND "
    + _NAMED
    + " RETURNING superseded_by"
)
LESS_ACTIVE = "UPDATE subjects SET active = active - :count WHERE name = :subject"


def notes(
    connection: apsw.Connection, read_filter: ReadFilter, *, limit: int, offset: int, all_states: bool
) -> list[Note]:
    """A page of the subject's notes, newest first."""
    subject = read_filter.scope.subject
    found = connection.execute(NUMBER, {"subject": subject}).fetchone()
    fields = {**filter_fields(found[0] if found else 0, read_filter), "limit": limit, "offset": offset}
    if all_states:
        given = [sql for part, sql in PARTS.items() if getattr(read_filter.scope, part) is not None]
        sql = _ALL + "".join(given) + _NEWEST
    else:
        sql = _ALL + " AND notes.row IN (" + included_sql(read_filter) + ")" + _NEWEST
    return [to_note(row, subject) for row in connection.execute(sql, fields).fetchall()]


def versions(connection: apsw.Connection, subject: str, note_id: str) -> list[Note]:
    """Back to the first version and on to the last; an erased link ends the chain."""
    row, first = by_id(connection, subject, note_id)
    number = row >> SEQUENCE_BITS
    chain = [first]
    while (older := connection.execute(BEFORE, {"id": chain[0].id, "number": number}).fetchone()) is not None:
        chain.insert(0, by_id(connection, subject, older[0])[1])
    while (newer := chain[-1].superseded_by) is not None and newer != "erased":
        chain.append(by_id(connection, subject, newer)[1])
    return chain


def awaiting(connection: apsw.Connection, subject: str | None, limit: int) -> list[Pending]:
    """Notes without a vector, newest first."""
    found = connection.execute(WAITING, {"subject": subject, "limit": limit}).fetchall()
    return [Pending(row=one[0], note=to_note(one[:-1], one[-1])) for one in found]


def mark_used(connection: apsw.Connection, subject: str, ids: Sequence[str], at: int) -> None:
    """Count one use of each; ids of others are passed over."""
    connection.execute(USE, {"ids": json.dumps(list(ids)), "subject": subject, "at": at})


def archive(connection: apsw.Connection, subject: str, ids: Sequence[str], at: int) -> int:
    """Archive those that aren't yet; how many changed."""
    fields = {"ids": json.dumps(list(ids)), "subject": subject, "at": at}
    found = connection.execute(ARCHIVE, fields).fetchall()
    active = sum(superseded is None for (superseded,) in found)
    connection.execute(LESS_ACTIVE, {"count": active, "subject": subject})
    return len(found)
