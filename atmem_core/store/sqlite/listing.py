"""Notes by scope, by chain, by what waits; and the few columns that may change."""

from collections.abc import Sequence

import apsw

from atmem_core.errors import NotFound
from atmem_core.records import Note
from atmem_core.store.protocol import Pending, ReadFilter
from atmem_core.store.sqlite.asking import every, first
from atmem_core.store.sqlite.eligibility import PARTS, filter_fields, included_sql
from atmem_core.store.sqlite.rows import BY_ID, NOTE_COLUMNS, SEQUENCE_BITS, by_id, own_rows, to_note

NUMBER = "SELECT number FROM subjects WHERE name = :subject"
_NEWEST = " ORDER BY notes.row DESC LIMIT :limit OFFSET :offset"
_ALL = "SELECT " + NOTE_COLUMNS + " FROM notes WHERE notes.subject_number = :number"
_KINDS = " AND (:kinds = '[]' OR notes.kind IN (SELECT value FROM json_each(:kinds)))"
_TAGGED = (
    " AND (:tag_count = 0 OR (SELECT COUNT(*) FROM note_tags WHERE note_tags.row = notes.row "
    "AND tag IN (SELECT value FROM json_each(:tags))) = :tag_count)"
)
BEFORE = "SELECT id FROM notes WHERE superseded_by = :id AND +subject_number = :number ORDER BY row DESC"
WAITING = (
    "SELECT " + NOTE_COLUMNS + ", subjects.name FROM waiting JOIN notes ON notes.row = waiting.row "
    "JOIN subjects ON subjects.number = notes.subject_number "
    "WHERE waiting.row BETWEEN :low AND :high ORDER BY waiting.row DESC LIMIT :limit"
)
_LAST_ROW = (1 << 63) - 1
_NAMED = "id = :id AND +subject_number = (SELECT number FROM subjects WHERE name = :subject)"
USE = "UPDATE notes SET use_count = use_count + 1, last_used_at = :at WHERE " + _NAMED
ARCHIVE = (
    "UPDATE notes SET archived_at = :at WHERE archived_at IS NULL AND forgotten_at IS NULL AND "
    + _NAMED
    + " RETURNING superseded_by"
)
VOUCH = (
    "UPDATE notes SET trust = :trust WHERE superseded_by IS NULL AND forgotten_at IS NULL AND "
    + _NAMED
    + " RETURNING row"
)
CHANGED = "UPDATE subjects SET revision = revision + 1 WHERE name = :subject"
LESS_ACTIVE = "UPDATE subjects SET active = active - :count WHERE name = :subject"


def notes(
    connection: apsw.Connection,
    read_filter: ReadFilter,
    *,
    limit: int,
    offset: int,
    all_states: bool,
) -> list[Note]:
    """A page of the subject's notes, newest first."""
    subject = read_filter.scope.subject
    found = first(connection, NUMBER, {"subject": subject})
    fields = {
        **filter_fields(found[0] if found else 0, read_filter),
        "limit": limit,
        "offset": offset,
    }
    if all_states:
        given = [sql for part, sql in PARTS.items() if getattr(read_filter.scope, part) is not None]
        sql = _ALL + _KINDS + _TAGGED + "".join(given) + _NEWEST
    else:
        sql = _ALL + " AND notes.row IN (" + included_sql(read_filter) + ")" + _NEWEST
    return [to_note(row, subject) for row in every(connection, sql, fields)]


def versions(connection: apsw.Connection, subject: str, note_id: str) -> list[Note]:
    """Back to the first versions and on to the last; an erased or missing link ends the chain.

    A link is missing while an import is under way, or after one that was interrupted; one that was written
    by hand may close a ring. Each note stands in the chain once.
    """
    row, named = by_id(connection, subject, note_id)
    number = row >> SEQUENCE_BITS
    newest_first, seen = [named], {named.id}
    for note in newest_first:  # grows on the way: several notes may have given way to one
        older = every(connection, BEFORE, {"id": note.id, "number": number})
        new = [one for (one,) in older if one not in seen]
        seen.update(new)
        newest_first += [by_id(connection, subject, one)[1] for one in new]
    chain = newest_first[::-1]
    while (newer := chain[-1].superseded_by) is not None and newer not in seen:
        found = first(connection, BY_ID, {"id": newer, "subject": subject})
        if found is None:
            break
        seen.add(newer)
        chain.append(to_note(found, subject))
    return chain


def awaiting(connection: apsw.Connection, subject: str | None, limit: int) -> list[Pending]:
    """Notes without a vector, newest first."""
    low, high = 0, _LAST_ROW
    if subject is not None:
        number = first(connection, NUMBER, {"subject": subject})
        low, high = own_rows(number[0] if number else 0)
    fields = {"low": low, "high": high, "limit": limit}
    found = every(connection, WAITING, fields)
    return [Pending(row=one[0], note=to_note(one[:-1], one[-1])) for one in found]


def mark_used(connection: apsw.Connection, subject: str, ids: Sequence[str], at: int) -> None:
    """Count one use of each; ids of others are passed over."""
    connection.executemany(USE, [{"id": one, "subject": subject, "at": at} for one in set(ids)])


def vouch(connection: apsw.Connection, subject: str, note_id: str, *, trust: float) -> None:
    """Give a current note this trust. Raises NotFound."""
    if first(connection, VOUCH, {"id": note_id, "subject": subject, "trust": trust}) is None:
        by_id(connection, subject, note_id)  # says that it isn't there, as ever
        raise NotFound(f"{note_id!r} was superseded or forgotten; there is nothing to confirm")
    connection.execute(CHANGED, {"subject": subject})


def archive(connection: apsw.Connection, subject: str, ids: Sequence[str], at: int) -> int:
    """Archive those that aren't yet; how many changed."""
    changed = [
        found
        for one in set(ids)
        for found in every(connection, ARCHIVE, {"id": one, "subject": subject, "at": at})
    ]
    active = sum(superseded is None for (superseded,) in changed)
    connection.execute(LESS_ACTIVE, {"count": active, "subject": subject})
    return len(changed)
