"""Any text is a note and any text is a word to look for: never an error, never syntax."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atmem_core.errors import WriteRefused
from atmem_core.records import Selector
from atmem_core.store.sqlite.store import SqliteStore
from atmem_core.testing.stores import ReferenceStore
from atmem_core.text import STEMS, tokenise
from tests.store.histories import LATER, SteppingClock, drafted, opened, reading

SYNTAX = (
    '"', '""', "'", "*", "dog*", "^dog", "NEAR(a b)", "a NEAR b", "a AND b", "a OR b", "NOT", "NOT a", "-a",
    "+a", "a + b", "search_text:dog", "search_text : dog", "{a b}:c", "(", ")", "(" * 5_000, '"dog', 'do"g',
    "dog; DROP TABLE notes", "'; DELETE FROM notes; --", "\\", "%", "_", "a_b", "?", ":match", "@x", "#",
    "\0", "dog\0cat", "\ud800", "do\udfffg", "\ufeff", "\u200b", "\u202edog", "\ue000", "\U0010ffff", "",
    " ", "\n", "dog cat", "dog-cat", "x" * 100_000, "パ", "パン", "東京タワー", "हिन्दी", "बिल्ली", "ไทย",
    "ß", "İ", "ﬁ", "e\u0301", "é", "Ⅷ", "½", "\U0001d555\U0001d560",
    "👩‍👩‍👧", "🏳️‍🌈", "ǆ", "ΣΑΣ", "²", "٣",
)  # fmt: skip

words = st.sampled_from(SYNTAX) | st.text(max_size=20) | st.text('dogcat"*():^-+ANDORNT\0', max_size=12)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join) | st.text(max_size=300)
stemmed_alike = st.sampled_from(
    "dog dogs running runs ran happily happiness relational conditional caresses ponies ties cats agreed "
    "plastered motoring hopping falling filing sky generalizations oscillators inc100234 2041 s2041 1200_50 "
    "am is us as café naïve ski skis über straße".split()
)


@contextmanager
def both() -> Iterator[tuple[SqliteStore, ReferenceStore, SteppingClock]]:
    store = opened()
    try:
        yield store, ReferenceStore(), SteppingClock()
    finally:
        store.close()


@given(text=texts, word=words)
@example(text="dog", word='"')
@example(text="๚ ½ ⑴ \u0e5c", word="\u0e5c")
def test_any_text_is_a_note_and_any_text_is_a_word(text: str, word: str) -> None:
    with both() as (store, _, clock):
        try:
            note = store.add(drafted(text[:4_000], clock)).note
        except WriteRefused:
            return
        with store.read(reading()) as view:
            for one in (word, text):
                found = view.postings(one)
                assert len(found) == view.document_frequency(one)
                assert view.postings(one, limit=1) == found
            for token in tokenise(note.text):
                assert len(view.postings(token.word)) == 1, token
        assert store.get("ada", note.id) == note
        assert store.verify() == []
        store.forget("ada", Selector(note_id=note.id), at=LATER)
        with store.read(reading()) as view:
            assert not any(view.postings(token.word) for token in tokenise(note.text))
        assert store.verify() == []


@given(notes=st.lists(texts, max_size=5), asked=st.lists(words | stemmed_alike, max_size=4))
@example(notes=["dog cat", "dog-cat", "cat dog", "dogs"], asked=["dog cat", "dog", "dogs", "cat*"])
def test_a_word_finds_what_a_tokenised_look_finds(notes: list[str], asked: list[str]) -> None:
    with both() as (store, oracle, clock):
        for text in notes:
            try:
                one = drafted(text[:4_000], clock)
            except WriteRefused:
                continue
            store.add(one)
            oracle.add(one)
        tokens = {token.word for text in [*notes, *asked] for token in tokenise(text)}
        with store.read(reading()) as view, oracle.read(reading()) as expected:
            for word in sorted(tokens):
                found = {view.documents([row])[row].note.id for row in view.postings(word)}
                wanted = {expected.documents([row])[row].note.id for row in expected.postings(word)}
                if STEMS[word] == word or word.isascii():
                    assert found == wanted, word
                else:
                    assert found >= wanted, word
            for phrase in asked:
                if len(phrase.split()) > 1:
                    assert view.postings(phrase) == [], "a phrase is no token"


@given(notes=st.lists(st.lists(stemmed_alike, min_size=1, max_size=4).map(" ".join), max_size=6))
def test_stems_are_those_of_the_reference(notes: list[str]) -> None:
    with both() as (store, oracle, clock):
        for text in notes:
            one = drafted(text, clock)
            store.add(one)
            oracle.add(one)
        with store.read(reading()) as view, oracle.read(reading()) as expected:
            for word in {token.word for text in notes for token in tokenise(text)}:
                assert view.document_frequency(word) == expected.document_frequency(word), word


@pytest.mark.parametrize(
    "phrase",
    ["dog cat", "dog-cat", "dog:cat", 'dog" OR "cat', "dog\tcat", "dog\u00a0cat", "dog\u2003cat", "dog\ncat"],
)
def test_a_phrase_is_no_token(phrase: str) -> None:
    with both() as (store, _, clock):
        store.add(drafted("dog cat", clock))
        with store.read(reading()) as view:
            assert view.postings(phrase) == []
            assert view.document_frequency(phrase) == 0


def test_the_longest_note_of_one_word_is_found() -> None:
    with both() as (store, _, clock):
        for word in ("x" * 4_000, "語" * 4_000, "é" * 4_000):
            note = store.add(drafted(word, clock)).note
            with store.read(reading()) as view:
                found = view.postings(tokenise(word)[0].word)
                assert [view.documents([row])[row].note.id for row in found] == [note.id]
        assert store.verify() == []


labels = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=12)
visible = labels.filter(lambda one: bool(one.strip()))


@given(subject=visible, project=visible, tag=visible)
def test_any_label_is_kept_and_compared_exactly(subject: str, project: str, tag: str) -> None:
    with both() as (store, _, clock):
        note = store.add(drafted("dog", clock, subject=subject, project=project, tags=(tag,))).note
        assert store.notes(reading(subject, project=project, tags=note.tags), limit=9) == [note]
        assert store.notes(reading(subject + "x"), limit=9) == []
        assert store.notes(reading(subject, project=project + "x"), limit=9) == []
        assert store.notes(reading(subject, tags=(tag + "x",)), limit=9) == []
