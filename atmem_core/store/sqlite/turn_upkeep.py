"""Checksums of turns: made with the turn, or when an older file is brought up to date."""

import zlib

import apsw

from atmem_core.store.sqlite.asking import every

_TURNS = (
    # As bytes: damaged text may be no text at all.
    "SELECT row, CAST(id AS BLOB), CAST(id || CHAR(0) || subject || CHAR(0) || session || CHAR(0) || role "
    "|| CHAR(0) || speaker || CHAR(0) || source || CHAR(0) || text || CHAR(0) || search_text AS BLOB), "
    "checksum FROM turns"
)
_CHECK = "UPDATE turns SET checksum = :checksum WHERE row = :row"
_READ_NO_MORE = "UPDATE turns SET extraction = 'failed' WHERE row = :row AND extraction = 'pending'"
_UNCHECKED = " WHERE checksum IS NULL"


def turn_checksum(*said: str) -> bytes:
    """CRC-32 over id, subject, session, role, speaker, source, text and folded text, 4 bytes."""
    return _crc("\0".join(said).encode())


def add_checksums(connection: apsw.Connection) -> None:
    """Give each turn of an older file its checksum, inside the caller's transaction."""
    for row, _, content, _ in every(connection, _TURNS + _UNCHECKED):
        if content is not None:
            connection.execute(_CHECK, {"row": row, "checksum": _crc(content)})


def damaged_turns(connection: apsw.Connection) -> list[tuple[int, str]]:
    """Row and id of each turn that isn't what was said."""
    return [
        (row, (turn_id or b"?").decode(errors="replace"))
        for row, turn_id, content, stored in connection.execute(_TURNS)
        # A part that became NULL makes all of it NULL.
        if content is None or _crc(content) != stored
    ]


def set_aside(connection: apsw.Connection) -> list[str]:
    """No fact is read from a damaged turn any more; its row stays in the history. Their ids."""
    damaged = damaged_turns(connection)
    for row, _ in damaged:
        connection.execute(_READ_NO_MORE, {"row": row})
    return [turn_id for _, turn_id in damaged]


def _crc(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "big")
