"""Storing a note: every check is one index look-up, so a write costs the same in any file."""

import json
from collections.abc import Mapping

import apsw

from atmem_core.clock import to_micros
from atmem_core.errors import NotFound, StoreError, WriteRefused
from atmem_core.records import Note, NoteDraft
from atmem_core.store.protocol import Stored
from atmem_core.store.sqlite.asking import every, first, sole
from atmem_core.store.sqlite.rows import (
    LAST_SEQUENCE,
    NOTE_COLUMNS,
    SEQUENCE_BITS,
    by_id,
    to_note,
    values,
)

_NOT_SUPERSEDED = " AND superseded_by IS NULL AND forgotten_at IS NULL"
SUBJECT = (
    "INSERT INTO subjects (name) VALUES (:name) ON CONFLICT (name) DO UPDATE SET revision = revision + 1 "
    "RETURNING number, next_sequence"
)
SAME = (
    "SELECT " + NOTE_COLUMNS + " FROM notes "
    "WHERE subject_number = :subject_number AND dedupe_hash = :dedupe_hash" + _NOT_SUPERSEDED
)
BY_KEY = (
    "SELECT " + NOTE_COLUMNS + ", notes.dedupe_hash FROM notes "
    "WHERE subject_number = :subject_number AND idempotency_key = :idempotency_key"
)
INSERT = (
    "INSERT INTO notes (row, id, subject_number, project, session, agent, kind, speaker, source, trust, "
    "tags, text, content_hash, checksum, dedupe_hash, idempotency_key, search_text, token_count, "
    "vocabulary, occurred_at, created_at, valid_from, valid_to, restricted) VALUES (:row, :id, "
    ":subject_number, :project, :session, :agent, :kind, :speaker, :source, :trust, :tags, :text, "
    ":content_hash, :checksum, :dedupe_hash, :idempotency_key, :search_text, :token_count, :vocabulary, "
    ":occurred_at, :created_at, :valid_from, :valid_to, :restricted)"
)
INDEX = "INSERT INTO notes_fts (rowid, search_text) VALUES (:row, :search_text)"
TAG = "INSERT INTO note_tags (row, tag) VALUES (:row, :tag)"
WORDS = (
    "INSERT INTO vocabulary (subject_number, length, word, documents) "
    "SELECT :subject_number, LENGTH(value), value, 1 FROM json_each(:vocabulary) WHERE TRUE "
    "ON CONFLICT DO UPDATE SET documents = documents + 1"
)
NEAR = "INSERT OR IGNORE INTO near_keys (subject_number, key, row) VALUES (:subject_number, :key, :row)"
# The newest hundred of a key are looked at: "ok, thanks" in each of 10,000 sessions must cost no more.
NEAR_ROWS = (
    "SELECT row FROM near_keys WHERE subject_number = :subject_number AND key = :key AND row < :row "
    "ORDER BY row DESC LIMIT 100"
)
SIMILAR = (
    "SELECT id FROM notes WHERE row IN (SELECT value FROM json_each(:rows)) "
    "AND superseded_by IS NULL AND forgotten_at IS NULL "
    "AND (valid_from IS NULL OR valid_from <= :created_at) "
    "AND (valid_to IS NULL OR valid_to > :created_at) "
    "AND +project IS :project AND +session IS :session AND +agent IS :agent "
    "ORDER BY row DESC LIMIT 20"
)
WAIT = "INSERT INTO waiting (row) VALUES (:row)"
COUNT = (
    "UPDATE subjects SET next_sequence = next_sequence + 1, documents = documents + 1, "
    "total_length = total_length + :token_count, active = active + 1 WHERE number = :subject_number "
    "RETURNING active"
)
CLOSE = (
    "UPDATE notes SET superseded_by = :new_id, superseded_at = :at, restricted = 1 WHERE row = :row "
    "AND superseded_by IS NULL AND forgotten_at IS NULL RETURNING archived_at"
)
LESS_ACTIVE = "UPDATE subjects SET active = active - 1 WHERE number = :subject_number"
LEAST_USEFUL = (
    "UPDATE notes SET archived_at = :at WHERE row IN (SELECT row FROM notes INDEXED BY notes_utility "
    "WHERE subject_number = :subject_number AND superseded_by IS NULL AND forgotten_at IS NULL "
    "AND archived_at IS NULL AND row <> :row ORDER BY use_count, last_used_at, created_at LIMIT :excess)"
)
FEWER_ACTIVE = "UPDATE subjects SET active = active - :excess WHERE number = :subject_number"
WRITE_STATEMENTS = {
    "subject": SUBJECT,
    "same": SAME,
    "by_key": BY_KEY,
    "insert": INSERT,
    "index": INDEX,
    "tag": TAG,
    "words": WORDS,
    "near": NEAR,
    "near rows": NEAR_ROWS,
    "similar": SIMILAR,
    "wait": WAIT,
    "count": COUNT,
    "close": CLOSE,
    "archive": LEAST_USEFUL,
    "less active": LESS_ACTIVE,
    "fewer active": FEWER_ACTIVE,
}
"""What a write runs; a test reads the query plan of each."""


def add(
    connection: apsw.Connection, draft: NoteDraft, *, supersedes: str | None, max_notes: int | None
) -> Stored:
    """Store a draft inside the caller's transaction."""
    subject = draft.scope.subject
    number, sequence = sole(connection, SUBJECT, {"name": subject})
    if sequence > LAST_SEQUENCE:
        raise StoreError("this subject has used all its sequence numbers; start another one")
    row = number << SEQUENCE_BITS | sequence
    fields = values(draft, row)
    old = None if supersedes is None else _of_kind(by_id(connection, subject, supersedes), draft)
    known = _known(connection, draft, fields)
    if known is not None:
        _stand_in(connection, old, known, draft)
        return known
    if old is not None:
        _close(connection, old[0], draft.id, draft)
    _insert(connection, draft, fields)
    note = by_id(connection, subject, draft.id)[1]
    active = sole(connection, COUNT, fields)[0]
    if max_notes is not None and active > max_notes:
        excess = {**fields, "excess": active - max_notes, "at": fields["created_at"]}
        connection.execute(LEAST_USEFUL, excess)
        connection.execute(FEWER_ACTIVE, excess)
    return Stored(note=note, row=row, created=True, similar=_similar(connection, draft, fields))


def _of_kind(old: tuple[int, Note], draft: NoteDraft) -> tuple[int, Note]:
    """A record gives way to its own kind: what ends a fact is another fact."""
    if old[1].kind is not draft.kind:
        raise NotFound(f"{old[1].id!r} is a {old[1].kind.value}, which a {draft.kind.value} can't supersede")
    return old


def _known(connection: apsw.Connection, draft: NoteDraft, fields: Mapping[str, object]) -> Stored | None:
    """The note that this draft repeats, by key or by content."""
    if draft.idempotency_key is not None:
        found = first(connection, BY_KEY, fields)
        if found is not None:
            if found[-1] != draft.dedupe_hash:
                raise WriteRefused("idempotency_conflict", "this idempotency_key was used for another text")
            return Stored(note=to_note(found[:-1], draft.scope.subject), row=found[0], created=False)
    found = first(connection, SAME, fields)
    if found is None:
        return None
    return Stored(note=to_note(found, draft.scope.subject), row=found[0], created=False)


def _insert(connection: apsw.Connection, draft: NoteDraft, fields: Mapping[str, object]) -> None:
    connection.execute(INSERT, fields)
    connection.execute(INDEX, fields)
    connection.executemany(TAG, [{"row": fields["row"], "tag": tag} for tag in draft.tags])
    connection.execute(WORDS, fields)
    connection.executemany(NEAR, [{**fields, "key": key} for key in draft.near_keys])
    connection.execute(WAIT, fields)


def _similar(connection: apsw.Connection, draft: NoteDraft, fields: Mapping[str, object]) -> tuple[str, ...]:
    rows = {row for key in draft.near_keys for (row,) in every(connection, NEAR_ROWS, {**fields, "key": key})}
    if not rows:
        return ()
    found = every(connection, SIMILAR, {**fields, "rows": json.dumps(list(rows))})
    return tuple([note_id for (note_id,) in found])


def _stand_in(
    connection: apsw.Connection, old: tuple[int, Note] | None, known: Stored, draft: NoteDraft
) -> None:
    """Close ``old`` in favour of a note that says the new text already.

    A call that is repeated with its key changes nothing.
    """
    if old is None or old[0] == known.row:
        return
    if draft.idempotency_key is not None and old[1].superseded_by == known.note.id:
        return
    if known.note.superseded_by is not None or known.note.forgotten_at is not None:
        # Found by its key alone. To close for it would hide both, or make the chain a ring.
        raise WriteRefused(
            "idempotency_conflict", "this idempotency_key was used for a note that isn't current"
        )
    _close(connection, old[0], known.note.id, draft)


def _close(connection: apsw.Connection, row: int, new_id: str, draft: NoteDraft) -> None:
    at = to_micros(draft.created_at)
    found = first(connection, CLOSE, {"row": row, "new_id": new_id, "at": at})
    if found is None:
        raise NotFound("the note to supersede isn't current; supersede its newest version")
    if found[0] is None:
        connection.execute(LESS_ACTIVE, {"subject_number": row >> SEQUENCE_BITS})
