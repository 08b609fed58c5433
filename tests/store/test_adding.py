"""What one write does: exact duplicates, keys, supersession in one transaction, limits, near matches."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from atmem_core.errors import InvalidInput, NotFound, WriteRefused
from atmem_core.records import Note, Selector
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import LATER, START, SteppingClock, drafted, opened, reading, row_of

LONG = "the quick brown fox jumps over the lazy dog near the river bank on a sunny day in late may"


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    found = opened()
    yield found
    found.close()


def dump(store: SqliteStore) -> object:
    """Every table, but for the revision that each write counts."""
    tables = ("notes", "note_tags", "vocabulary", "near_keys", "waiting", "vectors")
    with store._connections.reading() as connection:
        rows = [connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables]  # noqa: S608 - names above
        columns = "SELECT number, name, documents, total_length, active, next_sequence FROM subjects"
        return rows, connection.execute(columns).fetchall()


# --- duplicates ------------------------------------------------------------------------------------


def test_the_same_text_in_the_same_scope_is_stored_once(store: SqliteStore, clock: SteppingClock) -> None:
    first = store.add(drafted("Brutus  is\nbig.", clock))
    before = dump(store)
    again = store.add(drafted("Brutus is big.", clock))
    assert (again.created, again.row, again.note) == (False, first.row, first.note)
    assert dump(store) == before


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Brutus is big"},
        {"text": "brutus is big."},
        {"project": "p"},
        {"session": "s"},
        {"agent": "a"},
        {"subject": "bob"},
        {"speaker": "Anna"},
        {"valid_from": START},
        {"valid_to": START},
    ],
)
def test_anything_else_is_another_note(
    store: SqliteStore, clock: SteppingClock, other: dict[str, Any]
) -> None:
    store.add(drafted("Brutus is big.", clock))
    text = str(other.pop("text", "Brutus is big."))
    assert store.add(drafted(text, clock, **other)).created


def test_near_matches_are_reported_newest_first_and_never_merged(
    store: SqliteStore, clock: SteppingClock
) -> None:
    older = store.add(drafted(LONG, clock))
    newer = store.add(drafted(LONG + ".", clock))
    for note in (older, newer):
        assert note.created
    forgotten = store.add(drafted(LONG + "!", clock)).note
    store.forget("ada", Selector(note_id=forgotten.id), at=LATER)
    store.add(drafted(LONG + "?", clock, session="another"))
    store.add(drafted(LONG + "?", clock, subject="bob"))
    store.add(drafted(LONG + "..", clock, valid_to=START))
    found = store.add(drafted(LONG + "!!", clock))
    assert found.similar == (newer.note.id, older.note.id)


def test_at_most_twenty_near_matches_are_reported(store: SqliteStore, clock: SteppingClock) -> None:
    ids = [store.add(drafted(LONG + "." * at, clock)).note.id for at in range(30)]
    found = store.add(drafted(LONG + "!", clock))
    assert found.similar == tuple(ids[:-21:-1])


# --- keys ------------------------------------------------------------------------------------------


def test_a_key_gives_the_same_note_again(store: SqliteStore, clock: SteppingClock) -> None:
    first = store.add(drafted("one", clock, idempotency_key="k"))
    again = store.add(drafted("one", clock, idempotency_key="k"))
    assert (again.created, again.note) == (False, first.note)


def test_a_key_for_another_text_is_refused_and_nothing_changes(
    store: SqliteStore, clock: SteppingClock
) -> None:
    store.add(drafted("one", clock, idempotency_key="k"))
    before = dump(store)
    with pytest.raises(WriteRefused) as refused:
        store.add(drafted("two", clock, idempotency_key="k"))
    assert refused.value.code == "idempotency_conflict"
    assert dump(store) == before


def test_a_key_belongs_to_its_subject(store: SqliteStore, clock: SteppingClock) -> None:
    store.add(drafted("one", clock, idempotency_key="k"))
    assert store.add(drafted("two", clock, idempotency_key="k", subject="bob")).created


def test_a_key_whose_note_was_forgotten_brings_nothing_back(store: SqliteStore, clock: SteppingClock) -> None:
    first = store.add(drafted("one", clock, idempotency_key="k")).note
    store.forget("ada", Selector(note_id=first.id), at=LATER)
    again = store.add(drafted("one", clock, idempotency_key="k"))
    assert (again.created, again.note.id) == (False, first.id)
    assert store.notes(reading(), limit=9) == []


def test_a_repeated_supersede_with_its_key_does_nothing_more(
    store: SqliteStore, clock: SteppingClock
) -> None:
    old = store.add(drafted("old", clock)).note
    new = store.add(drafted("new", clock, idempotency_key="k"), supersedes=old.id)
    before = dump(store)
    again = store.add(drafted("new", clock, idempotency_key="k"), supersedes=old.id)
    assert (again.created, again.note.id) == (False, new.note.id)
    assert dump(store) == before


def test_a_key_of_a_note_that_isnt_current_never_makes_a_ring(
    store: SqliteStore, clock: SteppingClock
) -> None:
    first = store.add(drafted("first", clock, idempotency_key="k")).note
    second = store.add(drafted("second", clock), supersedes=first.id).note
    before = dump(store)
    with pytest.raises(WriteRefused):
        store.add(drafted("first", clock, idempotency_key="k"), supersedes=second.id)
    assert dump(store) == before
    assert [one.id for one in store.versions("ada", first.id)] == [first.id, second.id]


# --- supersession ----------------------------------------------------------------------------------


def test_supersede_closes_the_old_at_the_new_ones_time(store: SqliteStore, clock: SteppingClock) -> None:
    old = store.add(drafted("old", clock)).note
    new = store.add(drafted("new", clock), supersedes=old.id).note
    closed = store.get("ada", old.id)
    assert (closed.superseded_by, closed.superseded_at) == (new.id, new.created_at)
    assert store.notes(reading(), limit=9) == [new]
    before = new.created_at - timedelta(microseconds=1)
    assert [one.id for one in store.notes(reading(at=before, as_of=True), limit=9)] == [old.id]
    assert [one.id for one in store.notes(reading(at=new.created_at, as_of=True), limit=9)] == [new.id]


@pytest.mark.parametrize("state", ["superseded", "forgotten", "erased", "unknown"])
@pytest.mark.parametrize("text", ["newest", "current"])
def test_what_isnt_current_cant_be_superseded_and_nothing_changes(
    store: SqliteStore, clock: SteppingClock, state: str, text: str
) -> None:
    store.add(drafted("current", clock))
    note_id = "n0"
    if state != "unknown":
        note_id = store.add(drafted("old", clock)).note.id
    match state:
        case "superseded":
            store.add(drafted("new", clock), supersedes=note_id)
        case "forgotten":
            store.forget("ada", Selector(note_id=note_id), at=LATER)
        case "erased":
            store.erase("ada", Selector(note_id=note_id), at=LATER)
        case _:
            pass
    before = dump(store)
    with pytest.raises(NotFound):
        store.add(drafted(text, clock), supersedes=note_id)
    assert dump(store) == before
    assert store.verify() == []


def test_a_refused_first_write_leaves_no_subject(store: SqliteStore, clock: SteppingClock) -> None:
    with pytest.raises(NotFound):
        store.add(drafted("new", clock, subject="carol"), supersedes="n0")
    assert dump(store) == ([[]] * 6, [])


def test_superseding_with_the_same_text_changes_nothing(store: SqliteStore, clock: SteppingClock) -> None:
    old = store.add(drafted("same", clock)).note
    before = dump(store)
    again = store.add(drafted("same", clock), supersedes=old.id)
    assert (again.created, again.note) == (False, old)
    assert dump(store) == before


# --- the limit of notes ----------------------------------------------------------------------------


def current(store: SqliteStore, subject: str = "ada") -> list[Note]:
    return [one for one in store.notes(reading(subject), limit=99) if one.archived_at is None]


def test_the_least_useful_is_archived_never_the_newest_and_nothing_is_deleted(
    clock: SteppingClock,
) -> None:
    store = opened(max_notes=3)
    notes = [store.add(drafted(f"note {at}", clock)).note for at in range(3)]
    store.add(drafted("of another", clock, subject="bob"))
    store.mark_used("ada", [notes[0].id, notes[2].id], at=clock.now())
    store.mark_used("ada", [notes[2].id], at=clock.now())
    newest = store.add(drafted("note 3", clock)).note
    assert {one.id for one in current(store)} == {notes[0].id, notes[2].id, newest.id}
    newer = store.add(drafted("note 4", clock)).note  # unused, as is note 3, and note 3 is older
    assert {one.id for one in current(store)} == {notes[0].id, notes[2].id, newer.id}
    assert len(store.notes(reading(), limit=99)) == 5
    assert store.stats("ada").archived == 2
    assert store.stats("bob").archived == 0
    with store.read(reading()) as view:
        assert view.document_frequency("note") == 5
        assert len(view.eligible(view.postings("note"))) == 5
    assert store.verify() == []
    store.close()


def test_even_a_limit_of_one_keeps_the_newest(clock: SteppingClock) -> None:
    store = opened(max_notes=1)
    for at in range(5):
        newest = store.add(drafted(f"note {at}", clock)).note
        assert [one.id for one in current(store)] == [newest.id]
    store.close()


def test_a_lower_limit_is_reached_at_the_next_write(tmp_path: object, clock: SteppingClock) -> None:
    path = f"{tmp_path}/a.db"
    store = opened(path)
    for at in range(6):
        store.add(drafted(f"note {at}", clock))
    store.close()
    store = opened(path, max_notes=2)
    store.add(drafted("one more", clock))
    assert len(current(store)) == 2
    assert store.verify() == []
    store.close()


def test_superseded_and_forgotten_notes_take_no_room(clock: SteppingClock) -> None:
    store = opened(max_notes=3)
    notes = [store.add(drafted(f"note {at}", clock)).note for at in range(3)]
    store.add(drafted("newer 0", clock), supersedes=notes[0].id)
    store.forget("ada", Selector(note_id=notes[1].id), at=LATER)
    store.add(drafted("note 4", clock))
    assert store.stats("ada").archived == 0
    assert store.set_archived("ada", [notes[2].id, notes[2].id, notes[1].id], at=LATER) == 1
    assert store.set_archived("ada", [notes[2].id], at=LATER) == 0
    store.add(drafted("note 5", clock))
    assert store.stats("ada").archived == 1
    store.add(drafted("note 6", clock), supersedes=notes[2].id)
    assert store.verify() == []
    store.close()


def test_use_is_counted_once_a_call(store: SqliteStore, clock: SteppingClock) -> None:
    note = store.add(drafted("one", clock)).note
    store.mark_used("ada", [note.id, note.id, "n0"], at=START)
    store.mark_used("ada", [note.id], at=LATER)
    found = store.get("ada", note.id)
    assert (found.use_count, found.last_used_at) == (2, LATER)


# --- the note itself -------------------------------------------------------------------------------


def test_a_note_comes_back_as_it_was_told(store: SqliteStore, clock: SteppingClock) -> None:
    one = drafted(
        "Tea at noon — «très bien» 東京",
        clock,
        project="p",
        session="s",
        agent="a",
        speaker="Anna",
        source="tool",
        trust=0.25,
        tags=("x", "Y", "日本"),
        occurred_at=START - timedelta(days=400_000),
        valid_from=START,
        valid_to=LATER,
        idempotency_key="k",
    )
    stored = store.add(one)
    for name in ("id", "scope", "text", "speaker", "source", "trust", "tags", "kind", "content_hash"):
        assert getattr(stored.note, name) == getattr(one, name)
    for name in ("created_at", "occurred_at", "valid_from", "valid_to"):
        assert getattr(stored.note, name) == getattr(one, name)
    assert store.get("ada", one.id) == stored.note
    assert row_of(store, stored.note) == stored.row


def test_notes_come_newest_first_in_pages(store: SqliteStore, clock: SteppingClock) -> None:
    ids = [store.add(drafted(f"note {at}", clock)).note.id for at in range(7)]
    pages = [store.notes(reading(), limit=3, offset=at) for at in (0, 3, 6, 9)]
    assert [one.id for page in pages for one in page] == ids[::-1]


def test_a_naive_time_is_refused(store: SqliteStore, clock: SteppingClock) -> None:
    note = store.add(drafted("one", clock)).note
    naive = START.replace(tzinfo=None)
    before = dump(store)
    with pytest.raises(InvalidInput):
        store.forget("ada", Selector(note_id=note.id), at=naive)
    with pytest.raises(InvalidInput):
        store.erase("ada", Selector(note_id=note.id), at=naive)
    with pytest.raises(InvalidInput):
        store.mark_used("ada", [note.id], at=naive)
    assert dump(store) == before
