"""Every read of the store equals a plain look at every row, after any history."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.errors import NotFound
from atmem_core.records import Note, RecordKind, Selector
from atmem_core.store.protocol import ReadFilter, ReadView
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import (
    IDENTITY,
    LATER,
    START,
    Pair,
    SteppingClock,
    drafted,
    opened,
    reading,
    unit,
)

SUBJECTS = ("a", "A", "a_", "a%", "a/b", "a:b", "á", "a ")
WORDS = ("dog", "dogs", "brutus", "walks", "in", "park", "inc100234", "london", "パン", "बिल्ली", "not")
TAGS = ("pets", "Pets", "work")
PARTS = ("x", "X", "y")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
part = st.none() | st.sampled_from(PARTS)
moments = st.none() | st.integers(0, 40).map(lambda seconds: START + timedelta(seconds=seconds))
tags = st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple)
seeds = st.integers(0, 5)
"""Few vectors, so that ties are common."""


@st.composite
def intervals(draw: st.DrawFn) -> dict[str, object]:
    start, end = draw(moments), draw(moments)
    if start is not None and end is not None and end <= start:
        end = start + timedelta(seconds=1)
    return {"valid_from": start, "valid_to": end}


tellings = st.fixed_dictionaries(
    {
        "text": texts,
        "subject": st.sampled_from(SUBJECTS[:3]),
        "project": part,
        "session": part,
        "agent": part,
        "tags": tags,
        "occurred_at": moments,
    }
)
acts = st.one_of(
    st.tuples(st.just("add"), tellings, intervals()),
    st.tuples(st.just("supersede"), st.integers(0, 30), texts),
    st.tuples(st.sampled_from(("forget", "erase")), st.integers(0, 30), st.none()),
    st.tuples(st.just("embed"), st.integers(0, 30), seeds),
)
histories = st.lists(acts, max_size=25)
filters = st.builds(
    reading,
    subject=st.sampled_from(SUBJECTS[:3]),
    at=st.integers(0, 60).map(lambda seconds: START + timedelta(seconds=seconds)) | st.just(LATER),
    as_of=st.booleans(),
    tags=tags,
    kinds=st.sampled_from(((), (RecordKind.NOTE,), (RecordKind.FACT,))),
    project=part,
    session=part,
    agent=part,
)


@contextmanager
def pair() -> Iterator[Pair]:
    store = opened()
    try:
        yield Pair(store)
    finally:
        store.close()


def play(both: Pair, history: list[tuple[str, object, object]]) -> None:
    for act, one, other in history:
        if act == "add":
            assert isinstance(one, dict)
            assert isinstance(other, dict)
            given_fields: dict[str, Any] = {**one, **other}
            both.add(str(given_fields.pop("text")), **given_fields)
        elif both.notes:
            _change(both, act, both.notes[int(str(one)) % len(both.notes)], other)


def _change(both: Pair, act: str, note: Note, value: object) -> None:
    match act:
        case "supersede":
            both.add(str(value), supersedes=note, subject=note.scope.subject)
        case "forget":
            both.forget(note)
        case "erase":
            both.erase(note)
        case _:
            both.embed(note, unit(int(str(value))))


def ids(view: ReadView) -> Mapping[int, str]:
    """Row to note id, whatever the filter, through what every store has."""
    if hasattr(view, "_connection"):
        found = view._connection.execute("SELECT row, id FROM notes").fetchall()
        return dict(found)
    return {row: held.note.id for row, held in view._rows.items()}  # type: ignore[attr-defined]  # the reference


def seen(view: ReadView) -> dict[str, object]:
    """All that a view says, with ids for rows."""
    names = ids(view)
    own = sorted({row for word in WORDS for row in view.postings(word)})
    return {
        "corpus": (view.corpus.documents, round(view.corpus.mean_length, 9)),
        "eligible": {names[row] for row in view.eligible(own)},
        "eligible of all rows": {names[row] for row in view.eligible(list(names))},
        **words_seen(view, names),
        **records_seen(view, names, own),
        **vectors_seen(view, names, own),
    }


def words_seen(view: ReadView, names: Mapping[int, str]) -> dict[str, object]:
    """What the index says of each word."""
    return {
        "postings": {word: sorted(names[row] for row in view.postings(word)) for word in WORDS},
        "newest": {word: [names[row] for row in view.postings(word, limit=2)] for word in WORDS},
        "frequency": {word: view.document_frequency(word) for word in WORDS},
        "vocabulary": {length: list(view.vocabulary(length)) for length in range(12)},
    }


def records_seen(view: ReadView, names: Mapping[int, str], own: list[int]) -> dict[str, object]:
    """What is told of these rows."""
    documents = view.documents(view.eligible(own))
    return {
        "documents": {
            names[row]: (
                one.note.text,
                one.note.tags,
                one.note.scope,
                one.note.created_at,
                one.note.superseded_at,
                one.search_text,
                one.token_count,
            )
            for row, one in documents.items()
        },
        "texts": {names[row]: pair for row, pair in view.search_texts(own).items()},
        "turns": {
            names[row]: tuple(None if one is None else names[one] for one in (beside.before, beside.after))
            for row, beside in view.turns_beside(own).items()
        },
    }


def vectors_seen(view: ReadView, names: Mapping[int, str], own: list[int]) -> dict[str, object]:
    """What is near one vector."""
    vector = unit(3)
    nearest = view.nearest(IDENTITY, vector, 3)
    return {
        "nearest": [round(cosine, 5) for _, cosine in nearest],
        "hashes of nearest": [
            (view.documents([row])[row].note.content_hash, round(cosine, 5)) for row, cosine in nearest
        ],
        "cosines": {
            names[row]: round(cosine, 5) for row, cosine in view.cosines(IDENTITY, vector, own).items()
        },
    }


@given(history=histories, read_filter=filters)
def test_a_read_equals_a_look_at_every_row(
    history: list[tuple[str, object, object]], read_filter: ReadFilter
) -> None:
    with pair() as both:
        play(both, history)
        for _ in range(2):  # the second read finds the vectors in memory
            with both.store.read(read_filter) as view, both.oracle.read(read_filter) as expected:
                assert seen(view) == seen(expected)
        assert both.store.verify() == []


@given(history=histories, other=histories)
def test_one_subjects_writes_change_no_number_of_another(
    history: list[tuple[str, object, object]], other: list[tuple[str, object, object]]
) -> None:
    with pair() as both:
        play(both, history)
        with both.store.read(reading("quiet")) as view:
            empty = seen(view)
        both.add("brutus walks dogs in london", subject="quiet")
        both.embed(both.notes[-1], unit(1))
        note = both.notes.pop()
        with both.store.read(reading("quiet")) as view:
            before = seen(view)
        play(both, other)
        with both.store.read(reading("quiet")) as view:
            assert seen(view) == before
        both.erase(note)
        with both.store.read(reading("quiet")) as view:
            assert seen(view) == empty


def test_subjects_that_look_alike_never_mix() -> None:
    with pair() as both:
        for subject in SUBJECTS:
            both.add("brutus walks", subject=subject)
        assert len(both.notes) == len(SUBJECTS)
        for subject, note in zip(SUBJECTS, both.notes, strict=True):
            found = both.store.notes(reading(subject), limit=10)
            assert [one.id for one in found] == [note.id]
            with both.store.read(reading(subject)) as view:
                assert view.document_frequency("brutus") == view.corpus.documents == 1


def test_rows_of_another_subject_are_not_eligible_and_give_no_text() -> None:
    with pair() as both:
        both.add("brutus", subject="a")
        with both.store.read(reading("a")) as view:
            foreign = view.postings("brutus")
        both.add("paris", subject="b")
        with both.store.read(reading("b")) as view:
            assert view.eligible([*foreign, 0, 1 << 62]) == []
            assert view.documents(foreign) == {}
            assert view.search_texts(foreign) == {}
            assert view.cosines(IDENTITY, unit(1), foreign) == {}


BY_ID: dict[str, Callable[[SqliteStore, str], object]] = {
    "get": lambda store, note_id: store.get("eve", note_id),
    "versions": lambda store, note_id: store.versions("eve", note_id),
    "forget": lambda store, note_id: store.forget("eve", Selector(note_id=note_id), at=LATER),
    "erase": lambda store, note_id: store.erase("eve", Selector(note_id=note_id), at=LATER),
    "supersede": lambda store, note_id: store.add(
        drafted("new", SteppingClock(name="e"), subject="eve"), supersedes=note_id
    ),
}


@pytest.mark.parametrize("verb", BY_ID)
@pytest.mark.parametrize("with_own_notes", [False, True])
def test_a_foreign_id_is_not_found(verb: str, with_own_notes: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    with pair() as both:
        both.add("brutus", subject="ada")
        if with_own_notes:
            both.add("rex", subject="eve")
        foreign = both.notes[0]
        before = both.store.notes(reading("eve"), limit=9)
        with pytest.raises(NotFound) as refused:
            BY_ID[verb](both.store, foreign.id)
        with pytest.raises(NotFound) as missing:
            BY_ID[verb](both.store, "n0")
        assert str(refused.value).replace(foreign.id, "n0") == str(missing.value)
        assert both.store.get("ada", foreign.id) == foreign
        assert both.store.notes(reading("eve"), limit=9) == before


def test_marks_on_foreign_ids_change_nothing() -> None:
    with pair() as both:
        both.add("brutus", subject="ada")
        foreign = both.notes[0]
        both.store.mark_used("eve", [foreign.id], at=LATER)
        assert both.store.set_archived("eve", [foreign.id], at=LATER) == 0
        assert both.store.get("ada", foreign.id) == foreign


def test_an_unknown_subject_is_an_empty_one() -> None:
    with pair() as both:
        both.add("brutus", subject="ada")
        with both.store.read(reading("nobody")) as view:
            assert view.corpus.documents == 0
            assert view.postings("brutus") == []
            assert view.nearest(IDENTITY, unit(1), 3) == []
        assert both.store.notes(reading("nobody"), limit=3, all_states=True) == []
        assert both.store.forget("nobody", Selector(everything=True), at=LATER).ids == ()
        assert both.store.erase("nobody", Selector(everything=True), at=LATER).ids == ()
