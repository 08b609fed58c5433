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


def lost_indexes(connection: apsw.Connection) -> list[str]:
    """Statements that make missing indexes again: these are derived, nothing is lost with them."""
    found = _objects(connection)
    return [sql for name, sql in _expected().items() if _derived(name) and name not in found]


def _mended(name: str) -> str:
    return "repair makes it again" if _derived(name) else "restore a backup, or export and import"


def _derived(name: str) -> bool:
    return name.startswith("index ")


def _objects(connection: apsw.Connection) -> dict[str, str]:
    return {str(name): str(sql) for name, sql in every(connection, _OBJECTS)}


@cache
def _expected() -> Mapping[str, str]:
    """By type and name, as a new file has it."""
    with closing(apsw.Connection(MEMORY)) as connection:
        migrate(connection, 0)
        return _objects(connection)
