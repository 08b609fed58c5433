"""The rules of a decision that need a store: order of writing, other subjects, filters before the cut."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core import Config, Decision, Memory
from atmem_core.embedding import Embedder
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

ADA = "ada"
# Twice the same wording at equal length, so that ties are there to be broken.
TEXTS = (
    "Brutus is my Bernese mountain dog.",
    "Brutus is my Leonberger mountain dog.",
    "Brutus is my friendly mountain dog.",
    "Anna's dog is called Rex.",
    "I bought dog food for 30 euros.",
    "The vet saw Brutus on Monday.",
    "I live in Lisbon near the river.",
    "The standup is at 9:30 on weekdays.",
)
QUESTIONS = ("what breed is my dog Brutus?", "dog", "bruts mountian", "where do I live?", "puppy doctor?")
EMBEDDERS: dict[str, Callable[[], Embedder | None]] = {
    "words": lambda: None,
    "vectors": lambda: FakeEmbedder(synonyms=[["dog", "puppy"], ["vet", "doctor"]]),
}
each_embedder = pytest.mark.parametrize("make", EMBEDDERS.values(), ids=EMBEDDERS)
few = settings(max_examples=25)


def by_content(decision: Decision, hashes: dict[str, str]) -> dict[str, Any]:
    """The decision with a content hash in the place of each id."""
    found = decision.to_dict()
    del found["decision_id"]
    found["ranked_record_ids"] = [hashes[one] for one in decision.ranked_record_ids]
    found["candidates"] = [
        one.to_dict() | {"record_id": hashes[one.record_id]} for one in decision.candidates
    ]
    return found


def decisions(memory: Memory, subject: str = ADA) -> list[dict[str, Any]]:
    hashes = {note.id: note.content_hash for note in memory.notes(subject=subject)}
    return [by_content(memory.decide(one, subject=subject), hashes) for one in QUESTIONS]


def opened(embedder: Embedder | None, config: Config | None = None) -> Memory:
    return Memory.open(":memory:", embedder=embedder, clock=FakeClock(), config=config)


# -- the order of writing


@each_embedder
@pytest.mark.parametrize("judged", [50, 3], ids=["all judged", "three judged"])
@few
@given(order=st.permutations(TEXTS))
def test_the_order_of_writing_changes_nothing(
    make: Callable[[], Embedder | None], judged: int, order: Sequence[str]
) -> None:
    outcomes = []
    for texts in (TEXTS, order):
        with opened(make(), Config(judged_candidates=judged, vector_pool=judged)) as memory:
            for text in texts:
                memory.remember(text, subject=ADA)
            outcomes.append(decisions(memory))
    assert outcomes[0] == outcomes[1]


@few
@given(
    order=st.permutations([f"Note {word} about the dog." for word in "red blue green black white".split()])
)
def test_ties_at_the_cut_fall_the_same_way_in_any_order(order: Sequence[str]) -> None:
    released = []
    for texts in (sorted(order), order):
        with opened(None, Config(judged_candidates=2, keyword_pool=2, max_released=1)) as memory:
            hashes = {memory.remember(text, subject=ADA).id: text for text in texts}
            released.append([hashes[one] for one in memory.decide("dog", subject=ADA).ranked_record_ids])
    assert released[0] == released[1]
    assert len(released[0]) == 1


# -- other subjects


notes = st.lists(st.sampled_from(TEXTS) | st.text("abcdog ", min_size=3, max_size=30), max_size=6)


@each_embedder
@few
@given(others=notes, forgotten=st.booleans())
def test_another_subjects_writes_change_no_number(
    make: Callable[[], Embedder | None], others: Sequence[str], *, forgotten: bool
) -> None:
    with opened(make()) as memory:
        for text in TEXTS:
            memory.remember(text, subject=ADA)
        before = decisions(memory)
        for text in filter(str.strip, others):
            stored = memory.remember(text, subject="bob")
            if forgotten:
                memory.forget(stored.id, subject="bob")
        assert decisions(memory) == before
        memory.erase(subject="bob", everything=True)
        assert decisions(memory) == before


def test_the_same_notes_are_judged_the_same_beside_a_crowd() -> None:
    with opened(None) as memory:
        for at in range(300):
            memory.remember(
                f"Brutus the dog of house {at} is a mountain of fur.", subject=f"neighbour {at % 7}"
            )
        for text in TEXTS:
            memory.remember(text, subject=ADA)
        crowded = decisions(memory)
    with opened(None) as memory:
        for text in TEXTS:
            memory.remember(text, subject=ADA)
        assert decisions(memory) == crowded


# -- filters before the cut

NARROW = Config(keyword_pool=2, vector_pool=2, judged_candidates=2, max_released=1)
QUESTION = "what breed is my dog Brutus?"
RIGHT = "My dog Brutus has been a Bernese ever since he joined our noisy family of five."
PAST = datetime(2020, 1, 1, tzinfo=UTC)


def tempting(at: int) -> str:
    return f"The breed of my dog Brutus is number {at}."


def expired(memory: Memory, text: str) -> None:
    memory.remember(text, subject=ADA, valid_to=PAST)


def not_yet_valid(memory: Memory, text: str) -> None:
    memory.remember(text, subject=ADA, valid_from=datetime(2090, 1, 1, tzinfo=UTC))


def forgotten(memory: Memory, text: str) -> None:
    memory.forget(memory.remember(text, subject=ADA).id, subject=ADA)


def superseded(memory: Memory, text: str) -> None:
    memory.supersede(memory.remember(text, subject=ADA).id, f"Weather report {text[-3:]}", subject=ADA)


def foreign(memory: Memory, text: str) -> None:
    memory.remember(text, subject="bob")


def erased(memory: Memory, text: str) -> None:
    memory.erase(subject=ADA, note_id=memory.remember(text, subject=ADA).id)


def elsewhere(memory: Memory, text: str) -> None:
    memory.remember(text, subject=ADA, session="another")


@each_embedder
@pytest.mark.parametrize("away", [expired, not_yet_valid, forgotten, superseded, foreign, erased, elsewhere])
def test_what_may_not_be_seen_takes_no_place(
    make: Callable[[], Embedder | None], away: Callable[[Memory, str], None]
) -> None:
    with opened(make(), NARROW) as memory:
        memory.remember(RIGHT, subject=ADA, session="mine")
        for at in range(30):
            away(memory, tempting(at))
        decision = memory.decide(QUESTION, subject=ADA, session="mine")
        texts = [memory.get(one.record_id, subject=ADA).text for one in decision.candidates]
        assert texts == [RIGHT]
        hits = memory.search(QUESTION, subject=ADA, session="mine", k=1)
        assert [hit.record.text for hit in hits] == [RIGHT]


def test_the_tempting_notes_do_match_better_when_they_may_be_seen() -> None:
    with opened(None, NARROW) as memory:
        memory.remember(RIGHT, subject=ADA)
        for at in range(30):
            memory.remember(tempting(at), subject=ADA)
        best = memory.search(QUESTION, subject=ADA, k=1)[0]
        assert best.record.text != RIGHT


# -- time


def test_the_same_store_at_the_same_instant_gives_the_same_decision(clock: FakeClock) -> None:
    with Memory.open(":memory:", embedder=FakeEmbedder(), clock=clock) as memory:
        for text in TEXTS:
            memory.remember(text, subject=ADA)
        first = memory.decide(QUESTION, subject=ADA)
        assert memory.decide(QUESTION, subject=ADA) == first
        clock.advance(timedelta(days=1))
        later = memory.decide(QUESTION, subject=ADA)
        assert later.decision_id != first.decision_id
        assert later.ranked_record_ids == first.ranked_record_ids


def test_a_clock_that_goes_back_hides_no_note(clock: FakeClock) -> None:
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        stored = memory.remember(TEXTS[0], subject=ADA)
        clock.advance(timedelta(days=-2))
        assert memory.decide(QUESTION, subject=ADA).ranked_record_ids == (stored.id,)
