"""Notes and links out of a store page by page, and into one with their whole state."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from atmem_core.records import (
    CopyOutcome,
    CopyRefused,
    HeldNote,
    ImportCode,
    Note,
    NoteCopy,
    NoteDraft,
    NoteLink,
    Selector,
)
from atmem_core.store.sqlite.derived import LOOSE_END
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import LATER, START, SteppingClock, drafted, opened, reading

CREATED, UPDATED, UNCHANGED = CopyOutcome.CREATED, CopyOutcome.UPDATED, CopyOutcome.UNCHANGED


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


def copied(store: SqliteStore, *copies: NoteCopy, subject: str = "ada") -> list[CopyOutcome | CopyRefused]:
    return store.copy_notes(subject, copies, aliases={}, at=LATER)


def copy(draft: NoteDraft, **state: object) -> NoteCopy:
    return NoteCopy(draft=draft, **state)  # type: ignore[arg-type]  # a test's keywords


def every_note(store: SqliteStore, *, page: int) -> list[HeldNote]:
    found: list[HeldNote] = []
    while more := store.page_of_notes("ada", after=found[-1].row if found else 0, limit=page):
        found += more
    return found


def as_copy(note: Note, draft: NoteDraft) -> NoteCopy:
    return NoteCopy(
        draft=replace(draft, id=note.id, created_at=note.created_at),
        superseded_by=note.superseded_by,
        superseded_at=note.superseded_at,
        forgotten_at=note.forgotten_at,
        archived_at=note.archived_at,
        use_count=note.use_count,
        last_used_at=note.last_used_at,
    )


def test_pages_of_any_size_give_every_note_once_in_the_order_of_storing(clock: SteppingClock) -> None:
    store = opened()
    told = [store.add(drafted(f"note {at}", clock)).note.id for at in range(7)]
    store.add(drafted("of somebody else", clock, subject="eve"))
    for size in (1, 3, 7, 100):
        assert [one.note.id for one in every_note(store, page=size)] == told
    assert store.page_of_notes("nobody", after=0, limit=5) == []


def test_a_copy_keeps_its_id_and_its_whole_state(clock: SteppingClock) -> None:
    store = opened()
    state: dict[str, object] = {"superseded_by": "n000002", "superseded_at": START}
    state |= {"forgotten_at": LATER, "archived_at": START, "use_count": 3, "last_used_at": LATER}
    one = copy(drafted("Brutus is a mastiff.", clock, tags=("pets",), idempotency_key="k"), **state)
    assert copied(store, one, copy(drafted("Brutus is a Leonberger.", clock))) == [CREATED, CREATED]
    found = store.page_of_notes("ada", after=0, limit=1)[0]
    assert as_copy(found.note, one.draft) == one
    assert (found.note.tags, found.idempotency_key) == (("pets",), "k")
    assert store.verify() == []


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"forgotten_at": LATER},
        {"superseded_by": "nx", "superseded_at": START},
        {"archived_at": START},
        {"superseded_by": "nx", "superseded_at": START, "archived_at": START, "forgotten_at": LATER},
    ],
)
def test_a_copied_state_leaves_indexes_and_statistics_right(
    state: dict[str, object], clock: SteppingClock
) -> None:
    store = opened()
    assert copied(store, copy(drafted("brutus barks", clock), **state)) == [CREATED]
    # Its successor wasn't in what was copied.
    assert store.verify() == ([LOOSE_END] if "superseded_by" in state else [])
    with store.read(reading()) as view:
        indexed = view.postings("brutus")
        shown = view.eligible(indexed)
    assert len(indexed) == int("forgotten_at" not in state)
    assert len(shown) == int(not {"forgotten_at", "superseded_by"} & set(state))
    assert len(store.awaiting_vectors(limit=9)) == len(indexed)


def test_a_copy_that_is_there_changes_nothing(clock: SteppingClock) -> None:
    store = opened()
    one = copy(drafted("brutus barks", clock))
    assert copied(store, one) + copied(store, one) == [CREATED, UNCHANGED]
    assert store.stats("ada").notes == 1


@pytest.mark.parametrize(
    "closing",
    [
        {"forgotten_at": LATER},
        {"archived_at": START},
        {"superseded_by": "nx", "superseded_at": START},
        {"superseded_by": "nx", "superseded_at": START, "forgotten_at": LATER, "archived_at": START},
    ],
)
def test_a_later_copy_closes_what_an_earlier_one_brought_and_opens_nothing(
    closing: dict[str, object], clock: SteppingClock
) -> None:
    store = opened()
    draft = drafted("brutus barks", clock)
    open_, closed = copy(draft), copy(draft, **closing)
    assert copied(store, open_) == [CREATED]
    assert copied(store, closed) == [UPDATED]
    assert copied(store, closed) + copied(store, open_) == [UNCHANGED, UNCHANGED]
    assert as_copy(store.get("ada", draft.id), draft) == closed
    assert [one for one in store.verify() if one != LOOSE_END] == []


def test_an_id_that_stands_for_another_text_or_another_subject_is_refused(clock: SteppingClock) -> None:
    store = opened()
    draft = drafted("brutus barks", clock)
    copied(store, copy(draft))
    other = copy(replace(drafted("nero meows", clock), id=draft.id))
    foreign = copy(replace(drafted("brutus barks", clock, subject="eve"), id=draft.id))
    for subject, one in (("ada", other), ("eve", foreign)):
        (answer,) = copied(store, one, subject=subject)
        assert isinstance(answer, CopyRefused)
        assert answer.code is ImportCode.ID_CONFLICT
    assert store.get("ada", draft.id).text == "brutus barks"
    assert store.stats("eve").notes == 0


def test_a_key_that_was_used_for_another_text_is_refused_and_the_rest_is_stored(clock: SteppingClock) -> None:
    store = opened()
    store.add(drafted("brutus barks", clock, idempotency_key="k"))
    answers = copied(
        store, copy(drafted("nero meows", clock, idempotency_key="k")), copy(drafted("more", clock))
    )
    assert isinstance(answers[0], CopyRefused)
    assert answers[0].code is ImportCode.IDEMPOTENCY_CONFLICT
    assert answers[1] is CREATED


@pytest.mark.parametrize("together", [True, False])
def test_what_is_told_already_takes_the_place_of_its_copy_in_the_chain(
    *, together: bool, clock: SteppingClock
) -> None:
    store = opened()
    kept = store.add(drafted("brutus is a leonberger", clock)).note
    new = copy(drafted("brutus is a leonberger", clock))
    old = copy(drafted("brutus is a mastiff", clock), superseded_by=new.draft.id, superseded_at=START)
    older = copy(drafted("brutus is a boxer", clock), superseded_by=new.draft.id, superseded_at=START)
    aliases: dict[str, str] = {}
    for batch in ([old, new, older],) if together else ([old], [new], [older]):
        store.copy_notes("ada", batch, aliases=aliases, at=LATER)
    assert store.get("ada", old.draft.id).superseded_by == kept.id
    assert store.get("ada", older.draft.id).superseded_by == kept.id
    assert aliases == {new.draft.id: kept.id}
    assert {note.id for note in store.versions("ada", kept.id)} == {kept.id, old.draft.id, older.draft.id}


def test_a_chain_with_a_missing_end_and_a_ring_are_walked_to_their_end(clock: SteppingClock) -> None:
    store = opened()
    names = [f"n{at:06}" for at in (2, 3, 1)]
    ring = [copy(drafted(f"text {name}", clock), superseded_by=name, superseded_at=START) for name in names]
    lost = copy(drafted("lost", clock), superseded_by="nowhere", superseded_at=START)
    copied(store, *ring, lost)
    assert sorted(note.id for note in store.versions("ada", "n000001")) == sorted(names)
    assert [note.id for note in store.versions("ada", lost.draft.id)] == [lost.draft.id]


def test_copies_above_the_limit_archive_the_least_useful(clock: SteppingClock) -> None:
    store = opened(max_notes=3)
    used = copy(drafted("used", clock), use_count=5, last_used_at=START)
    copied(store, used, *(copy(drafted(f"note {at}", clock)) for at in range(5)))
    assert store.stats("ada").archived == 3
    assert store.get("ada", used.draft.id).archived_at is None
    assert store.verify() == []


def test_links_are_paged_and_copied_once(tmp_path: Path, clock: SteppingClock) -> None:
    store, other = opened(), opened(tmp_path / "other.db")
    notes = [store.add(drafted(f"note {at}", clock)).note for at in range(4)]
    links = [
        NoteLink(from_id=one.id, to_id=two.id, kind=kind, weight=0.5, created_at=START)
        for one in notes
        for two in notes
        if one is not two
        for kind in ("about", "same")
    ]
    copied(other, *(copy(drafted(note.text, SteppingClock(ids=at))) for at, note in enumerate(notes)))
    for target in (store, other):
        assert target.copy_links("ada", links) == [CREATED] * len(links)
        assert target.copy_links("ada", links[:3]) == [UNCHANGED] * 3
        found: list[NoteLink] = []
        while more := target.page_of_links("ada", after=found[-1] if found else None, limit=5):
            found += more
        assert found == links
    other.close()


def test_a_link_to_a_note_that_is_not_the_subjects_is_refused(clock: SteppingClock) -> None:
    store = opened()
    mine = store.add(drafted("mine", clock)).note.id
    theirs = store.add(drafted("theirs", clock, subject="eve")).note.id
    (answer,) = store.copy_links(
        "ada", [NoteLink(from_id=mine, to_id=theirs, kind="about", weight=1.0, created_at=START)]
    )
    assert isinstance(answer, CopyRefused)
    assert answer.code is ImportCode.UNKNOWN_TARGET


def test_a_note_that_was_forgotten_stays_so_when_its_open_copy_comes_again(clock: SteppingClock) -> None:
    store = opened()
    draft = drafted("brutus barks", clock, idempotency_key="k")
    copied(store, copy(draft))
    at: datetime = LATER
    store.forget("ada", Selector(note_id=draft.id), at=at)
    again = replace(draft, id="nother")
    assert copied(store, copy(draft), copy(again)) == [UNCHANGED, UNCHANGED]
    assert store.get("ada", draft.id).forgotten_at == at
    assert store.stats("ada").notes == 1
