"""Bytes that rotted, indexes that differ from the notes, and copies."""

from pathlib import Path

import pytest

from atmem_core.errors import AtmemError, StoreCorrupt, StoreError
from atmem_core.records import Selector
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.files import filled, read_everything
from tests.store.histories import IDENTITY, LATER, SteppingClock, drafted, opened, reading, row_of, unit


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
