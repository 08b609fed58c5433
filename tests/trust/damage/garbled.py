"""Small files with one column garbled, and every verb called on them."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw

from atmem_core import AtmemError, Memory
from atmem_core.embedding import HashingEmbedder
from atmem_core.store.sqlite.asking import every, sole
from tests.trust.isolation.owner import OWNER, Ids, settle
from tests.trust.isolation.test_verbs import VERBS

GARBLES = {
    "NULL": "NULL",
    "bytes": "X'FF00EE'",
    "no UTF-8": "CAST(X'FF62' AS TEXT)",
    "a number": "-9000000000000000000",
    "a word": "'quagmire'",
    "JSON": "'{\"a\": [1, null]}'",
    "empty": "''",
    "another": "CASE TYPEOF(<column>) WHEN 'blob' THEN ZEROBLOB(LENGTH(<column>)) "
    "WHEN 'text' THEN <column> || 'q' ELSE <column> + 1 END",
}
_COLUMNS = (
    "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
    "AND m.name NOT LIKE 'notes\\_fts%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid"
)

_ROWS = "SELECT COUNT(*) FROM <table>"
_LOOSEN = "UPDATE sqlite_schema SET sql = REPLACE(sql, ' NOT NULL', '') WHERE tbl_name = ? AND type = 'table'"
_GARBLE = "UPDATE <table> SET <column> = <value>"
_FIRST = " WHERE row = (SELECT MIN(row) FROM <table>)"
_ONE_ROW = {"notes": _FIRST, "turns": _FIRST}
"""Where a unique index stands in the way of the same value in all rows."""


def filled(path: Path) -> Ids:
    """A file in which each table of notes, facts and turns holds something."""
    with Memory.open(path, embedder=HashingEmbedder()) as memory:
        ids = settle(memory)
        tagged = memory.remember("A walk with Brutus.", subject=OWNER, tags=("pets",), session="s")
        memory.facts.update(ids.fact, "Larkspur Lane", subject=OWNER)
        with memory._store._connections.writing() as connection:  # type: ignore[attr-defined]  # no verb links
            connection.execute(
                "INSERT INTO links SELECT MIN(row), MAX(row), 'near', 1.0, created_at FROM notes"
            )
        assert memory.get(tagged.id, subject=OWNER).tags == ("pets",)
        assert memory.verify() == []
    return ids


def columns(path: Path) -> list[tuple[str, str]]:
    """Table and column of every table with rows."""
    with closing(apsw.Connection(str(path))) as connection:
        return [
            (table, column)
            for table, column in every(connection, _COLUMNS)
            if sole(connection, _ROWS.replace("<table>", table))[0]
        ]


def garble(path: Path, table: str, column: str, value: str) -> bool:
    """Write into the column of every row, past every constraint; False where the engine can't hold it."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        before = connection.execute(
            "SELECT rowid, sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name = ?", (table,)
        ).fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(_LOOSEN, (table,))
        connection.execute("PRAGMA writable_schema = RESET")
    with closing(apsw.Connection(str(path))) as connection:
        try:
            sql = _GARBLE + _ONE_ROW.get(table, "")
            sql = sql.replace("<value>", value).replace("<table>", table).replace("<column>", column)
            connection.execute(sql)
        except (apsw.ConstraintError, apsw.MismatchError):
            return False
        finally:
            connection.execute("PRAGMA writable_schema = ON")
            connection.executemany(
                "UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", [(sql, row) for row, sql in before]
            )
            connection.execute("PRAGMA writable_schema = RESET")
    return True


def faults(path: Path, ids: Ids) -> Iterator[str]:
    """What came out of a verb and was no error of ours."""
    try:
        memory = Memory.open(path, embedder=HashingEmbedder())
    except AtmemError:
        return
    calls: dict[str, Callable[[], object]] = {
        "doctor": memory.doctor,
        **{name: partial(verb, memory, OWNER, ids) for name, verb in _ordered()},
        "verify": memory.verify,
        "repair": memory.repair,
        "verify again": memory.verify,
        "decide again": lambda: memory.decide("locker of my gym", subject=OWNER),
        "erase it all": lambda: memory.erase(subject=OWNER, everything=True),
        "close": memory.close,
    }
    for name, call in calls.items():
        try:
            call()
        except AtmemError:
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            yield f"{name}: {type(error).__name__} {error}"


_SLOW = ("semantic.setup", "semantic.verify", "semantic.rebuild")
"""They embed the gate's 126 texts, and read the file as reindexing and status do."""


def _ordered() -> list[tuple[str, Callable[..., object]]]:
    """Verbs that take things away last."""
    leaving = ("forget", "erase", "supersede", "quarantine.reject", "facts.forget")
    called = {name: verb for name, verb in VERBS.items() if name not in _SLOW}
    return sorted(called.items(), key=lambda one: one[0].startswith(leaving))


def copied(path: Path, to: Path) -> Path:
    """Another copy of the file."""
    shutil.copyfile(path, to)
    return to
