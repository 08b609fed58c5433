"""What each column may hold, looked up in the file: a value of another kind was not written by us."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

import apsw

from atmem_core.records import AdviceStatus, ExtractionState, RecordKind, Role, Source
from atmem_core.store.sqlite.asking import every, sole

_OURS = (
    "SELECT m.name, c.name, c.type, c.\"notnull\" OR (c.pk AND c.type <> 'INTEGER') FROM sqlite_schema AS m, "
    "pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'notes\\_fts%' ESCAPE '\\' "
    "AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
_COUNT = "SELECT COUNT(*) FROM <table> WHERE "
_OTHER_KIND = "TYPEOF(<column>) NOT IN (SELECT value FROM json_each('<kinds>'))"
_OUT_OF_TIME = "<column> NOT BETWEEN -62135596800000000 AND 253402300799999999"
"""Years 1 to 9999, in microseconds since 1970."""
_NO_LIST = (
    "CASE WHEN JSON_VALID(<column>) THEN JSON_TYPE(<column>) <> 'array' OR EXISTS "
    "(SELECT 1 FROM json_each(<column>) WHERE type <> 'text') ELSE 1 END"
)
_NO_OBJECT = (
    "<column> IS NOT NULL AND CASE WHEN JSON_VALID(<column>) THEN JSON_TYPE(<column>) <> 'object' ELSE 1 END"
)
_BEYOND_ONE = "<column> NOT BETWEEN 0 AND 1"
_KINDS = {"INTEGER": "integer", "REAL": "real", "TEXT": "text", "BLOB": "blob"}


def _no_word_of(words: type[StrEnum]) -> str:
    return "<column> NOT IN (" + ", ".join(f"'{word.value}'" for word in words) + ")"


_RULES: Mapping[tuple[str, str], str] = {
    ("notes", "kind"): _no_word_of(RecordKind),
    ("notes", "source"): _no_word_of(Source),
    ("notes", "tags"): _NO_LIST,
    ("notes", "vocabulary"): _NO_LIST,
    ("notes", "trust"): _BEYOND_ONE,
    ("facts", "confidence"): _BEYOND_ONE,
    ("turns", "role"): _no_word_of(Role),
    ("turns", "source"): _no_word_of(Source),
    ("turns", "extraction"): _no_word_of(ExtractionState),
    ("profile_facts", "source"): _no_word_of(Source),
    ("profile_facts", "keywords"): _NO_LIST,
    ("profile_facts", "trust"): _BEYOND_ONE,
    ("advice", "kind"): _no_word_of(RecordKind),
    ("advice", "status"): _no_word_of(AdviceStatus),
    ("advice", "source"): _no_word_of(Source),
    ("advice", "tags"): _NO_LIST,
    ("advice", "trust"): _BEYOND_ONE,
    ("advice_parents", "kind"): _no_word_of(RecordKind),
    ("epochs", "choice"): _NO_OBJECT,
    ("epochs", "verification"): _NO_OBJECT,
    ("epochs", "profile"): _NO_OBJECT,
}


def foreign_values(connection: apsw.Connection) -> list[str]:
    """A finding for each column that holds what was never written there."""
    return [
        f"{table}: {column} holds what was never written there in {count} rows; restore a backup"
        for table, column, declared, required in every(connection, _OURS)
        if (count := _count(connection, table, column, _conditions(table, column, declared, required)))
    ]


def _conditions(table: str, column: str, declared: str, required: int) -> Iterable[str]:
    kind = _KINDS.get(declared)
    if kind is not None:
        allowed = [kind] if required else [kind, "null"]
        yield _OTHER_KIND.replace("<kinds>", "[" + ", ".join(f'"{one}"' for one in allowed) + "]")
    if declared == "INTEGER" and column.endswith(("_at", "_from", "_to")):
        yield _OUT_OF_TIME
    if (table, column) in _RULES:
        yield _RULES[table, column]


def _count(connection: apsw.Connection, table: str, column: str, conditions: Iterable[str]) -> int:
    any_of = " OR ".join(f"({one})" for one in conditions)
    if not any_of:
        return 0
    # Names of our own schema, never of a caller.
    sql = (_COUNT + any_of).replace("<table>", f'"{table}"').replace("<column>", f'"{column}"')
    return int(sole(connection, sql)[0])
