"""What was said around a turn lifts it in the order, and never makes it relevant."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from atmem_core import Memory
from atmem_core.testing.clocks import FakeClock

START = datetime(2030, 1, 1, tzinfo=UTC)
TALK = (
    ("Nadia", "How is the pottery class going?"),
    ("Owen", "Love it! Every Thursday since March."),
    ("Nadia", "The weather was awful again this week."),
)
QUESTION = "is the pottery class on Thursday?"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None) as opened:
        yield opened


def told(memory: Memory, session: str | None, start: datetime = START) -> list[str]:
    return [
        memory.remember(
            text, subject="ada", session=session, speaker=speaker, occurred_at=start + timedelta(minutes=at)
        ).id
        for at, (speaker, text) in enumerate(TALK)
    ]


def signals(memory: Memory, query: str, note_id: str) -> dict[str, float]:
    decision = memory.decide(query, subject="ada")
    return next(dict(one.signals) for one in decision.candidates if one.record_id == note_id)


def test_the_words_of_the_turn_before_count_for_the_answer(memory: Memory) -> None:
    answer = told(memory, "s1")[1]
    seen = signals(memory, QUESTION, answer)
    assert seen["window"] > 0.4  # pottery and class stand in the turn before
    assert seen["before"] > seen["after"]


def test_a_turn_of_no_session_has_no_surroundings(memory: Memory) -> None:
    answer = told(memory, None)[1]
    assert {"window", "before", "after", "session"}.isdisjoint(signals(memory, QUESTION, answer))


def test_another_session_is_not_around(memory: Memory) -> None:
    told(memory, "s1")
    alone = memory.remember("Thursday suits me best.", subject="ada", session="s2").id
    seen = signals(memory, QUESTION, alone)
    assert seen["window"] == seen["before"] == seen["after"] == 0.0


def test_surroundings_put_the_answer_before_its_like(memory: Memory) -> None:
    answer = told(memory, "s1")[1]
    other = memory.remember(
        "Love it! Every Thursday since May.", subject="ada", session="s2", speaker="Owen"
    ).id
    ranked = [hit.record_id for hit in memory.search(QUESTION, subject="ada", k=10)]
    assert ranked.index(answer) < ranked.index(other)


def test_surroundings_change_no_class(memory: Memory) -> None:
    answer = told(memory, "s1")[1]
    alone = Memory.open(":memory:", embedder=None)
    same = told(alone, None)[1]
    judged = [one.decide(QUESTION, subject="ada") for one in (memory, alone)]
    alone.close()
    classes = [
        {one.record_id: (one.support_class, one.relevance_score) for one in decision.candidates}
        for decision in judged
    ]
    assert classes[0][answer] == classes[1][same]


def test_turns_told_at_one_instant_are_no_neighbours(clock: FakeClock) -> None:
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        for text in ("How is the pottery class?", "Every Thursday it is."):
            last = memory.remember(text, subject="ada", session="s1").id
        assert signals(memory, QUESTION, last)["window"] == 0.0
