"""Counts, checks and repair of profile facts, lessons, procedures and votes."""

import zlib

import apsw

from atmem_core.store.sqlite.asking import sole

_WHOSE = " AND (:subject IS NULL OR subject = :subject)"
_ACTIVE = "SELECT COUNT(*) FROM advice WHERE status = 'active' AND kind = "
COUNTS = {
    "profile_facts": "SELECT COUNT(*) FROM profile_facts WHERE superseded_by IS NULL" + _WHOSE,
    "lessons": _ACTIVE + "'lesson'" + _WHOSE,
    "procedures": _ACTIVE + "'procedure'" + _WHOSE,
}
# As bytes: damaged text may be no text at all.
_CONTENTS = {
    "profile fact": (
        "SELECT row, CAST(id AS BLOB), CAST(id || CHAR(0) || key || CHAR(0) || value AS BLOB), checksum, "
        "superseded_by IS NOT NULL FROM profile_facts"
    ),
    "advice": (
        "SELECT row, CAST(id AS BLOB), CAST(id || CHAR(0) || activation || CHAR(0) || body AS BLOB), "
        "checksum, status <> 'active' FROM advice"
    ),
}
_SET_ASIDE = {
    # Since it was made: nobody knows when it rotted.
    "profile fact": (
        "UPDATE profile_facts SET superseded_by = 'forgotten', superseded_at = created_at WHERE row = :row"
    ),
    "advice": "UPDATE advice SET status = 'deprecated', deprecated_at = created_at WHERE row = :row",
}
_LOST_VOTES = (
    "FROM votes WHERE record_id NOT IN (SELECT id FROM profile_facts) "
    "AND record_id NOT IN (SELECT id FROM advice)"
)
REPAIRS = (
    "DELETE " + _LOST_VOTES,
    "DELETE FROM advice_parents WHERE row NOT IN (SELECT row FROM advice)",
)


def damaged(connection: apsw.Connection) -> list[tuple[str, int, str, bool]]:
    """What it is, its row, its id, and whether it is out of contexts already."""
    return [
        (name, row, (record_id or b"?").decode(errors="replace"), bool(aside))
        for name, sql in _CONTENTS.items()
        for row, record_id, content, stored, aside in connection.execute(sql)
        # A part that became NULL makes all of it NULL.
        if content is None or zlib.crc32(content).to_bytes(4, "big") != stored
    ]


def findings(connection: apsw.Connection) -> list[str]:
    """What is wrong, one finding a line."""
    found = [
        f"{name} {record_id}: its text is damaged; "
        + ("it is set aside: erase it" if aside else "repair sets it aside")
        for name, _, record_id, aside in damaged(connection)
    ]
    lost = sole(connection, "SELECT COUNT(*) " + _LOST_VOTES)[0]
    return found + (["votes: some are on no record; repair drops them"] if lost else [])


def set_aside(connection: apsw.Connection) -> list[str]:
    """Take what is damaged out of contexts; a line each."""
    found = [one for one in damaged(connection) if not one[-1]]
    for name, row, *_ in found:
        connection.execute(_SET_ASIDE[name], {"row": row})
    return [f"{name} {record_id}: damaged, set aside" for name, _, record_id, _ in found]
