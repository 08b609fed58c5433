"""Statements and their answers. The schema says of which type a column is; the driver's types can't."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import apsw

Answer: TypeAlias = tuple[Any, ...]
"""One row."""
_NOTHING: Mapping[str, object] = {}


def every(connection: apsw.Connection, sql: str, fields: Mapping[str, object] = _NOTHING) -> list[Answer]:
    """All rows, and the cursor drained: a half-read cursor holds its snapshot open."""
    return connection.execute(sql, fields).fetchall()


def first(connection: apsw.Connection, sql: str, fields: Mapping[str, object] = _NOTHING) -> Answer | None:
    """The first row, if any."""
    found: Answer | None = connection.execute(sql, fields).fetchone()
    return found


def sole(connection: apsw.Connection, sql: str, fields: Mapping[str, object] = _NOTHING) -> Answer:
    """The row of a statement that always gives one."""
    found = first(connection, sql, fields)
    if found is None:
        raise LookupError("a statement that gives one row gave none")
    return found
