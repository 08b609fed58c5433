"""A write's cost doesn't grow with the file: every check of every statement is an index look-up."""

from collections.abc import Iterator

import pytest

from atmem_core.policy.consolidate import consolidate
from atmem_core.store.sqlite import (
    adding,
    advice,
    context_leaving,
    coverage,
    eligibility,
    epochs,
    fact_leaving,
    fact_moving,
    fact_reading,
    fact_rows,
    fact_writing,
    leaving,
    links,
    listing,
    moving,
    profile,
    rows,
    turn_moving,
    vectors,
    view,
    votes,
)
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import SteppingClock, drafted, opened, stated

EPOCH_WRITES = ("NEW_OWNER", "ADD", "GIVE_UP", "GIVE_UP_ONE", "VERIFY", "RETIRE", "BEGIN", "BEFORE")
WRITES = {
    **{f"add: {name}": sql for name, sql in adding.WRITE_STATEMENTS.items()},
    **{f"vector: {name}": sql for name, sql in vectors.WRITE_STATEMENTS.items()},
    **{f"leave: {name}": sql for name, sql in leaving.WRITE_STATEMENTS.items()},
    **{f"move: {name}": sql for name, sql in moving.WRITE_STATEMENTS.items()},
    **{f"fact: {name}": sql for name, sql in fact_writing.WRITE_STATEMENTS.items()},
    **{f"leave fact: {name}": sql for name, sql in fact_leaving.WRITE_STATEMENTS.items()},
    **{f"move fact: {name}": sql for name, sql in fact_moving.WRITE_STATEMENTS.items()},
    **{f"move turn: {name}": sql for name, sql in turn_moving.WRITE_STATEMENTS.items()},
    **{f"link: {name}": sql for name, sql in links.WRITE_STATEMENTS.items()},
    **{f"profile: {name}": sql for name, sql in profile.WRITE_STATEMENTS.items()},
    **{f"advice: {name}": sql for name, sql in advice.WRITE_STATEMENTS.items()},
    **{f"leave context: {name}": sql for name, sql in context_leaving.WRITE_STATEMENTS.items()},
    **{f"vote: {name}": sql for name, sql in votes.WRITE_STATEMENTS.items()},
    **{f"epoch: {name}": getattr(epochs, name) for name in EPOCH_WRITES},
    "prune": coverage.PRUNE,
    "wait again": coverage.WAIT,
    "wait no more": coverage.WAIT_NO_MORE,
    "fact": fact_rows.BY_ID,
    "note": rows.BY_ID,
    "use": listing.USE,
    "archive": listing.ARCHIVE,
    "less active": listing.LESS_ACTIVE,
}
READS = {
    **{f"fact: {name}": sql for name, sql in fact_reading.READ_STATEMENTS.items()},
    "subject": view.SUBJECT,
    "texts": view.SEARCH_TEXTS,
    "documents": view.DOCUMENTS,
    "words": view.WORDS,
    "turns beside": view.BESIDE,
    "hidden": eligibility.EXCLUDED,
    "later": eligibility.LATER,
    "vectors of rows": vectors.OF_ROWS,
    "end of a scan": vectors.ABOVE,
    "beyond a scan": vectors.BELOW,
    "serving epoch": epochs.SERVING,
    "without a vector": coverage.MISSING,
    "waiting": listing.WAITING,
    "older version": listing.BEFORE,
}


@pytest.fixture(scope="module")
def store() -> Iterator[SqliteStore]:
    """With rows and statistics, so that the planner may be tempted."""
    found = opened()
    clock = SteppingClock()
    for at in range(60):
        subject = f"s{at % 2}"
        note = found.add(
            drafted(f"note number {at}", clock, subject=subject, tags=("t",), session="one")
        ).note
        fact = stated("user", f"trait {at % 5}", f"value {at}", clock, subject=subject, source_id=note.id)
        found.fact_store.put(fact, consolidate)
    yield found
    found.close()


def plan(store: SqliteStore, sql: str) -> list[str]:
    with store._connections.outside() as connection:
        # Parameters that aren't given are NULL in a plan; it's the same plan.
        unbound = connection.execute("EXPLAIN QUERY PLAN " + sql, _Nothing())
        return [str(line[3]) for line in unbound.fetchall()]


class _Nothing(dict[str, None]):
    def __missing__(self, key: str) -> None:
        return None


def scans(lines: list[str]) -> list[str]:
    """Steps that walk a table or an index from end to end."""
    harmless = ("json_each", "VIRTUAL TABLE", "CONSTANT ROW", "SUBQUERY")
    return [line for line in lines if line.startswith("SCAN") and not any(word in line for word in harmless)]


@pytest.mark.parametrize("name", WRITES)
def test_a_statement_of_a_write_scans_no_table(store: SqliteStore, name: str) -> None:
    assert scans(plan(store, WRITES[name])) == []


@pytest.mark.parametrize("name", READS)
def test_a_statement_of_a_read_scans_no_table(store: SqliteStore, name: str) -> None:
    assert scans(plan(store, READS[name])) == []


def test_a_scan_would_be_seen(store: SqliteStore) -> None:
    assert scans(plan(store, "SELECT * FROM notes WHERE speaker = :speaker")) != []


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (adding.SAME, "notes_same"),
        (adding.BY_KEY, "notes_idempotency"),
        (adding.LEAST_USEFUL, "notes_utility"),
        (rows.BY_ID, "sqlite_autoindex_notes_1 (id=?)"),
        (leaving.BY_ID, "sqlite_autoindex_notes_1 (id=?)"),
        (leaving.BY_SESSION, "notes_session (subject_number=? AND session=?)"),
        (leaving.BY_PROJECT, "notes_project (subject_number=? AND project=?)"),
        (leaving.UNPOINT, "notes_superseded_by"),
        (leaving.UNPOINT_FACT, "facts_superseded_by"),
        (leaving.SAID, "facts_source (subject_number=? AND source_id=?)"),
        (fact_rows.BY_ID, "sqlite_autoindex_notes_1 (id=?)"),
        (fact_writing.SAME, "facts_triple (subject_number=? AND triple=?)"),
        (fact_writing.STANDING, "facts_standing (subject_number=? AND key=?)"),
        (fact_writing.BEFORE, "facts_timeline (subject_number=? AND key=? AND valid_from<?)"),
        (fact_writing.AFTER, "facts_timeline (subject_number=? AND key=? AND valid_from>?)"),
        (fact_reading.OLDER, "facts_superseded_by"),
        (fact_reading.DERIVED, "facts_source (subject_number=? AND source_id=?)"),
        (fact_reading.BACKED, "facts_source (subject_number=? AND source_id=?)"),
        (fact_reading.ANY, "(subject_number=?)"),
        (fact_reading.LIST_ALL, "facts_subject (subject_number=?)"),
        (fact_reading.LIST_NOW, "(subject_number=?)"),
        (moving.SAME, "notes_same"),
        (moving.BY_KEY, "notes_idempotency"),
        (moving.REPOINT, "notes_superseded_by"),
        (moving.HELD, "sqlite_autoindex_notes_1 (id=?)"),
        (moving.ROW, "sqlite_autoindex_notes_1 (id=?)"),
        (listing.USE, "sqlite_autoindex_notes_1 (id=?)"),
        (listing.ARCHIVE, "sqlite_autoindex_notes_1 (id=?)"),
        (listing.BEFORE, "notes_superseded_by"),
        (eligibility.EXCLUDED, "notes_restricted"),
        (eligibility.LATER, "notes_created (subject_number=? AND created_at>?)"),
        (leaving.FEWER_WORDS, "PRIMARY KEY (subject_number=? AND length=? AND word=?)"),
        (leaving.NO_WORDS, "PRIMARY KEY (subject_number=? AND length=? AND word=?)"),
    ],
)
@pytest.mark.parametrize("analysed", [False, True])
def test_the_index_that_was_made_for_it_is_used(
    store: SqliteStore,
    sql: str,
    index: str,
    analysed: bool,  # noqa: FBT001 - pytest passes it
) -> None:
    with store._connections.outside() as connection:
        connection.execute("BEGIN")
        if analysed:
            connection.execute("ANALYZE")
        found = plan(store, sql)
        connection.execute("ROLLBACK")
        connection.execute("ANALYZE sqlite_schema")
    assert any(index in line for line in found), found


def test_the_least_useful_are_found_without_a_sort(store: SqliteStore) -> None:
    assert not any("TEMP B-TREE" in line for line in plan(store, adding.LEAST_USEFUL))


@pytest.mark.parametrize("part", ["project", "session", "agent"])
def test_a_scope_is_looked_up(store: SqliteStore, part: str) -> None:
    sql = eligibility._OF_SUBJECT + eligibility._RULES + eligibility.PARTS[part]
    assert any(f"notes_{part}" in line for line in plan(store, sql))


def test_tags_are_looked_up(store: SqliteStore) -> None:
    found = plan(store, eligibility._TAGGED + eligibility._RULES)
    assert scans(found) == []
    assert "SEARCH notes USING INTEGER PRIMARY KEY (rowid=?)" in found
    assert any("note_tags USING" in line and "row>? AND row<?" in line for line in found)


def test_a_delete_looks_up_what_hangs_on_the_note(store: SqliteStore) -> None:
    """Foreign keys are followed without a plan that could be read: each needs an index of its own."""
    sql = (
        "SELECT tables.name, keys.'from' FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) "
        "AS keys WHERE tables.type = 'table'"
    )
    with store._connections.outside() as connection:
        keys = connection.execute(sql).fetchall()
    assert len(keys) > 5
    for table, column in keys:
        found = plan(store, f"SELECT 1 FROM {table} WHERE {column} = :value")  # noqa: S608 - names of the schema
        assert scans(found) == [], (table, column)


def test_facts_alone_are_looked_up(store: SqliteStore) -> None:
    found = plan(store, eligibility._FACTS + eligibility._RULES)
    assert scans(found) == []
    assert any("facts USING" in line and "subject_number=?" in line for line in found)
