"""Pairs to train a judge on: made of frames, by a seed, labelled by their kind."""

import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from atmem_core.evaluation.answerability.frames import Fillers, Frame, read_frames, slots_of
from atmem_core.evaluation.answerability.generate import ANSWERED, FIRST, SECOND, THIRD, Generator, Pair
from atmem_core.text import stopwords_of

FRAMES = read_frames()
DOMAINS = sorted({frame.domain for frame in FRAMES})
SAY_NOTHING = stopwords_of([]) | {"name", "called"} | set("s t m re ve ll d".split())
"""Words that a question and a note may share without being about the same; the last are ends of "I've"."""
SLOTLESS = [frame for frame in FRAMES if not slots_of(frame.notes[0])]
MIXES = {"first": FIRST, "second": SECOND, "third": THIRD}
BESIDE = {
    question: other.notes
    for frame, other in pairwise([*FRAMES, FRAMES[0]])
    for question in (*frame.yes, *frame.no)
}
"""Question to the notes of the next frame: in place of the nearest ones, which a model would have to find."""


def made(mix: str, *, seed: int = 1) -> Generator:
    return Generator(FRAMES, Fillers.read(), seed=seed, mix=MIXES[mix], near=BESIDE)


@cache
def drawn(mix: str, seed: int = 1) -> list[Pair]:
    """Some pairs of all frames."""
    return list(made(mix, seed=seed).pairs(3_000))


def of(domain: str) -> list[Frame]:
    return [frame for frame in FRAMES if frame.domain == domain]


def seeded() -> random.Random:
    return random.Random(1)  # noqa: S311 - repeatable choices, nothing secret


def topic_words(*texts: str) -> set[str]:
    bare = " ".join(re.sub(r"\{\w+\}", "", text.lower()) for text in texts)
    return set(re.findall(r"[a-z]+", bare)) - SAY_NOTHING


@pytest.mark.parametrize("mix", MIXES)
def test_the_same_seed_gives_the_same_pairs(mix: str) -> None:
    assert list(made(mix).pairs(300)) == drawn(mix)[:300]


@pytest.mark.parametrize("mix", MIXES)
def test_another_seed_gives_other_pairs(mix: str) -> None:
    shared = set(drawn(mix, seed=1)) & set(drawn(mix, seed=2))
    assert len(shared) < len(drawn(mix)) // 10


@pytest.mark.parametrize("mix", MIXES)
def test_every_kind_occurs_and_no_other(mix: str) -> None:
    assert {pair.kind for pair in drawn(mix)} == set(MIXES[mix])


@pytest.mark.parametrize("mix", MIXES)
def test_the_shares_of_the_kinds_make_one_whole(mix: str) -> None:
    assert sum(MIXES[mix].values()) == pytest.approx(1.0)


@pytest.mark.parametrize("mix", MIXES)
def test_the_label_follows_the_kind(mix: str) -> None:
    labels = {(pair.kind, pair.answered) for pair in drawn(mix)}
    assert labels == {(kind, kind in ANSWERED) for kind in MIXES[mix]}


@pytest.mark.parametrize("mix", MIXES)
def test_neither_label_is_rare(mix: str) -> None:
    answered = sum(pair.answered for pair in drawn(mix)) / len(drawn(mix))
    assert 0.35 < answered < 0.65


@pytest.mark.parametrize("mix", MIXES)
def test_no_text_is_empty_and_every_slot_is_filled(mix: str) -> None:
    texts = [text for pair in drawn(mix) for text in (pair.question, pair.note)]
    assert [text for text in texts if not text.strip() or re.search(r"[{}]", text)] == []


def test_without_near_notes_no_pair_is_tempting() -> None:
    pairs = Generator(FRAMES, Fillers.read(), seed=1, mix=SECOND).pairs(1_000)
    assert "tempting" not in {pair.kind for pair in pairs}


def test_digits_of_a_value_are_drawn() -> None:
    assert re.fullmatch(r"[1-9]{3}-[1-9]", Fillers({"code": ["###-#"]}).draw({"code"}, seeded())["code"])


def test_every_frame_is_used_equally_often() -> None:
    """Each frame in a domain of its own, so that no note gets a sentence of another."""
    apart = [replace(frame, domain=frame.topic, notes=frame.notes[:1]) for frame in SLOTLESS]
    pairs = Generator(apart, Fillers.read(), seed=1, mix={"fact_absent": 1.0}).pairs(3 * len(apart))
    assert Counter(pair.note for pair in pairs) == {frame.notes[0]: 3 for frame in apart}


def test_two_people_of_one_pair_never_share_a_name() -> None:
    chance, fillers = seeded(), Fillers.read()
    values = [fillers.draw({"person", "person2"}, chance) for _ in range(300)]
    assert [one for one in values if one["person"] == one["person2"]] == []


def test_a_list_that_is_too_short_is_named() -> None:
    with pytest.raises(ValueError, match="the list of city is too short"):
        Fillers({"city": ["Faro"]}).draw({"city", "city2"}, seeded())


def test_no_fact_is_told_twice() -> None:
    topics = Counter((frame.domain, frame.topic) for frame in FRAMES)
    assert [topic for topic, count in topics.items() if count > 1] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_slot_has_values(domain: str) -> None:
    fillers, chance = Fillers.read(), seeded()
    for frame in of(domain):
        slots = slots_of(*frame.notes, *frame.yes, *frame.no)
        assert set(fillers.draw(slots, chance)) == slots


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_frame_has_tellings_and_questions_enough(domain: str) -> None:
    few = [
        frame.topic
        for frame in of(domain)
        if not (3 <= len(set(frame.notes)) <= 5 and len(set(frame.yes)) >= 6 and len(set(frame.no)) >= 5)
        or len(set(frame.exact)) != 4
    ]
    assert few == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_question_is_both_answered_and_not(domain: str) -> None:
    assert [frame.topic for frame in of(domain) if {*frame.yes, *frame.exact} & set(frame.no)] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_an_answered_question_names_is_in_every_telling(domain: str) -> None:
    odd = [
        (frame.topic, question)
        for frame in of(domain)
        for question in (*frame.yes, *frame.exact)
        if not all(slots_of(question) <= slots_of(note) for note in frame.notes)
    ]
    assert odd == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_an_unanswered_question_names_is_told_somewhere(domain: str) -> None:
    odd = [
        (frame.topic, question)
        for frame in of(domain)
        for question in frame.no
        if not slots_of(question) <= slots_of(*frame.notes)
    ]
    assert odd == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_exact_questions_use_the_notes_words(domain: str) -> None:
    """Else words in common would mean an absent detail."""
    odd = [
        (frame.topic, question)
        for frame in of(domain)
        for question in frame.exact
        if topic_words(question).isdisjoint(topic_words(*frame.notes))
    ]
    assert 8 * len(odd) <= sum(len(frame.exact) for frame in of(domain))


@pytest.mark.parametrize("domain", DOMAINS)
def test_three_questions_share_no_word_with_any_telling(domain: str) -> None:
    """Else a judge would learn to count words, which is what it is there to make up for."""
    near = [
        frame.topic
        for frame in of(domain)
        if sum(topic_words(question).isdisjoint(topic_words(*frame.notes)) for question in frame.yes) < 3
    ]
    assert near == []
