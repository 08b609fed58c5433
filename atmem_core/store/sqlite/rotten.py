"""Texts and vectors that aren't what was written."""

import zlib

import apsw

_NOTES = (
    # As bytes: damaged text may be no text at all.
    "SELECT row, CAST(id AS BLOB), CAST(id || CHAR(0) || text || CHAR(0) || search_text || CHAR(0) "
    "|| content_hash AS BLOB), checksum, forgotten_at IS NOT NULL FROM notes"
)
_VECTORS = "SELECT rowid, row, vector, checksum FROM vectors"


def damaged_notes(connection: apsw.Connection) -> list[tuple[int, str, bool]]:
    """Row, id, and whether it has left recall already."""
    return [
        (row, (note_id or b"?").decode(errors="replace"), bool(aside))
        for row, note_id, content, stored, aside in connection.execute(_NOTES)
        # A part that became NULL makes all of it NULL.
        if content is None or zlib.crc32(content).to_bytes(4, "big") != stored
    ]


def damaged_vectors(connection: apsw.Connection) -> list[tuple[int, int]]:
    """Rowid in the table of vectors, and the note's row."""
    return [
        (rowid, row)
        for rowid, row, blob, stored in connection.execute(_VECTORS)
        if not isinstance(blob, bytes) or zlib.crc32(blob) != stored
    ]
