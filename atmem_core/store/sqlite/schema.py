"""The schema of a file against the one that the migrations make."""

from collections.abc import Mapping
from contextlib import closing
from functools import cache

import apsw

from atmem_core.store.sqlite.asking import every
from atmem_core.store.sqlite.connections import MEMORY
from atmem_core.store.sqlite.opening import migrate

_OBJECTS = (
    "SELECT type || ' ' || name, COALESCE(sql, '') FROM sqlite_schema "
    "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


def drift(connection: apsw.Connection) -> list[str]:
    """What is missing, what is there besides, and what reads otherwise; a finding each."""
    wanted, found = _expected(), _objects(connection)
    strange = [name for name in found if name not in wanted]
    return [
        *(f"schema: {name} is missing; {_mended(name)}" for name in wanted if name not in found),
        *(f"schema: {name} is none of ours; drop it, or restore a backup" for name in strange),
        *(
            f"schema: {name} isn't as this version makes it; restore a backup, or export and import"
            for name, sql in wanted.items()
            if found.get(name, sql) != sql
        ),
    ]


def lost(connection: apsw.Connection) -> list[str]:
    """Statements that make again what is missing and derived, in the order in which they run."""
    found = _objects(connection)
    missing = {name: sql for name, sql in _expected().items() if derived(name) and name not in found}
    index = {name for name in missing if name.startswith(INDEX)}
    for name in index:
        del missing[name]
    made = [missing[name] for name in sorted(missing, key=_turn)]
    if not index:
        return made
    # Half of it can't be used: it is made anew as a whole.
    parted = [] if INDEX in index else ["DROP TABLE notes_fts"]
    return [*made, *parted, _expected()[INDEX], _SECURE]


def _turn(name: str) -> tuple[int, str]:
    """Tables before views, and both before what hangs on tables."""
    return ("table", "view", "index", "trigger").index(name.split(maxsplit=1)[0]), name


def _mended(name: str) -> str:
    return "repair makes it again" if derived(name) else "restore a backup, or export and import"


INDEX = "table notes_fts"
_SECURE = "INSERT INTO notes_fts (notes_fts, rank) VALUES ('secure-delete', 1)"
_DERIVED = frozenset({"near_keys", "note_tags", "vectors", "vocabulary", "waiting"})
"""Tables whose rows are made of notes."""


def derived(name: str) -> bool:
    """Is nothing lost with it?"""
    kind, _, called = name.partition(" ")
    return kind != "table" or called in _DERIVED or name.startswith(INDEX)


def _objects(connection: apsw.Connection) -> dict[str, str]:
    return {str(name): str(sql) for name, sql in every(connection, _OBJECTS)}


@cache
def _expected() -> Mapping[str, str]:
    """By type and name, as a new file has it."""
    with closing(apsw.Connection(MEMORY)) as connection:
        migrate(connection, 0)
        return _objects(connection)
