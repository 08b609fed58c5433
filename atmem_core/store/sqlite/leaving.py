"""How notes leave: forgotten, which keeps the row, or erased, which keeps nothing."""

import json

import apsw

from atmem_core.clock import to_micros
from atmem_core.errors import NotFound
from atmem_core.records import EraseReceipt, Forgotten, Selector
from atmem_core.store.sqlite.asking import Answer, every, first, sole
from atmem_core.store.sqlite.rows import SEQUENCE_BITS

_LEAVING = (
    "SELECT row, id, superseded_by, forgotten_at, archived_at FROM notes WHERE subject_number = :number "
)
BY_ID = _LEAVING + "AND id = :note_id"
BY_SESSION = _LEAVING + "AND session = :session"
BY_PROJECT = _LEAVING + "AND project = :project"
OLDER = _LEAVING + "AND COALESCE(occurred_at, created_at) < :older_than"
ALL = _LEAVING
# What a note said goes with the note.
SAID = (
    "SELECT notes.row, notes.id, notes.superseded_by, notes.forgotten_at, notes.archived_at "
    "FROM facts CROSS JOIN notes ON notes.row = facts.row WHERE facts.subject_number = :number "
    "AND facts.source_id IN (SELECT value FROM json_each(:ids))"
)

NUMBER = "SELECT number FROM subjects WHERE name = :name"
TEXT = "SELECT search_text, token_count, vocabulary FROM notes WHERE row = :row"
UNINDEX = "INSERT INTO notes_fts (notes_fts, rowid, search_text) VALUES ('delete', :row, :search_text)"
FEWER_WORDS = (
    "UPDATE vocabulary SET documents = documents - 1 WHERE (subject_number, length, word) IN "
    "(SELECT :number, LENGTH(value), value FROM json_each(:vocabulary))"
)
NO_WORDS = (
    "DELETE FROM vocabulary WHERE documents <= 0 AND (subject_number, length, word) IN "
    "(SELECT :number, LENGTH(value), value FROM json_each(:vocabulary))"
)
NOT_WAITING = "DELETE FROM waiting WHERE row = :row"
NOT_NEAR = "DELETE FROM near_keys WHERE row = :row"
LESS = (
    "UPDATE subjects SET documents = documents - :gone, total_length = total_length - :token_count, "
    "active = active - :active WHERE number = :number"
)
FORGET = "UPDATE notes SET forgotten_at = :at, restricted = 1 WHERE row = :row"
FORGET_FACT = (
    "UPDATE facts SET forgotten_at = :at, valid_to = COALESCE(valid_to, MAX(:at, valid_from)) "
    "WHERE row = :row"
)
REVISE = "UPDATE subjects SET revision = revision + 1 WHERE number = :number"
ERASED = "UPDATE subjects SET revision = revision + 1, erasures = erasures + 1 WHERE number = :number"
UNPOINT = "UPDATE notes SET superseded_by = 'erased' WHERE superseded_by = :id"
UNPOINT_FACT = "UPDATE facts SET superseded_by = 'erased' WHERE superseded_by = :id"
COUNTS = {
    "note_tags": "SELECT COUNT(*) FROM note_tags WHERE row = :row",
    "near_keys": "SELECT COUNT(*) FROM near_keys WHERE row = :row",
    "waiting": "SELECT COUNT(*) FROM waiting WHERE row = :row",
    "fact_ends": "SELECT COUNT(*) FROM fact_ends WHERE row = :row",
    "facts": "SELECT COUNT(*) FROM facts WHERE row = :row",
    "vectors": "SELECT COUNT(*) FROM vectors WHERE row = :row",
    "links": "SELECT COUNT(*) FROM links WHERE from_row = :row OR to_row = :row",
}
WORDS = "SELECT COUNT(*) FROM vocabulary WHERE subject_number = :number"
DELETE = "DELETE FROM notes WHERE row = :row"
EMPTY_SUBJECT = (
    "DELETE FROM subjects WHERE number = :number "
    "AND NOT EXISTS (SELECT 1 FROM notes WHERE subject_number = :number)"
)
# What other processes hold of this file's vectors goes at their next look at this number.
ONE_MORE = (
    "INSERT INTO file_state (name, value) VALUES ('erasures', 1) "
    "ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value"
)
_FEW = 20
# Of many notes the index is written anew once, which leaves no byte of what was deleted: to wipe each word
# by itself takes eighty times as long.
SECURELY = "INSERT INTO notes_fts (notes_fts, rank) VALUES ('secure-delete', :on)"
OPTIMISE = "INSERT INTO notes_fts (notes_fts) VALUES ('optimize')"
PENDING = "INSERT OR REPLACE INTO file_state (name, value) VALUES ('pending_checkpoint', :erasure)"
WRITE_STATEMENTS = {
    "by id": BY_ID,
    "by session": BY_SESSION,
    "by project": BY_PROJECT,
    "said": SAID,
    "number": NUMBER,
    "text": TEXT,
    "unindex": UNINDEX,
    "fewer words": FEWER_WORDS,
    "no words": NO_WORDS,
    "not waiting": NOT_WAITING,
    "not near": NOT_NEAR,
    "less": LESS,
    "forget": FORGET,
    "forget fact": FORGET_FACT,
    "revise": REVISE,
    "erased": ERASED,
    "unpoint": UNPOINT,
    "unpoint fact": UNPOINT_FACT,
    **COUNTS,
    "words": WORDS,
    "delete": DELETE,
    "empty subject": EMPTY_SUBJECT,
    "one more": ONE_MORE,
    "pending": PENDING,
}
"""What leaving runs; a test reads the query plan of each."""


def chosen(
    connection: apsw.Connection, subject: str, selector: Selector
) -> tuple[int, list[tuple[int, str, bool, bool]]]:
    """The subject's number, and row, id, indexed, active of each chosen note.

    Raises:
        NotFound: A note id that the subject doesn't have.
    """
    found = first(connection, NUMBER, {"name": subject})
    number = found[0] if found else 0
    fields = {
        "number": number,
        "note_id": selector.note_id,
        "session": selector.session,
        "project": selector.project,
        "older_than": None if selector.older_than is None else to_micros(selector.older_than),
    }
    rows = every(connection, _statement(selector), fields) if number else []
    if selector.note_id is not None and not rows:
        raise NotFound(f"this subject has no note {selector.note_id!r}; list them with notes()")
    said = _said(connection, number, rows)
    return number, [
        (
            row,
            note_id,
            forgotten is None,
            superseded is None and forgotten is None and archived is None,
        )
        for row, note_id, superseded, forgotten, archived in [*rows, *said]
    ]


def _said(connection: apsw.Connection, number: int, rows: list[Answer]) -> list[Answer]:
    """The facts that the chosen notes said, unless they are chosen themselves."""
    ids = {row[1] for row in rows}
    found = every(connection, SAID, {"number": number, "ids": json.dumps(sorted(ids))}) if ids else []
    return [row for row in found if row[1] not in ids]


def _statement(selector: Selector) -> str:
    if selector.note_id is not None:
        return BY_ID
    if selector.session is not None:
        return BY_SESSION
    if selector.project is not None:
        return BY_PROJECT
    return OLDER if selector.older_than is not None else ALL


def leave_index(connection: apsw.Connection, row: int, *, active: bool) -> None:
    """Take one note out of the keyword index, the vocabulary, the statistics and the waiting list."""
    number = row >> SEQUENCE_BITS
    search_text, token_count, vocabulary = sole(connection, TEXT, {"row": row})
    connection.execute(UNINDEX, {"row": row, "search_text": search_text})
    words = {"number": number, "vocabulary": vocabulary}
    connection.execute(FEWER_WORDS, words)
    connection.execute(NO_WORDS, words)
    connection.execute(NOT_WAITING, {"row": row})
    connection.execute(NOT_NEAR, {"row": row})
    less = {"number": number, "gone": 1, "token_count": token_count, "active": int(active)}
    connection.execute(LESS, less)


def forget(connection: apsw.Connection, subject: str, selector: Selector, at: int) -> Forgotten:
    """Forget the chosen notes that aren't forgotten yet."""
    number, rows = chosen(connection, subject, selector)
    ids = []
    for row, note_id, indexed, active in rows:
        if indexed:
            leave_index(connection, row, active=active)
            connection.execute(FORGET, {"row": row, "at": at})
            connection.execute(FORGET_FACT, {"row": row, "at": at})
            ids.append(note_id)
    connection.execute(REVISE, {"number": number})
    return Forgotten(ids=tuple(ids))


def erase(connection: apsw.Connection, subject: str, selector: Selector) -> EraseReceipt:
    """Remove every row of the chosen notes; the caller empties the log afterwards."""
    number, rows = chosen(connection, subject, selector)
    counts = dict.fromkeys(("notes", "keyword_index", *COUNTS), 0)
    words = sole(connection, WORDS, {"number": number})[0]
    many = len(rows) > _FEW
    if many:
        connection.execute(SECURELY, {"on": 0})
    for row, note_id, indexed, active in rows:
        for table, sql in COUNTS.items():
            counts[table] += sole(connection, sql, {"row": row})[0]
        if indexed:
            leave_index(connection, row, active=active)
            counts["keyword_index"] += 1
        connection.execute(UNPOINT, {"id": note_id})
        connection.execute(UNPOINT_FACT, {"id": note_id})
        connection.execute(DELETE, {"row": row})
        counts["notes"] += 1
    if many:
        connection.execute(OPTIMISE)
        connection.execute(SECURELY, {"on": 1})
    counts["vocabulary"] = words - sole(connection, WORDS, {"number": number})[0]
    if rows:
        connection.execute(ERASED, {"number": number})
        connection.execute(EMPTY_SUBJECT, {"number": number})
        erasure = sole(connection, ONE_MORE)[0]
        connection.execute(PENDING, {"erasure": erasure})
    return EraseReceipt(ids=tuple(note_id for _, note_id, _, _ in rows), counts=counts)
