"""Five moves of home: one fact stands, the past stays readable, nothing stale is decided on."""

import asyncio
from datetime import datetime, timedelta
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from atmem_core import AsyncMemory, Fact, FactAction, Memory, SupportClass
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

HOMES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Coimbra")
YEAR = timedelta(days=365)
QUESTIONS = ("where do I live?", "which city do I live in now?", "do I live in Lisbon?", "where did I live?")


def moved(memory: Memory, clock: FakeClock) -> list[Fact]:
    """Tell of a home, then of five moves, a year apart; the facts as they were written."""
    told = []
    for home in HOMES:
        told.append(memory.facts.add("user", "lives in", home, subject="ada").fact)
        clock.advance(YEAR)
    return told


def test_one_stands_and_five_are_history(memory: Memory, clock: FakeClock) -> None:
    told = moved(memory, clock)
    assert [fact.object for fact in memory.facts.list(subject="ada")] == ["Coimbra"]
    for fact in told:
        chain = memory.facts.history(fact.id, subject="ada")
        assert [one.object for one in chain] == list(HOMES)
    assert [one.superseded_by for one in chain] == [*(one.id for one in chain[1:]), None]
    assert all(old.valid_to == new.valid_from for old, new in pairwise(chain))
    assert all(old.superseded_at == new.recorded_at for old, new in pairwise(chain))
    assert len(memory.facts.list(subject="ada", all_states=True)) == 6
    stats = memory.stats("ada")
    assert (stats.facts, stats.facts_standing, stats.notes) == (6, 1, 0)
    assert memory.verify() == []


def test_as_of_is_right_at_each_point(memory: Memory, clock: FakeClock) -> None:
    start = clock.now()
    moved(memory, clock)
    moment = timedelta(microseconds=1)
    for year, home in enumerate(HOMES):
        began = start + year * YEAR
        for at in (began, began + YEAR / 2, began + YEAR - moment):
            assert homes(memory, at) == [home]
            assert homes(memory, at, known_at=at) == [home]
            assert homes(memory, at, known_at=began) == [home]
    assert homes(memory, start - moment) == []
    # What was to come wasn't known: in the first year the first home had no end.
    assert homes(memory, start + 4 * YEAR, known_at=start) == ["Lisbon"]
    assert homes(memory, start + 4 * YEAR, known_at=start + YEAR) == ["Porto"]
    assert homes(memory, start, known_at=start - moment) == []


def homes(memory: Memory, at: datetime, *, known_at: datetime | None = None) -> list[str]:
    found = memory.facts.as_of(at, subject="ada", known_at=known_at, entity="user", predicate="lives in")
    return [fact.object for fact in found]


def released(memory: Memory) -> list[str]:
    return [record.text for record in memory.recall("where do I live?", subject="ada").records]


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_stale_is_in_a_decision(memory: Memory, clock: FakeClock, question: str) -> None:
    told = moved(memory, clock)
    recall = memory.recall(question, subject="ada", allow_background=True)
    assert {one.record_id for one in recall.decision.candidates} <= {told[-1].id}
    assert all("Coimbra" in record.text for record in recall.records)


def test_the_home_of_today_is_released_and_rendered(memory: Memory, clock: FakeClock) -> None:
    told = moved(memory, clock)
    recall = memory.recall("where do I live?", subject="ada")
    assert recall.decision.support_class is SupportClass.DIRECT_SUPPORT
    assert [record.id for record in recall.records] == [told[-1].id]
    assert "user lives in Coimbra" in memory.context("where do I live?", subject="ada").text


def test_a_decision_as_of_then_sees_the_home_of_then(memory: Memory, clock: FakeClock) -> None:
    start = clock.now()
    moved(memory, clock)
    for year, home in enumerate(HOMES):
        at = start + year * YEAR + YEAR / 2
        found = memory.recall("where do I live?", subject="ada", as_of=at)
        assert [record.text for record in found.records] == [f"user lives in {home}"]
        hits = memory.facts.search("where do I live?", subject="ada", as_of=at)
        assert [hit.fact.object for hit in hits.hits] == [home]


@pytest.mark.parametrize("order", list(permutations(range(4)))[::3])
def test_the_order_of_telling_changes_no_past(clock: FakeClock, order: tuple[int, ...]) -> None:
    start = clock.now() - 20 * YEAR
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        for at in order:
            memory.facts.add("user", "lives in", HOMES[at], subject="ada", valid_from=start + at * YEAR)
            clock.advance(timedelta(days=1))
        for year in range(4):
            assert homes(memory, start + year * YEAR) == [HOMES[year]]
        assert [fact.object for fact in memory.facts.list(subject="ada")] == [HOMES[3]]
        last = memory.facts.list(subject="ada")[0]
        chain = memory.facts.history(last.id, subject="ada")
        assert [one.object for one in chain] == list(HOMES[:4])
        assert released(memory) == [f"user lives in {HOMES[3]}"]
        assert memory.verify() == []


def test_what_was_believed_before_a_late_telling_is_still_known(clock: FakeClock) -> None:
    start = clock.now() - 20 * YEAR
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        memory.facts.add("user", "lives in", "Lisbon", subject="ada", valid_from=start)
        clock.advance(YEAR)
        memory.facts.add("user", "lives in", "Faro", subject="ada", valid_from=start + 4 * YEAR)
        before = clock.advance(YEAR)
        clock.advance(YEAR)
        late = memory.facts.add("user", "lives in", "Porto", subject="ada", valid_from=start + 2 * YEAR)
        assert late.action is FactAction.ADD
        assert homes(memory, start + 3 * YEAR) == ["Porto"]
        assert homes(memory, start + 3 * YEAR, known_at=before) == ["Lisbon"]
        assert [fact.object for fact in memory.facts.list(subject="ada")] == ["Faro"]


def test_a_decision_as_of_then_knows_nothing_of_a_later_telling(clock: FakeClock) -> None:
    start = clock.now()
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        memory.facts.add("user", "lives in", "Lisbon", subject="ada")
        clock.advance(3 * YEAR)
        memory.facts.add("user", "lives in", "Porto", subject="ada", valid_from=start + YEAR)
        then = memory.recall("where do I live?", subject="ada", as_of=start + 2 * YEAR)
        assert [record.text for record in then.records] == ["user lives in Lisbon"]
        assert homes(memory, start + 2 * YEAR, known_at=start + 2 * YEAR) == ["Lisbon"]
        assert homes(memory, start + 2 * YEAR) == ["Porto"]


def test_a_move_that_is_told_ahead_closes_the_old_home_on_its_day(clock: FakeClock) -> None:
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        memory.facts.add("user", "lives in", "Lisbon", subject="ada")
        clock.advance(timedelta(days=1))
        day = clock.now() + timedelta(days=30)
        memory.facts.add("user", "lives in", "Porto", subject="ada", valid_from=day)
        question = "where do I live?"
        assert [one.text for one in memory.recall(question, subject="ada").records] == [
            "user lives in Lisbon"
        ]
        clock.advance(timedelta(days=31))
        assert [one.text for one in memory.recall(question, subject="ada").records] == ["user lives in Porto"]
        assert memory.verify() == []


async def test_the_chain_is_the_same_from_an_event_loop(path: Path, clock: FakeClock) -> None:
    async with AsyncMemory.open(path, embedder=FakeEmbedder(), clock=clock) as memory:
        for home in HOMES:
            told = await memory.facts.add("user", "lives in", home, subject="ada")
            clock.advance(YEAR)
        assert [one.object for one in await memory.facts.list(subject="ada")] == ["Coimbra"]
        chain = await memory.facts.history(told.id, subject="ada")
        assert [one.object for one in chain] == list(HOMES)
        middle = clock.now() - 3 * YEAR - YEAR / 2
        assert [one.object for one in await memory.facts.as_of(middle, subject="ada")] == ["Faro"]
        recall, hits = await asyncio.gather(
            memory.recall("where do I live?", subject="ada"),
            memory.facts.search("where do I live?", subject="ada"),
        )
        assert [one.text for one in recall.records] == ["user lives in Coimbra"]
        assert [hit.fact.object for hit in hits.hits] == ["Coimbra"]
