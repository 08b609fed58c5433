"""Which records have a vector of an identity, which wait for one, and which vectors may go.

Forgotten records need no vector. An owner's records are a subject's, or for the file's default those of every
subject without an active epoch of its own.
"""

import json

import apsw

from atmem_core.errors import ProfileRefused
from atmem_core.records import Coverage
from atmem_core.store.protocol import Pending
from atmem_core.store.sqlite.asking import every, first, sole
from atmem_core.store.sqlite.epochs import DEFAULT, NUMBER
from atmem_core.store.sqlite.rows import NOTE_COLUMNS, own_rows, to_note

_LAST_ROW = (1 << 63) - 1
_OWNED = (
    "notes.row BETWEEN :low AND :high AND notes.forgotten_at IS NULL AND (:own OR NOT EXISTS (SELECT 1 FROM "
    "epochs WHERE epochs.owner = notes.subject_number AND active_from IS NOT NULL AND active_to IS NULL))"
)
_HAS = (
    "EXISTS (SELECT 1 FROM vectors WHERE vectors.subject_number = notes.subject_number "
    "AND vectors.identity = :identity AND vectors.row = notes.row)"
)
MISSING = (
    "SELECT " + NOTE_COLUMNS + ", subjects.name FROM notes "
    "CROSS JOIN subjects ON subjects.number = notes.subject_number "
    "WHERE " + _OWNED + " AND NOT " + _HAS + " ORDER BY notes.row DESC LIMIT :limit"
)
COUNT = "SELECT COUNT(*), COALESCE(SUM(" + _HAS + "), 0) FROM notes WHERE " + _OWNED
WAIT = "INSERT OR IGNORE INTO waiting (row) SELECT row FROM notes WHERE " + _OWNED + " AND NOT " + _HAS
WAIT_NO_MORE = (
    "DELETE FROM waiting WHERE row IN (SELECT notes.row FROM notes WHERE " + _OWNED + " AND " + _HAS + ")"
)
SUBJECTS = (
    "SELECT name, (number << 32) | next_sequence FROM subjects WHERE EXISTS (SELECT 1 FROM notes "
    "WHERE notes.subject_number = subjects.number) ORDER BY name"
)
KEPT = "SELECT identity FROM epochs WHERE owner IN (:owner, 0) AND active_from IS NULL"
PRUNE = (
    "DELETE FROM vectors WHERE subject_number = :owner AND identity <> :identity "
    "AND identity NOT IN (SELECT value FROM json_each(:kept))"
)
CHANGED = "SELECT changes()"
PRUNED = (
    "UPDATE epochs SET pruned = 1 WHERE owner IN (:owner, CASE WHEN EXISTS "
    "(SELECT 1 FROM epochs AS own WHERE own.owner = :owner AND own.active_from IS NOT NULL "
    "AND own.active_to IS NULL) THEN :owner ELSE 0 END) "
    "AND active_to IS NOT NULL AND identity <> :identity "
    "AND identity NOT IN (SELECT value FROM json_each(:kept))"
)
# What a process holds in memory of vectors that are gone is built anew.
RESET = "UPDATE subjects SET revision = revision + 1, erasures = erasures + 1 WHERE number = :owner"


def _fields(owner: int, identity: str) -> dict[str, object]:
    low, high = (0, _LAST_ROW) if owner == DEFAULT else own_rows(owner)
    return {"low": low, "high": high, "own": owner != DEFAULT, "identity": identity}


def missing(
    connection: apsw.Connection, owner: int, identity: str, *, limit: int, before: int | None
) -> list[Pending]:
    """Newest row first, below ``before``."""
    fields = {**_fields(owner, identity), "limit": limit}
    if before is not None:
        fields["high"] = before - 1
    found = every(connection, MISSING, fields)
    return [Pending(row=one[0], note=to_note(one[:-1], one[-1])) for one in found]


def coverage(connection: apsw.Connection, owner: int, identity: str) -> Coverage:
    """Records, and those that have a vector."""
    records, vectors = sole(connection, COUNT, _fields(owner, identity))
    return Coverage(records=records, vectors=vectors)


def wait_for(connection: apsw.Connection, owner: int, identity: str) -> None:
    """Make the waiting list that of this identity."""
    fields = _fields(owner, identity)
    connection.execute(WAIT, fields)
    connection.execute(WAIT_NO_MORE, fields)


def prune(connection: apsw.Connection, subject: str, identity: str) -> int:
    """Delete the subject's vectors of other identities, all or none."""
    found = first(connection, NUMBER, {"name": subject})
    if found is None:
        return 0
    left = coverage(connection, found[0], identity).missing
    if left:
        raise ProfileRefused(
            "records_left", f"{left} records have no vector of the identity in use; nothing was pruned"
        )
    kept = [one for (one,) in every(connection, KEPT, {"owner": found[0]})]
    fields = {"owner": found[0], "identity": identity, "kept": json.dumps(kept)}
    connection.execute(PRUNE, fields)
    gone: int = sole(connection, CHANGED)[0]
    connection.execute(PRUNED, fields)
    if gone:
        connection.execute(RESET, {"owner": found[0]})
    return gone
