"""Erase takes the bytes out of every table, index, log and memory; forget keeps history only."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from numpy.typing import NDArray

from atmem_core.errors import InvalidInput, NotFound, StoreCorrupt, StoreError
from atmem_core.records import Note, Selector
from atmem_core.store.sqlite.store import _NO_LONGER_PENDING, SqliteStore
from tests.store.histories import (
    IDENTITY,
    LATER,
    START,
    SteppingClock,
    drafted,
    opened,
    reading,
    row_of,
    unit,
)

SECRET = "Quagmire keeps zanzibarite under his flagstones, tagged"  # noqa: S105 - a note
WORDS = ("quagmire", "zanzibarit", "flagston", "Quagmire")
"""As they stand in text, index and vocabulary: stems too."""
TAG = "cryptonymous"
KEY = "idem-potency-91"
DIMENSIONS = 384
VECTOR = unit(77, DIMENSIONS)
SELECTORS = {
    "note": lambda note: Selector(note_id=note.id),
    "session": lambda note: Selector(session="doomed-session"),
    "project": lambda note: Selector(project="doomed-project"),
    "older than": lambda note: Selector(older_than=START),
    "everything": lambda note: Selector(everything=True),
}


def traces(path: Path, vector: NDArray[np.float32] = VECTOR) -> list[str]:
    """What of the secret stands in any file of this database."""
    found = []
    for end in ("", "-wal", "-shm", "-journal"):
        file = Path(f"{path}{end}")
        data = file.read_bytes() if file.exists() else b""
        found += [f"{word}{end}" for word in (*WORDS, TAG, KEY) if word.encode() in data]
        blob = vector.tobytes()
        pieces = [blob[at : at + 12] for at in range(0, len(blob) - 12, 12)]
        found += [f"vector{end}" for piece in pieces if piece in data][:1]
    return found


@contextmanager
def stored(path: Path, *, notes: int = 40) -> Iterator[tuple[SqliteStore, Note]]:
    """A store with a secret among plain notes of its subject and of another."""
    store = opened(path)
    clock = SteppingClock()
    note = None
    for at in range(notes):
        plain = store.add(drafted(f"plain number {at} of many words", clock))
        store.add(drafted(f"plain number {at} of many words", clock, subject="bob"))
        store.put_vectors(IDENTITY, {plain.row: unit(at, DIMENSIONS)})
        if at == notes // 2:
            note = secret(store, clock)
    assert note is not None
    try:
        yield store, note
    finally:
        store.close()


def secret(store: SqliteStore, clock: SteppingClock) -> Note:
    found = store.add(
        drafted(
            SECRET,
            clock,
            session="doomed-session",
            project="doomed-project",
            tags=(TAG,),
            idempotency_key=KEY,
            occurred_at=START - timedelta(days=1),
        )
    )
    store.put_vectors(IDENTITY, {found.row: VECTOR})
    return found.note


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("state", ["current", "superseded", "forgotten", "reopened", "reembedded"])
def test_erase_leaves_no_byte(tmp_path: Path, selector: str, state: str) -> None:
    path = tmp_path / "agent.db"
    with stored(path) as (store, note):
        vector = VECTOR
        match state:
            case "superseded":
                store.add(drafted("plain again", SteppingClock(name="b")), supersedes=note.id)
            case "forgotten":
                store.forget("ada", Selector(note_id=note.id), at=LATER)
            case "reopened":
                store.close()
                store = opened(path)  # noqa: PLW2901 - the same file again
            case "reembedded":
                vector = unit(78, DIMENSIONS)
                store.put_vectors(IDENTITY, {row_of(store, note): vector})
            case _:
                pass
        assert traces(path) != []
        receipt = store.erase("ada", SELECTORS[selector](note), at=LATER)
        assert note.id in receipt.ids
        assert not receipt.pending_checkpoint
        assert traces(path, vector) == []
        assert traces(path) == []
        assert store.verify() == []
        assert store.stats("bob").notes == 40
        with pytest.raises(NotFound):
            store.get("ada", note.id)
        store.close()
    assert traces(path) == []


def test_a_subject_that_was_erased_leaves_no_row_and_its_number_is_never_used_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    with stored(path) as (store, _):
        before = _number(store, "ada")
        store.erase("ada", Selector(everything=True), at=LATER)
        assert _number(store, "ada") is None
        store.add(drafted("new life", SteppingClock(name="b")))
        found = _number(store, "ada")
        assert before is not None
        assert found is not None
        assert found > before
        assert b"doomed" not in path.read_bytes()


def _number(store: SqliteStore, subject: str) -> int | None:
    with store._connections.reading() as connection:
        sql = "SELECT number FROM subjects WHERE name = :name"
        found = connection.execute(sql, {"name": subject}).fetchone()
    return None if found is None else int(found[0])


@pytest.mark.parametrize("finisher", ["open", "close", "erase"])
def test_an_erase_under_a_reader_is_finished_later(tmp_path: Path, finisher: str) -> None:
    path = tmp_path / "agent.db"
    with stored(path) as (store, note):
        other = opened(path)
        with other.read(reading()) as view:
            assert view.document_frequency("quagmire") == 1
            receipt = store.erase("ada", Selector(note_id=note.id), at=LATER)
            assert receipt.pending_checkpoint
            assert view.document_frequency("quagmire") == 1  # its snapshot is whole
        with store.read(reading()) as view:
            assert view.document_frequency("quagmire") == 0
        assert traces(path) != []
        match finisher:
            case "open":
                opened(path).close()
            case "close":
                other.close()
            case _:
                plain = store.notes(reading(), limit=1)[0]
                receipt = store.erase("ada", Selector(note_id=plain.id), at=LATER)
                assert not receipt.pending_checkpoint
        assert traces(path) == []
        other.close()


def test_an_erase_waits_for_a_reader_that_is_about_to_end(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with stored(path) as (store, note):
        inside = Event()

        def read_until_it_is_gone() -> None:
            other, third = opened(path), opened(path)
            with other.read(reading()):
                inside.set()
                while third.stats("ada").notes > 40:
                    pass
            other.close()
            third.close()

        reader = Thread(target=read_until_it_is_gone)
        reader.start()
        assert inside.wait(10)
        receipt = store.erase("ada", Selector(note_id=note.id), at=LATER)
        reader.join(10)
        assert not receipt.pending_checkpoint
        assert traces(path) == []


def test_an_erase_that_cant_be_finished_doesnt_keep_a_store_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stored(tmp_path / "agent.db") as (store, _):

        def damaged() -> bool:
            raise StoreCorrupt("damaged")

        monkeypatch.setattr(store, "finish_erase", damaged)
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.stats()


def test_an_erase_that_another_process_did_meanwhile_stays_pending(tmp_path: Path) -> None:
    """Finishing one erase must not take the mark of a later one away."""
    path = tmp_path / "agent.db"
    with stored(path) as (store, note):
        with store._connections.reading() as connection:
            assert connection.execute("SELECT 1 FROM file_state").fetchone() is None
        other = opened(path)
        with other.read(reading()):
            store.erase("ada", Selector(note_id=note.id), at=LATER)
        later = "UPDATE file_state SET value = value + 1 WHERE name = 'pending_checkpoint'"
        finish = "SELECT COUNT(*) FROM file_state WHERE name = 'pending_checkpoint'"
        with store._connections.writing() as connection:  # as if between the look and the mark
            connection.execute(later)
            connection.execute(_NO_LONGER_PENDING, {"erasure": 1})
            assert connection.execute(finish).fetchall() == [(1,)]
            connection.execute(_NO_LONGER_PENDING, {"erasure": 2})
            assert connection.execute(finish).fetchall() == [(0,)]
        other.close()


@pytest.mark.parametrize("selector", SELECTORS)
def test_erased_vectors_leave_the_memory_of_another_store(tmp_path: Path, selector: str) -> None:
    path = tmp_path / "agent.db"
    with stored(path) as (store, note):
        other = opened(path)
        row = row_of(store, note)
        bob = other.notes(reading("bob"), limit=1)[0]
        for _ in range(2):
            with other.read(reading()) as view:
                assert view.nearest(IDENTITY, VECTOR, 1)[0][0] == row
        assert _held(other)
        store.erase("ada", SELECTORS[selector](note), at=LATER)
        with other.read(reading("bob")) as view:  # a look at any subject is enough
            view.nearest(IDENTITY, VECTOR, 1)
        assert not _held(other)
        with other.read(reading()) as view:
            assert row not in {found for found, _ in view.nearest(IDENTITY, VECTOR, 100)}
            assert view.cosines(IDENTITY, VECTOR, [row]) == {}
        assert other.get("bob", bob.id) == bob
        other.close()


def _held(store: SqliteStore) -> bool:
    """Does any matrix of this store hold the secret's vector?"""
    for matrix in store._cache._held.values():
        if matrix._floats is not None and VECTOR.tobytes() in matrix._floats.tobytes():
            return True
    return False


def test_erase_is_whole_or_not_at_all(tmp_path: Path) -> None:
    with stored(tmp_path / "agent.db") as (store, note):
        with store._connections.writing() as connection:
            connection.execute(
                "CREATE TEMP TRIGGER stop BEFORE DELETE ON main.notes BEGIN SELECT RAISE(ABORT, 'stop'); END"
            )
        with pytest.raises(Exception, match=r"agent\.db"):
            store.erase("ada", Selector(everything=True), at=LATER)
        assert store.get("ada", note.id) == note
        assert store.verify() == []
        with store._connections.writing() as connection:
            connection.execute("DROP TRIGGER stop")


# --- chains ----------------------------------------------------------------------------------------


def chain(store: SqliteStore) -> list[Note]:
    clock = SteppingClock()
    notes = [store.add(drafted("version 0", clock)).note]
    for at in range(1, 4):
        notes.append(store.add(drafted(f"version {at}", clock), supersedes=notes[-1].id).note)
    return notes


def test_a_chain_is_the_same_from_every_link() -> None:
    store = opened()
    notes = chain(store)
    for note in notes:
        assert [one.id for one in store.versions("ada", note.id)] == [one.id for one in notes]
    store.close()


@pytest.mark.parametrize("middle", [0, 1, 2, 3])
def test_an_erased_link_parts_the_chain_and_brings_nothing_back(middle: int) -> None:
    store = opened()
    notes = chain(store)
    store.erase("ada", Selector(note_id=notes[middle].id), at=LATER)
    for at, note in enumerate(notes):
        if at == middle:
            with pytest.raises(NotFound):
                store.versions("ada", note.id)
        else:
            part = notes[:middle] if at < middle else notes[middle + 1 :]
            assert [one.id for one in store.versions("ada", note.id)] == [one.id for one in part]
    wanted = [notes[3].id] if middle != 3 else []
    assert [one.id for one in store.notes(reading(), limit=9)] == wanted
    store.close()


def test_two_notes_that_gave_way_to_one_are_both_its_history() -> None:
    store = opened()
    clock = SteppingClock()
    one, other = (store.add(drafted(text, clock)).note for text in ("rex", "max"))
    new = store.add(drafted("brutus", clock), supersedes=one.id)
    same = store.add(drafted("brutus", clock), supersedes=other.id)
    assert (same.created, same.note.id) == (False, new.note.id)
    assert store.get("ada", other.id).superseded_by == new.note.id
    assert {note.id for note in store.versions("ada", new.note.id)} == {one.id, other.id, new.note.id}
    assert [note.id for note in store.versions("ada", other.id)] == [other.id, new.note.id]
    assert [note.id for note in store.notes(reading(), limit=9)] == [new.note.id]
    assert store.verify() == []
    store.close()


# --- forgetting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_forgotten_note_keeps_its_history_and_leaves_recall(tmp_path: Path, selector: str) -> None:
    with stored(tmp_path / "agent.db") as (store, note):
        row = row_of(store, note)
        forgotten = store.forget("ada", SELECTORS[selector](note), at=LATER)
        assert note.id in forgotten.ids
        kept = store.get("ada", note.id)
        assert (kept.text, kept.forgotten_at) == (SECRET, LATER)
        assert [one.id for one in store.versions("ada", note.id)] == [note.id]
        assert note.id in {one.id for one in store.notes(reading(), limit=99, all_states=True)}
        assert note.id not in {one.id for one in store.notes(reading(), limit=99)}
        for as_of in (False, True):
            with store.read(reading(as_of=as_of)) as view:
                assert view.postings("quagmire") == []
                assert "quagmire" not in view.vocabulary(8)
                assert view.eligible([row]) == []
                assert view.documents([row]) == {}
                assert row not in dict(view.nearest(IDENTITY, VECTOR, 99))
        assert store.forget("ada", SELECTORS[selector](note), at=LATER).ids == ()
        assert store.verify() == []
        store.repair()
        assert store.verify() == []
        with store.read(reading()) as view:
            assert view.postings("quagmire") == []


def test_a_forgotten_text_can_be_told_again() -> None:
    store = opened()
    clock = SteppingClock()
    first = store.add(drafted("one", clock)).note
    store.forget("ada", Selector(note_id=first.id), at=LATER)
    again = store.add(drafted("one", clock))
    assert again.created
    assert again.note.id != first.id
    store.close()


def test_no_selector_or_two_is_refused_before_anything_is_read() -> None:
    for given in ({}, {"note_id": None}, {"session": "a", "project": "b"}, {"everything": False}):
        with pytest.raises(InvalidInput):
            Selector(**given)
