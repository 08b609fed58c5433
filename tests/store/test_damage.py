"""Bytes that rotted, indexes that differ from the notes, and copies."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from atmem_core import Memory
from atmem_core.errors import AtmemError, StoreCorrupt, StoreError
from atmem_core.records import Selector
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.files import filled, read_everything
from tests.store.histories import IDENTITY, LATER, SteppingClock, drafted, opened, reading, row_of, unit
from tests.trust.isolation.owner import settle


def flipped(path: Path, content: bytes, mask: int = 0x01) -> None:
    """Change one bit of the first byte of ``content``, wherever it stands first in the table's page."""
    data = path.read_bytes()
    at = data.index(content)
    path.write_bytes(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])


@pytest.mark.parametrize("mask", [0x01, 0x80])
def test_a_flipped_bit_of_a_text_is_found(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "rot.db"
    store = opened(path)
    stored = store.add(drafted("Xylophone, played on Sundays", SteppingClock()))
    store.close()
    flipped(path, b"Xylophone", mask)
    store = opened(path)
    assert f"note {stored.note.id}: its text is damaged; repair sets it aside" in store.verify()
    if mask == 0x80:
        with pytest.raises(StoreCorrupt):
            store.get("ada", stored.note.id)
    store.close()


def test_a_damaged_note_is_set_aside_and_never_deleted(tmp_path: Path) -> None:
    path = tmp_path / "rot.db"
    store, clock = opened(path), SteppingClock()
    rotten = store.add(drafted("Xylophone, played on Sundays", clock)).note.id
    sound = store.add(drafted("Trumpet, played on Sundays", clock)).note.id
    store.close()
    flipped(path, b"Xylophone")
    store = opened(path)
    assert f"note {rotten}: damaged, set aside" in store.repair()
    with store.read(reading()) as view:
        found = view.documents(view.postings("sunday") or view.postings("sundays"))
        assert [one.note.id for one in found.values()] == [sound]
        assert view.corpus.documents == 1
    assert store.verify() == [f"note {rotten}: its text is damaged; it is set aside: erase it"]
    assert store.get("ada", rotten).forgotten_at is not None
    store.erase("ada", Selector(note_id=rotten), at=LATER)
    assert store.verify() == []
    store.close()


def test_a_flipped_bit_of_a_vector_is_found_and_it_is_queued_again(tmp_path: Path) -> None:
    path = tmp_path / "rot.db"
    ids = filled(path)
    flipped(path, unit(1).tobytes())
    store = opened(path)
    assert len([line for line in store.verify() if line.startswith("vector")]) == 1
    assert "vectors dropped: 1" in store.repair()
    assert store.verify() == []
    assert [one.note.id for one in store.awaiting_vectors(limit=9)] == [ids[1]]
    with store.read(reading()) as view:
        assert len(view.nearest(IDENTITY, unit(1), 9)) == 2
    store.close()


DAMAGE = {
    "keyword index": "INSERT INTO notes_fts (notes_fts) VALUES ('delete-all')",
    "statistics": "UPDATE subjects SET total_length = total_length + 1",
    "statistics of use": "UPDATE subjects SET active = active + 1",
    "too many words": "INSERT INTO vocabulary VALUES (1, 5, 'ghost', 1)",
    "too few words": "DELETE FROM vocabulary",
    "wrong counts": "UPDATE vocabulary SET documents = documents + 1",
    "lost vectors": "DELETE FROM vectors",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_repair_builds_what_is_derived_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / "odd.db"
    ids = filled(path)
    store, other = opened(path), opened(path)
    store.add(drafted("brutus barks", SteppingClock(name="b")))
    store.forget("ada", Selector(note_id=ids[0]), at=LATER)
    before = seen(store)
    for _ in range(2):
        seen(other)
    assert store.verify() == []
    with store._connections.writing() as connection:
        connection.execute(DAMAGE[name])
    assert store.verify() != []
    store.repair()
    assert store.verify() == []
    after = seen(store)
    assert seen(other) == after
    if name == "lost vectors":
        assert {one.note.id for one in store.awaiting_vectors(limit=9)} >= set(ids[1:])
        before["nearest"] = []
    assert after == before
    store.close()
    other.close()


DRIFT = {
    "DROP INDEX turns_session": "schema: index turns_session is missing; repair makes it again",
    "DROP TABLE near_keys": "schema: table near_keys is missing; repair makes it again",
    "CREATE TABLE strange (word TEXT)": "schema: table strange is none of ours; drop it, or restore a backup",
    "ALTER TABLE turns ADD COLUMN more TEXT": (
        "schema: table turns isn't as this version makes it; restore a backup, or export and import"
    ),
}


@pytest.mark.parametrize("statement", DRIFT)
def test_a_schema_that_drifted_is_found(tmp_path: Path, statement: str) -> None:
    filled(tmp_path / "odd.db")
    store = opened(tmp_path / "odd.db")
    with store._connections.writing() as connection:
        connection.execute(statement)
    assert DRIFT[statement] in store.verify()
    store.close()


def test_a_lost_index_is_made_again(tmp_path: Path) -> None:
    filled(tmp_path / "odd.db")
    store = opened(tmp_path / "odd.db")
    with store._connections.writing() as connection:
        connection.execute("DROP INDEX turns_session")
    assert "indexes made again: 1" in store.repair()
    assert store.verify() == []
    store.close()


def everything_found(store: SqliteStore) -> tuple[object, ...]:
    with store._connections.outside() as connection:
        tags = connection.execute("SELECT * FROM note_tags ORDER BY 1, 2").fetchall()
        keys = connection.execute("SELECT * FROM near_keys ORDER BY 1, 2, 3").fetchall()
    with store.read(reading()) as view:
        return tags, keys, view.postings("brutus"), [view.vocabulary(length) for length in range(9)]


LOST = ["TABLE note_tags", "TABLE near_keys", "TABLE vocabulary", "TABLE waiting", "TABLE notes_fts"]
LOST += ["VIEW notes_indexed", "TRIGGER subject_without_epochs", "TABLE vectors"]


@pytest.mark.parametrize("lost", LOST)
def test_what_is_derived_and_lost_is_made_again(tmp_path: Path, lost: str) -> None:
    ids = filled(tmp_path / "odd.db")
    store = opened(tmp_path / "odd.db")
    before = everything_found(store)
    with store._connections.writing() as connection:
        connection.execute("DROP " + lost)
    kind, _, name = lost.partition(" ")
    assert any(f"{kind.lower()} {name} is missing; repair makes it again" in one for one in store.verify())
    store.repair()
    assert store.verify() == []
    assert everything_found(store) == before
    store.erase("ada", Selector(note_id=ids[0]), at=LATER)
    assert store.verify() == []
    store.close()


MENDED = {
    "DELETE FROM note_tags": "tags:",
    "INSERT INTO note_tags SELECT MIN(row), 'strange' FROM notes": "tags:",
    "DELETE FROM near_keys": "near keys:",
    "INSERT INTO near_keys SELECT subject_number, 7, row FROM notes": "near keys:",
    "UPDATE notes SET superseded_by = 'nobody', superseded_at = 1": "notes: some gave way",
    "UPDATE vocabulary SET documents = 9": "vocabulary:",
}


@pytest.mark.parametrize("statement", MENDED)
def test_what_disagrees_with_the_notes_is_found_and_mended(tmp_path: Path, statement: str) -> None:
    filled(tmp_path / "odd.db")
    store = opened(tmp_path / "odd.db")
    with store._connections.writing() as connection:
        connection.execute(statement)
    assert any(one.startswith(MENDED[statement]) for one in store.verify())
    store.repair()
    assert store.verify() == []
    store.close()


UNMENDED = {
    "DELETE FROM subjects": "notes: some belong to no subject; restore a backup",
    "DELETE FROM notes WHERE kind = 'fact'": "facts: some belong to no record; restore a backup",
    "DELETE FROM facts": "facts: a record of that kind has no statement; restore a backup",
}


@pytest.mark.parametrize("statement", UNMENDED)
def test_a_table_that_was_emptied_is_found(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "odd.db"
    with Memory.open(path, embedder=None) as memory:
        settle(memory)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
    with Memory.open(path, embedder=None) as memory:
        assert UNMENDED[statement] in memory.verify()


def test_a_fact_whose_statement_was_changed_leaves_search_and_decisions(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    with Memory.open(path, embedder=None) as memory:
        fact = memory.facts.add("user", "lives in", "Periwinkle Street", subject="ada").fact
        assert memory.decide("who lives in periwinkle street", subject="ada").candidates
        with memory._store._connections.writing() as connection:  # type: ignore[attr-defined]  # no verb damages
            connection.execute("UPDATE facts SET object = 'Larkspur Lane'")
        assert f"fact {fact.id}: its statement is damaged; repair sets it aside" in memory.verify()
        assert f"fact {fact.id}: damaged, set aside" in memory.repair()
        assert memory.facts.list(subject="ada") == ()
        assert memory.search("periwinkle", subject="ada") == []
        assert not memory.facts.search("who lives in periwinkle street", subject="ada").hits
        assert memory.decide("who lives in periwinkle street", subject="ada").candidates == ()
        assert memory.verify() == [f"fact {fact.id}: its statement is damaged; it is set aside: erase it"]
        memory.erase(fact.id, subject="ada")
        assert memory.verify() == []


def test_a_turn_that_was_changed_is_found_and_no_fact_is_read_from_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "odd.db", embedder=None) as memory:
        turn = memory.sessions.append("I live in Rome.", subject="ada", session="s")
        with memory._store._connections.writing() as connection:  # type: ignore[attr-defined]  # no verb damages
            connection.execute("UPDATE turns SET text = 'I live in Oslo.', extraction = 'pending'")
        assert memory.sessions.waiting("ada") == 1
        assert any(one.startswith(f"turn {turn.id}: damaged") for one in memory.verify())
        assert f"turn {turn.id}: damaged, not read for facts" in memory.repair()
        assert memory.sessions.waiting("ada") == 0
        assert [one.id for one in memory.sessions.recent(subject="ada", session="s")] == [turn.id]


def seen(store: SqliteStore) -> dict[str, object]:
    with store.read(reading()) as view:
        return {
            "postings": view.postings("brutus"),
            "frequency": view.document_frequency("notes"),
            "corpus": view.corpus,
            "vocabulary": [view.vocabulary(length) for length in range(9)],
            "nearest": view.nearest(IDENTITY, unit(1), 9),
        }


def test_a_truncated_file_is_damage_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "cut.db"
    filled(path, 40)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(AtmemError):  # noqa: PT012 - where it shows depends on the page
        store = opened(path)
        try:
            read_everything(store)
            assert store.verify() == []
        finally:
            store.close()


# --- copies ----------------------------------------------------------------------------------------


def test_a_backup_is_whole_and_holds_nothing_erased(tmp_path: Path) -> None:
    store = opened(tmp_path / "a.db")
    clock = SteppingClock()
    store.add(drafted("brutus stays", clock, tags=("pets",)))
    gone = store.add(drafted("quagmire goes", clock)).note
    store.erase("ada", Selector(note_id=gone.id), at=LATER)
    store.backup(tmp_path / "b.db")
    assert b"quagmire" not in (tmp_path / "b.db").read_bytes()
    copied = opened(tmp_path / "b.db")
    assert read_everything(copied) == 1
    assert copied.verify() == []
    copied.close()
    with pytest.raises(StoreError, match="exists"):
        store.backup(tmp_path / "b.db")
    with pytest.raises(StoreError, match="nowhere"):
        store.backup(tmp_path / "nowhere" / "c.db")
    store.close()


def test_a_store_in_memory_can_be_backed_up(tmp_path: Path) -> None:
    store = opened()
    note = store.add(drafted("brutus", SteppingClock(), tags=("pets",))).note
    assert row_of(store, note) > 0
    store.backup(tmp_path / "b.db")
    store.close()
    copied = opened(tmp_path / "b.db")
    assert read_everything(copied) == 1
    copied.close()


def test_a_note_whose_id_is_damaged_is_set_aside_too(tmp_path: Path) -> None:
    path = tmp_path / "rot.db"
    filled(path)
    store = opened(path)
    with store._connections.writing() as connection:
        connection.execute(
            "UPDATE notes SET id = CAST(X'FF6E31' AS TEXT) WHERE row = (SELECT MIN(row) FROM notes)"
        )
    store.repair()
    assert all("repair sets it aside" not in line for line in store.verify())
    store.close()
