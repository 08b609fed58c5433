"""Every table of a file has an eraser, and the receipt counts its rows."""

from importlib import import_module
from pathlib import Path

import apsw

from atmem_core import Memory
from atmem_core.embedding import HashingEmbedder
from atmem_core.records import EraseReceipt, Selector
from atmem_core.store.sqlite.asking import sole
from atmem_core.store.sqlite.erasers import ERASERS, NOBODYS
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import LATER, opened
from tests.store.test_erase import stored
from tests.trust.isolation.owner import settle

ROWS = "SELECT COUNT(*) FROM <table>"
ALL_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
    "AND name NOT LIKE 'notes\\_fts\\_%' ESCAPE '\\'"
)


def rows_in(connection: apsw.Connection, table: str) -> int:
    return int(sole(connection, ROWS.replace("<table>", table))[0])


def test_every_table_has_an_eraser_or_holds_nothing_of_a_person() -> None:
    store = opened()
    with store._connections.outside() as connection:
        tables = {name for (name,) in connection.execute(ALL_TABLES)}
    assert tables == ERASERS.keys() | NOBODYS
    for named in ERASERS.values():
        module, _, function = named.rpartition(".")
        assert callable(getattr(import_module(f"atmem_core.store.sqlite.{module}"), function))
    store.close()


def test_erasing_a_subject_empties_every_table_that_has_an_eraser() -> None:
    with Memory.open(":memory:", embedder=HashingEmbedder()) as memory:
        ids = settle(memory)
        memory.remember("A walk with Brutus.", subject="ada", tags=("pets",))
        memory.facts.update(ids.fact, "Larkspur Lane", subject="ada")
        memory.profile.vote("gym", 1, subject="ada")
        memory.erase(subject="ada", everything=True)
        store = memory._store
        assert isinstance(store, SqliteStore)
        with store._connections.outside() as connection:
            assert {table: rows_in(connection, table) for table in ERASERS} == dict.fromkeys(ERASERS, 0)


def test_the_receipt_counts_what_went(tmp_path: Path) -> None:
    with stored(tmp_path / "agent.db") as (store, note):
        tables = ("note_tags", "near_keys", "vocabulary", "waiting", "vectors", "notes")
        with store._connections.outside() as connection:
            before = {table: rows_in(connection, table) for table in tables}
        receipt = store.erase("ada", Selector(note_id=note.id), at=LATER)
        with store._connections.outside() as connection:
            gone = {table: before[table] - rows_in(connection, table) for table in tables}
        assert gone["note_tags"] == 1
        assert gone["near_keys"] > 1
        assert gone["vocabulary"] > 1
        assert receipt == EraseReceipt(
            ids=(note.id,), counts={**gone, "keyword_index": 1, "facts": 0, "fact_ends": 0, "links": 0}
        )
        assert store.erase("ada", Selector(session="doomed-session"), at=LATER).ids == ()
