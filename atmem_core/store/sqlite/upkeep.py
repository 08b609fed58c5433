"""Counts, checks and repair of a file."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from atmem_core.errors import StoreError
from atmem_core.records import StoreStats
from atmem_core.store.sqlite import columns, context_upkeep, derived, fact_upkeep, near, schema
from atmem_core.store.sqlite.asking import every, sole
from atmem_core.store.sqlite.connections import MEMORY, retry
from atmem_core.store.sqlite.faults import translated
from atmem_core.store.sqlite.leaving import ONE_MORE
from atmem_core.store.sqlite.opening import SCHEMA_VERSION
from atmem_core.store.sqlite.rotten import damaged_notes, damaged_vectors
from atmem_core.store.sqlite.turn_upkeep import damaged_turns, set_aside

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
# Since it was made: nobody knows when it rotted.
_SET_ASIDE = "UPDATE notes SET forgotten_at = created_at, restricted = 1 WHERE row = :row"
_DAMAGED_VECTOR = "DELETE FROM vectors WHERE rowid = :rowid"
_INDEX_CHECK = "INSERT INTO notes_fts (notes_fts, rank) VALUES ('integrity-check', 1)"


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


def damaged(connection: apsw.Connection) -> bool:
    """Does the file hold what was never written? Asked when a read or a write failed in an odd way."""
    return bool(
        schema.drift(connection)
        or columns.foreign_values(connection)
        or damaged_notes(connection)
        or damaged_vectors(connection)
        or damaged_turns(connection)
        or fact_upkeep.damaged(connection)
        or context_upkeep.damaged(connection)
        or derived.findings(connection)
    )


def verify(connection: apsw.Connection, path: str, *, timeout_ms: int) -> list[str]:
    """Everything that can be checked; a finding a line."""
    found = [f"file: {line}" for (line,) in every(connection, "PRAGMA integrity_check") if line != "ok"]
    if drifted := schema.drift(connection):
        # Nothing else can be asked of tables that may not be there.
        return found + drifted
    if not _index_holds(connection, path, timeout_ms):
        found.append("keyword index: differs from the notes; repair rebuilds it")
    found += columns.foreign_values(connection)
    found += [
        f"note {note_id}: its text is damaged; "
        + ("it is set aside: erase it" if aside else "repair sets it aside")
        for _, note_id, aside in damaged_notes(connection)
    ]
    found += [f"vector of row {row}: damaged" for _, row in damaged_vectors(connection)]
    found += [
        f"turn {turn_id}: damaged; no fact is read from it after a repair: erase it"
        for _, turn_id in damaged_turns(connection)
    ]
    found += derived.findings(connection) + derived.loose_ends(connection)
    if near.differ(connection):
        found.append("near keys: differ from the notes; repair makes them again")
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


def repair(connection: apsw.Connection) -> list[str]:
    """Build again what is derived; a damaged vector is dropped and waits to be made again.

    A damaged text or statement is derived from nothing: its record leaves recall as a forgotten one does, and
    keeps its row. A damaged turn keeps its place in the history; no fact is read from it any more.
    """
    lost = schema.lost(connection)
    for statement in lost:
        connection.execute(statement)
    aside = [(row, f"note {note_id}") for row, note_id, left in damaged_notes(connection) if not left]
    aside += [(row, f"fact {fact_id}") for row, fact_id, left in fact_upkeep.damaged(connection) if not left]
    for row, _ in aside:
        connection.execute(_SET_ASIDE, {"row": row})
    beside = context_upkeep.set_aside(connection)
    dropped = damaged_vectors(connection)
    for rowid, _ in dropped:
        connection.execute(_DAMAGED_VECTOR, {"rowid": rowid})
    turns = set_aside(connection)
    for statements in derived.REPAIRS.values():
        for statement in statements:
            connection.execute(statement)
    near.make_again(connection)
    connection.execute(derived.WAIT_AGAIN)
    connection.execute(ONE_MORE)
    return [
        *(f"{name}: built again" for name in (*derived.REPAIRS, "near keys")),
        f"vectors dropped: {len(dropped)}",
        f"indexes made again: {len(lost)}",
        *(f"{record}: damaged, set aside" for _, record in aside),
        *beside,
        *(f"turn {turn_id}: damaged, not read for facts" for turn_id in turns),
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
