"""Counts, checks and repair of facts."""

import zlib

import apsw

from atmem_core.store.sqlite.asking import sole

_WHOSE = " (:subject IS NULL OR subject_number = (SELECT number FROM subjects WHERE name = :subject))"
COUNTS = {
    "facts": "SELECT COUNT(*) FROM facts WHERE" + _WHOSE,
    "facts_standing": (
        "SELECT COUNT(*) FROM facts WHERE superseded_by IS NULL AND forgotten_at IS NULL AND" + _WHOSE
    ),
}
_STATEMENTS = (
    # As bytes: damaged text may be no text at all.
    "SELECT notes.row, CAST(notes.id AS BLOB), CAST(facts.entity || CHAR(0) || facts.predicate || CHAR(0) "
    "|| facts.object || CHAR(0) || facts.key AS BLOB), facts.checksum, "
    "notes.forgotten_at IS NOT NULL FROM facts JOIN notes ON notes.row = facts.row"
)
_ENDS_OFF = (
    "SELECT COUNT(*) FROM facts JOIN notes ON notes.row = facts.row "
    "WHERE facts.forgotten_at IS NULL AND facts.valid_to IS NOT notes.valid_to"
)
_DANGLING = (
    "superseded_by IS NOT NULL AND superseded_by <> 'erased' AND superseded_by NOT IN (SELECT id FROM notes)"
)
FINDINGS = {
    "facts: some belong to no record; restore a backup": (
        "SELECT COUNT(*) FROM facts WHERE row NOT IN (SELECT row FROM notes WHERE kind = 'fact')"
    ),
    "facts: some gave way to a record that isn't there; repair says that it was erased": (
        "SELECT COUNT(*) FROM facts WHERE " + _DANGLING
    ),
    "facts: some ends belong to no fact; repair drops them": (
        "SELECT COUNT(*) FROM fact_ends WHERE row NOT IN (SELECT row FROM facts)"
    ),
    "facts: a record of that kind has no statement; restore a backup": (
        "SELECT COUNT(*) FROM notes WHERE kind = 'fact' AND row NOT IN (SELECT row FROM facts)"
    ),
    "facts: some end otherwise than their records; repair mends the records": _ENDS_OFF,
    "facts: some are forgotten otherwise than their records; repair mends the facts": (
        "SELECT COUNT(*) FROM facts JOIN notes ON notes.row = facts.row "
        "WHERE facts.forgotten_at IS NOT notes.forgotten_at"
    ),
}
_MEND_ENDS = (
    "UPDATE notes SET valid_to = (SELECT valid_to FROM facts WHERE facts.row = notes.row), restricted = 1 "
    "WHERE kind = 'fact' AND forgotten_at IS NULL AND EXISTS (SELECT 1 FROM facts "
    "WHERE facts.row = notes.row AND facts.valid_to IS NOT notes.valid_to)"
)
_MEND_FORGOTTEN = (
    "UPDATE facts SET forgotten_at = (SELECT forgotten_at FROM notes WHERE notes.row = facts.row)"
)
REPAIRS = (
    "DELETE FROM fact_ends WHERE row NOT IN (SELECT row FROM facts)",
    "UPDATE facts SET superseded_by = 'erased' WHERE " + _DANGLING,
    _MEND_ENDS,
    _MEND_FORGOTTEN,
)


def damaged(connection: apsw.Connection) -> list[tuple[int, str, bool]]:
    """Row, id, and whether it has left recall, of each fact whose statement isn't what was stored."""
    return [
        (row, (fact_id or b"?").decode(errors="replace"), bool(aside))
        for row, fact_id, content, stored, aside in connection.execute(_STATEMENTS)
        if content is None or zlib.crc32(content).to_bytes(4, "big") != stored
    ]


def findings(connection: apsw.Connection) -> list[str]:
    """What is wrong with facts, one finding a line."""
    found = [
        f"fact {fact_id}: its statement is damaged; "
        + ("it is set aside: erase it" if aside else "repair sets it aside")
        for _, fact_id, aside in damaged(connection)
    ]
    return found + [text for text, sql in FINDINGS.items() if sole(connection, sql)[0]]
