"""Counts, checks and repair of a file."""

import os
import zlib
from pathlib import Path

import apsw

from atmem_core.errors import StoreError
from atmem_core.records import StoreStats
from atmem_core.store.sqlite.connections import MEMORY
from atmem_core.store.sqlite.opening import SCHEMA_VERSION
from atmem_core.store.sqlite.rows import checksum

_WHOSE = " (:subject IS NULL OR subject_number = (SELECT number FROM subjects WHERE name = :subject))"
_COUNTS = {
    "notes": "SELECT COUNT(*) FROM notes WHERE" + _WHOSE,
    "superseded": "SELECT COUNT(*) FROM notes WHERE superseded_by IS NOT NULL AND" + _WHOSE,
    "forgotten": "SELECT COUNT(*) FROM notes WHERE forgotten_at IS NOT NULL AND" + _WHOSE,
    "archived": "SELECT COUNT(*) FROM notes WHERE archived_at IS NOT NULL AND" + _WHOSE,
    "vectors": "SELECT COUNT(*) FROM vectors WHERE" + _WHOSE,
    "awaiting_vector": "SELECT COUNT(*) FROM waiting JOIN notes USING (row) WHERE" + _WHOSE,
}
_NOTES = "SELECT id, text, search_text, content_hash, checksum FROM notes"
_VECTORS = "SELECT row, vector, checksum FROM vectors"
_INDEX_CHECK = "INSERT INTO notes_fts (notes_fts, rank) VALUES ('integrity-check', 1)"
_STATISTICS_OFF = (
    "SELECT subjects.number FROM subjects LEFT JOIN (SELECT subject_number, COUNT(*) AS documents, "
    "SUM(token_count) AS total_length FROM notes WHERE forgotten_at IS NULL GROUP BY subject_number) AS found "
    "ON found.subject_number = subjects.number WHERE subjects.documents <> COALESCE(found.documents, 0) "
    "OR subjects.total_length <> COALESCE(found.total_length, 0)"
)
_VOCABULARY_OFF = (
    "SELECT COUNT(*) FROM (SELECT subject_number, word, documents FROM vocabulary EXCEPT "
    "SELECT subject_number, value, COUNT(*) FROM notes, json_each(notes.vocabulary) "
    "WHERE forgotten_at IS NULL GROUP BY subject_number, value)"
)
REPAIRS = {
    "keyword index": ("INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')",),
    "vocabulary": (
        "DELETE FROM vocabulary",
        "INSERT INTO vocabulary (subject_number, length, word, documents) "
        "SELECT subject_number, LENGTH(value), value, COUNT(*) FROM notes, json_each(notes.vocabulary) "
        "WHERE forgotten_at IS NULL GROUP BY subject_number, value",
    ),
    "statistics": (
        "UPDATE subjects SET documents = (SELECT COUNT(*) FROM notes WHERE subject_number = number "
        "AND forgotten_at IS NULL), total_length = (SELECT COALESCE(SUM(token_count), 0) FROM notes "
        "WHERE subject_number = number AND forgotten_at IS NULL), active = (SELECT COUNT(*) FROM notes "
        "WHERE subject_number = number AND forgotten_at IS NULL AND superseded_by IS NULL "
        "AND archived_at IS NULL), erasures = erasures + 1, revision = revision + 1",
    ),
}
_DAMAGED_VECTOR = "DELETE FROM vectors WHERE row = :row"
_WAIT_AGAIN = "INSERT OR IGNORE INTO waiting (row) VALUES (:row)"


def stats(connection: apsw.Connection, path: str, subject: str | None) -> StoreStats:
    """Counts of one subject, or of the file."""
    fields = {"subject": subject}
    counts = {name: connection.execute(sql, fields).fetchone()[0] for name, sql in _COUNTS.items()}
    return StoreStats(
        **counts,
        file_bytes=_size(path),
        wal_bytes=_size(path + "-wal"),
        schema_version=SCHEMA_VERSION,
    )


def _size(path: str) -> int:
    return os.path.getsize(path) if not path.startswith(MEMORY) and Path(path).exists() else 0


def verify(connection: apsw.Connection) -> list[str]:
    """Everything that can be checked; a finding a line. Needs a connection that may run the index check."""
    found = [f"file: {line}" for (line,) in connection.execute("PRAGMA integrity_check").fetchall() if line != "ok"]
    try:
        connection.execute(_INDEX_CHECK)
    except apsw.Error:
        found.append("keyword index: differs from the notes; repair rebuilds it")
    found += [f"note {note_id}: its text is damaged" for note_id in _damaged_notes(connection)]
    found += [f"vector of row {row}: damaged" for row in _damaged_vectors(connection)]
    if connection.execute(_STATISTICS_OFF).fetchall():
        found.append("statistics: differ from the notes; repair counts them again")
    if connection.execute(_VOCABULARY_OFF).fetchone()[0]:
        found.append("vocabulary: differs from the notes; repair counts it again")
    return found


def _damaged_notes(connection: apsw.Connection) -> list[str]:
    return [
        note_id
        for note_id, text, search_text, content_hash, stored in connection.execute(_NOTES)
        if checksum(note_id, text, search_text, content_hash) != stored
    ]


def _damaged_vectors(connection: apsw.Connection) -> list[int]:
    return [row for row, blob, stored in connection.execute(_VECTORS) if zlib.crc32(blob) != stored]


def repair(connection: apsw.Connection) -> list[str]:
    """Build again what is derived; a damaged vector is dropped and waits to be made again."""
    damaged = _damaged_vectors(connection)
    for row in damaged:
        connection.execute(_DAMAGED_VECTOR, {"row": row})
        connection.execute(_WAIT_AGAIN, {"row": row})
    for statements in REPAIRS.values():
        for statement in statements:
            connection.execute(statement)
    return [f"{name}: built again" for name in REPAIRS] + [f"vectors dropped: {len(damaged)}"]


def backup(connection: apsw.Connection, path: str | Path) -> None:
    """Copy page by page; other processes may write meanwhile."""
    if Path(path).exists():
        raise StoreError(f"{path} exists; give a path that doesn't")
    target = apsw.Connection(str(path))
    try:
        with target.backup("main", connection, "main") as copying:
            while not copying.done:
                copying.step(256)
    finally:
        target.close()


