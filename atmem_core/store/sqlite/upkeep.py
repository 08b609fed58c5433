"""Counts, checks and repair of a file."""

import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from atmem_core.errors import StoreError
from atmem_core.records import StoreStats
from atmem_core.store.sqlite import context_upkeep, fact_upkeep, schema
from atmem_core.store.sqlite.asking import every, sole
from atmem_core.store.sqlite.connections import MEMORY, retry
from atmem_core.store.sqlite.faults import translated
from atmem_core.store.sqlite.leaving import ONE_MORE
from atmem_core.store.sqlite.opening import SCHEMA_VERSION

_WHOSE = " (:subject IS NULL OR subject_number = (SELECT number FROM subjects WHERE name = :subject))"
_NOTES_WHERE = "SELECT COUNT(*) FROM notes WHERE kind <> 'fact' AND"
_TURNS = "SELECT COUNT(*) FROM turns WHERE (:subject IS NULL OR subject = :subject)"
_COUNTS = {
    "notes": _NOTES_WHERE + _WHOSE,
    "superseded": _NOTES_WHERE + " superseded_by IS NOT NULL AND" + _WHOSE,
    "forgotten": _NOTES_WHERE + " forgotten_at IS NOT NULL AND" + _WHOSE,
    "archived": _NOTES_WHERE + " archived_at IS NOT NULL AND" + _WHOSE,
    "vectors": "SELECT COUNT(*) FROM vectors WHERE" + _WHOSE,
    "awaiting_vector": "SELECT COUNT(*) FROM waiting JOIN notes USING (row) WHERE" + _WHOSE,
    **fact_upkeep.COUNTS,
    **context_upkeep.COUNTS,
    "turns": _TURNS,
    "turns_waiting": _TURNS + " AND extraction = 'pending'",
}
_NOTES = (
    # As bytes: damaged text may be no text at all.
    "SELECT row, CAST(id AS BLOB), CAST(id || CHAR(0) || text || CHAR(0) || search_text || CHAR(0) "
    "|| content_hash AS BLOB), checksum, forgotten_at IS NOT NULL FROM notes"
)
_VECTORS = "SELECT rowid, row, vector, checksum FROM vectors"
_INDEX_CHECK = "INSERT INTO notes_fts (notes_fts, rank) VALUES ('integrity-check', 1)"
_STATISTICS_OFF = (
    "SELECT COUNT(*) FROM subjects LEFT JOIN (SELECT subject_number, COUNT(*) AS documents, "
    "SUM(token_count) AS total_length, SUM(superseded_by IS NULL AND archived_at IS NULL) AS active "
    "FROM notes WHERE forgotten_at IS NULL GROUP BY subject_number) AS found "
    "ON found.subject_number = subjects.number WHERE subjects.documents <> COALESCE(found.documents, 0) "
    "OR subjects.total_length <> COALESCE(found.total_length, 0) "
    "OR subjects.active <> COALESCE(found.active, 0)"
)
_COUNTED_WORDS = "SELECT subject_number, length, word, documents FROM vocabulary"
_COUNT_WORDS = (
    "SELECT subject_number, LENGTH(value), value, COUNT(*) FROM notes, "
    "json_each(CASE WHEN JSON_VALID(notes.vocabulary) THEN notes.vocabulary ELSE '[]' END) "
    "WHERE forgotten_at IS NULL GROUP BY subject_number, value"
)
_VOCABULARY_OFF = (
    "SELECT (SELECT COUNT(*) FROM (" + _COUNTED_WORDS + " EXCEPT " + _COUNT_WORDS + ")) "
    "+ (SELECT COUNT(*) FROM (" + _COUNT_WORDS + " EXCEPT " + _COUNTED_WORDS + "))"
)
_NO_VECTOR = (
    "SELECT row FROM notes WHERE forgotten_at IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.row = notes.row) "
    "AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.row = notes.row)"
)
_LOST_VECTORS = "SELECT COUNT(*) FROM (" + _NO_VECTOR + ")"
_FINDINGS = {
    "statistics: differ from the notes; repair counts them again": _STATISTICS_OFF,
    "vocabulary: differs from the notes; repair counts it again": _VOCABULARY_OFF,
    "vectors: notes have none and wait for none; repair queues them": _LOST_VECTORS,
    "vectors: some belong to no note; repair drops them": (
        "SELECT COUNT(*) FROM vectors WHERE row NOT IN (SELECT row FROM notes)"
    ),
    "near keys: some belong to no note; repair drops them": (
        "SELECT COUNT(*) FROM near_keys WHERE row NOT IN (SELECT row FROM notes WHERE forgotten_at IS NULL)"
    ),
}
_INSERT_WORDS = "INSERT INTO vocabulary (subject_number, length, word, documents) " + _COUNT_WORDS
_COUNT_AGAIN = (
    "UPDATE subjects SET documents = (SELECT COUNT(*) FROM notes WHERE subject_number = number "
    "AND forgotten_at IS NULL), total_length = (SELECT COALESCE(SUM(token_count), 0) FROM notes "
    "WHERE subject_number = number AND forgotten_at IS NULL), active = (SELECT COUNT(*) FROM notes "
    "WHERE subject_number = number AND forgotten_at IS NULL AND superseded_by IS NULL "
    "AND archived_at IS NULL), erasures = erasures + 1, revision = revision + 1"
)
REPAIRS = {
    "keyword index": ("INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')",),
    "links to notes that are gone": (
        "DELETE FROM vectors WHERE row NOT IN (SELECT row FROM notes)",
        "DELETE FROM near_keys WHERE row NOT IN (SELECT row FROM notes WHERE forgotten_at IS NULL)",
    ),
    "vocabulary": (
        "DELETE FROM vocabulary",
        _INSERT_WORDS,
    ),
    "facts": fact_upkeep.REPAIRS,
    "profile and advice": context_upkeep.REPAIRS,
    "statistics": (_COUNT_AGAIN,),
}
# Since it was made: nobody knows when it rotted.
_SET_ASIDE = "UPDATE notes SET forgotten_at = created_at, restricted = 1 WHERE row = :row"
_DAMAGED_VECTOR = "DELETE FROM vectors WHERE rowid = :rowid"
_WAIT_AGAIN = "INSERT INTO waiting (row) " + _NO_VECTOR


def stats(connection: apsw.Connection, path: str, subject: str | None) -> StoreStats:
    """Counts of one subject, or of the file."""
    fields = {"subject": subject}
    counts = {name: sole(connection, sql, fields)[0] for name, sql in _COUNTS.items()}
    return StoreStats(
        **counts,
        file_bytes=_size(path),
        wal_bytes=_size(path + "-wal"),
        schema_version=SCHEMA_VERSION,
    )


def _size(path: str) -> int:
    return Path(path).stat().st_size if not path.startswith(MEMORY) and Path(path).exists() else 0


_JOURNAL_VERSIONS = slice(18, 20)
"""Of the header: how the file is written and read."""


def verify(connection: apsw.Connection, path: str, *, timeout_ms: int) -> list[str]:
    """Everything that can be checked; a finding a line."""
    found = [f"file: {line}" for (line,) in every(connection, "PRAGMA integrity_check") if line != "ok"]
    if drifted := schema.drift(connection):
        # Nothing else can be asked of tables that may not be there.
        return found + drifted
    if not _index_holds(connection, path, timeout_ms):
        found.append("keyword index: differs from the notes; repair rebuilds it")
    found += [
        f"note {note_id}: its text is damaged; "
        + ("it is set aside: erase it" if aside else "repair sets it aside")
        for _, note_id, aside in _damaged_notes(connection)
    ]
    found += [f"vector of row {row}: damaged" for _, row in _damaged_vectors(connection)]
    found += [text for text, sql in _FINDINGS.items() if sole(connection, sql)[0]]
    return found + fact_upkeep.findings(connection) + context_upkeep.findings(connection)


def _index_holds(connection: apsw.Connection, path: str, timeout_ms: int) -> bool:
    """FTS5 checks by way of a write that writes nothing; a file that can't be written is copied for it."""
    if connection.readonly("main"):
        with closing(apsw.Connection(MEMORY)) as copied:
            # Its pages, and not a backup: that of an encrypted file goes to an encrypted file alone.
            image = bytearray(connection.serialize("main"))
            image[_JOURNAL_VERSIONS] = b"\1\1"  # in memory there is no log
            copied.deserialize("main", bytes(image))
            return _index_holds(copied, path, timeout_ms)
    try:
        retry(lambda: connection.execute(_INDEX_CHECK), timeout_ms, path)
    except apsw.CorruptError:
        return False
    return True


def _damaged_notes(connection: apsw.Connection) -> list[tuple[int, str, bool]]:
    """Row, id, and whether it has left recall already."""
    return [
        (row, (note_id or b"?").decode(errors="replace"), bool(aside))
        for row, note_id, content, stored, aside in connection.execute(_NOTES)
        # A part that became NULL makes all of it NULL.
        if content is None or zlib.crc32(content).to_bytes(4, "big") != stored
    ]


def _damaged_vectors(connection: apsw.Connection) -> list[tuple[int, int]]:
    """Rowid in the table of vectors, and the note's row."""
    return [
        (rowid, row)
        for rowid, row, blob, stored in connection.execute(_VECTORS)
        if blob is None or zlib.crc32(blob) != stored
    ]


def repair(connection: apsw.Connection) -> list[str]:
    """Build again what is derived; a damaged vector is dropped and waits to be made again.

    A damaged text is derived from nothing: its note leaves recall as a forgotten one does, and keeps its row.
    """
    aside = [(row, note_id) for row, note_id, aside in _damaged_notes(connection) if not aside]
    for row, _ in aside:
        connection.execute(_SET_ASIDE, {"row": row})
    more_aside = context_upkeep.set_aside(connection)
    lost = schema.lost_indexes(connection)
    for statement in lost:
        connection.execute(statement)
    damaged = _damaged_vectors(connection)
    for rowid, _ in damaged:
        connection.execute(_DAMAGED_VECTOR, {"rowid": rowid})
    connection.execute(_WAIT_AGAIN)
    for statements in REPAIRS.values():
        for statement in statements:
            connection.execute(statement)
    connection.execute(ONE_MORE)
    built = [f"{name}: built again" for name in REPAIRS]
    return [
        *built,
        f"vectors dropped: {len(damaged)}",
        f"indexes made again: {len(lost)}",
        *(f"note {note_id}: damaged, set aside" for _, note_id in aside),
        *more_aside,
    ]


def backup(
    connection: apsw.Connection,
    path: str | Path,
    *,
    unlock: Callable[[apsw.Connection], None] = lambda _copy: None,
) -> None:
    """Copy page by page; other processes may write meanwhile. A copy that fails leaves no file."""
    if str(path).startswith(MEMORY) or "\0" in str(path):
        raise StoreError("a backup needs the path of a file")
    if Path(path).exists():
        raise StoreError(f"{path} exists; give a path that doesn't")
    with translated(str(path)):
        try:
            with closing(apsw.Connection(str(path))) as target:
                unlock(target)
                _copy(connection, target)
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise


def _copy(connection: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", connection, "main") as copying:
        while not copying.done:
            copying.step(256)
