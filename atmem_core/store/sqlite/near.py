"""Keys of near duplicates against the notes that they are made of."""

import apsw

from atmem_core.store.sqlite.asking import every
from atmem_core.text.near import near_keys

_KEYS = "SELECT subject_number, key, row FROM near_keys"
_WORDS = (
    # Which facts say the same is told by their statements.
    "SELECT subject_number, row, CAST(search_text AS BLOB) FROM notes "
    "WHERE forgotten_at IS NULL AND kind <> 'fact'"
)
_NONE = "DELETE FROM near_keys"
_KEY = "INSERT OR IGNORE INTO near_keys (subject_number, key, row) VALUES (?, ?, ?)"


def differ(connection: apsw.Connection) -> bool:
    """Are some missing, or there for nothing?"""
    return _wanted(connection) != set(every(connection, _KEYS))


def make_again(connection: apsw.Connection) -> None:
    """Write them all anew, inside the caller's transaction."""
    connection.execute(_NONE)
    connection.executemany(_KEY, sorted(_wanted(connection)))


def _wanted(connection: apsw.Connection) -> set[tuple[int, int, int]]:
    return {
        (number, key, row)
        for number, row, words in connection.execute(_WORDS)
        for key in near_keys(_words(words))
    }


def _words(folded: bytes | None) -> frozenset[str]:
    return frozenset((folded or b"").decode(errors="replace").split(" ")) - {""}
