"""The verbs of ``memory.facts``, and the same ones from an event loop."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core import (
    AsyncFacts,
    AsyncMemory,
    FactAction,
    FactNote,
    Facts,
    InvalidInput,
    Memory,
    NotFound,
    StoreError,
    WriteRefused,
)
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

NOT_MIRRORED = {"close", "recorder"}


def methods(owner: type) -> dict[str, Callable[..., object]]:
    found = {name: getattr(owner, name) for name in vars(owner) if not name.startswith("_")}
    return {name: method for name, method in found.items() if name not in NOT_MIRRORED}


def test_the_same_statement_again_is_the_same_fact(memory: Memory) -> None:
    first = memory.facts.add("user", "lives in", "Lisbon", subject="ada")
    for entity, predicate, value in (
        ("user", "lives_in", "lisbon"),
        ("I", "live in", "Lisbon."),
        ("The user", "resides in", "  LISBON "),
    ):
        again = memory.facts.add(entity, predicate, value, subject="ada")
        assert (again.id, again.created, again.action) == (first.id, False, FactAction.NOOP)
        assert again.notes == (FactNote.KNOWN,)
    assert memory.stats("ada").facts == 1


def test_an_update_closes_one_and_states_the_next(memory: Memory, clock: FakeClock) -> None:
    old = memory.facts.add("user", "likes", "tea", subject="ada", project="p", tags=["drink"]).id
    at = clock.advance(timedelta(days=1))
    new = memory.facts.update(old, "coffee", subject="ada", source_id="t7")
    assert (new.action, new.closed) == (FactAction.UPDATE, (old,))
    assert (new.fact.predicate, new.fact.scope.project, new.fact.source_id) == ("likes", "p", "t7")
    closed = memory.facts.get(old, subject="ada")
    assert (closed.superseded_by, closed.superseded_at, closed.valid_to) == (new.id, at, at)
    with pytest.raises(NotFound, match="newest"):
        memory.facts.update(old, "water", subject="ada")
    assert [fact.object for fact in memory.facts.list(subject="ada")] == ["coffee"]


@pytest.mark.parametrize(
    ("made", "note"),
    [
        ("invented", FactNote.SUPERSEDES_UNKNOWN),
        ("stale", FactNote.SUPERSEDES_STALE),
        ("foreign", FactNote.SUPERSEDES_UNKNOWN),
        ("unrelated", FactNote.SUPERSEDES_UNRELATED),
        ("a note", FactNote.SUPERSEDES_UNKNOWN),
    ],
)
def test_a_wrong_supersedes_loses_nothing_and_closes_nothing(
    memory: Memory, made: str, note: FactNote
) -> None:
    stale = memory.facts.add("user", "lives in", "Lisbon", subject="ada").id
    memory.facts.add("user", "lives in", "Porto", subject="ada")
    ids = {
        "invented": "f7",
        "stale": stale,
        "foreign": memory.facts.add("user", "likes", "tea", subject="bob").id,
        "unrelated": memory.facts.add("Brutus", "breed", "poodle", subject="ada").id,
        "a note": memory.remember("I like tea.", subject="ada").id,
    }
    before = [*memory.facts.list(subject="ada", all_states=True), *memory.facts.list(subject="bob")]
    new = memory.facts.add("user", "likes", "coffee", subject="ada", supersedes=ids[made])
    assert (new.action, new.closed, new.notes) == (FactAction.ADD, (), (note,))
    after = [*memory.facts.list(subject="ada", all_states=True), *memory.facts.list(subject="bob")]
    assert after == [new.fact, *before]


def test_projects_do_not_contradict_each_other(memory: Memory) -> None:
    for project, tool in (("one", "make"), ("two", "bazel")):
        memory.facts.add("project", "builds with", tool, subject="ada", project=project, single=True)
    assert len(memory.facts.list(subject="ada")) == 2
    memory.facts.add("project", "builds with", "ninja", subject="ada", project="one", single=True)
    assert {fact.object for fact in memory.facts.list(subject="ada")} == {"ninja", "bazel"}


def test_a_session_is_no_other_world(memory: Memory) -> None:
    memory.facts.add("user", "lives in", "Lisbon", subject="ada", session="s1")
    memory.facts.add("user", "lives in", "Porto", subject="ada", session="s2")
    assert [fact.object for fact in memory.facts.list(subject="ada")] == ["Porto"]


def test_lists_are_filtered_and_paged(memory: Memory) -> None:
    for at in range(5):
        memory.facts.add("Anna", "likes", f"thing {at}", subject="ada")
    memory.facts.add("user", "lives in", "Lisbon", subject="ada")
    found = memory.facts.list(subject="ada", entity="anna", limit=2, offset=1)
    assert [fact.object for fact in found] == ["thing 3", "thing 2"]
    assert [fact.object for fact in memory.facts.list(subject="ada", predicate="resides in")] == ["Lisbon"]
    assert [fact.object for fact in memory.facts.list(subject="ada", entity="me")] == ["Lisbon"]


def test_forgetting_says_whether_anything_changed(memory: Memory) -> None:
    fact = memory.facts.add("user", "likes", "tea", subject="ada").id
    assert not memory.facts.forget(fact, subject="bob")
    assert memory.facts.forget(fact, subject="ada")
    assert not memory.facts.forget(fact, subject="ada")
    assert not memory.facts.forget("f-unknown", subject="ada")
    assert memory.facts.list(subject="ada") == ()
    kept = memory.facts.get(fact, subject="ada")
    assert kept.forgotten_at is not None
    assert memory.facts.as_of(kept.valid_from, subject="ada") == ()


def test_memorys_own_verbs_take_the_id_of_a_fact(memory: Memory) -> None:
    one, other = (memory.facts.add("user", "likes", thing, subject="ada").id for thing in ("tea", "opera"))
    assert memory.forget(one, subject="ada").ids == (one,)
    assert memory.get(other, subject="ada").text == "user likes opera"
    assert memory.erase(other, subject="ada").counts["facts"] == 1
    with pytest.raises(NotFound):
        memory.facts.get(other, subject="ada")


def test_times_are_kept_apart(memory: Memory, clock: FakeClock) -> None:
    said = clock.now() - timedelta(days=400)
    since = clock.now() - timedelta(days=900)
    told = memory.facts.add("user", "likes", "tea", subject="ada", occurred_at=said).fact
    assert (told.valid_from, told.recorded_at) == (said, clock.now())
    dated = memory.facts.add("user", "likes", "opera", subject="ada", occurred_at=said, valid_from=since).fact
    assert (dated.valid_from, dated.recorded_at) == (since, clock.now())
    assert [fact.object for fact in memory.facts.as_of(since, subject="ada")] == ["opera"]
    assert memory.facts.as_of(clock.now(), subject="ada", known_at=said) == ()


@pytest.mark.parametrize("zone", [14, 0, -12])
def test_an_end_is_an_instant_in_any_zone(memory: Memory, clock: FakeClock, zone: int) -> None:
    end = (clock.now() + timedelta(hours=1)).astimezone(timezone(timedelta(hours=zone)))
    memory.facts.add("user", "likes", "tea", subject="ada", valid_to=end)
    assert len(memory.facts.list(subject="ada")) == 1
    clock.advance(timedelta(hours=1))
    assert memory.facts.list(subject="ada") == ()


@pytest.mark.parametrize(
    ("given_", "error"),
    [
        ({"entity": " "}, WriteRefused),
        ({"object": "x" * 2_001}, WriteRefused),
        ({"predicate": 7}, InvalidInput),
        ({"confidence": 1.5}, InvalidInput),
        ({"trust": -1}, InvalidInput),
        ({"source": "rumour"}, InvalidInput),
        ({"valid_to": datetime(2020, 1, 1, tzinfo=UTC)}, InvalidInput),
        ({"valid_from": datetime(2020, 1, 1)}, InvalidInput),  # noqa: DTZ001 - naive on purpose
        ({"source_id": "n-unknown"}, NotFound),
        ({"subject": ""}, InvalidInput),
    ],
)
def test_what_cannot_be_stored_is_refused_and_named(
    memory: Memory, given_: dict[str, object], error: type[Exception]
) -> None:
    arguments = {"entity": "user", "predicate": "likes", "object": "tea", "subject": "ada", **given_}
    with pytest.raises(error):
        memory.facts.add(**arguments)  # type: ignore[arg-type]
    assert memory.stats().facts == 0


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_any_statement_is_stored_or_the_refusal_has_a_code(entity: str, predicate: str, value: str) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        codes: list[str] = []
        try:
            written = memory.facts.add(entity, predicate, value, subject="ada")
        except WriteRefused as refused:
            codes.append(refused.code)
        if codes:
            assert codes[0] in {"empty_text", "text_too_long", "only_recalled_memory"}
            return
        assert memory.facts.get(written.id, subject="ada") == written.fact
        assert not memory.facts.add(entity, predicate, value, subject="ada").created
        assert memory.verify() == []


def test_the_methods_are_mirrored() -> None:
    assert sorted(methods(AsyncFacts)) == sorted(methods(Facts))


@pytest.mark.parametrize("name", sorted(methods(Facts)))
def test_a_mirrored_method_is_awaited_and_has_the_same_signature(name: str) -> None:
    ours, theirs = methods(AsyncFacts)[name], methods(Facts)[name]
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert inspect.iscoroutinefunction(ours)


async def test_every_verb_works_from_an_event_loop_and_blocks_it_nowhere(path: Path) -> None:
    with blockbuster_ctx():
        async with AsyncMemory.open(path, embedder=FakeEmbedder()) as memory:
            facts = memory.facts
            old = await facts.add("user", "lives in", "Lisbon", subject="ada")
            new = await facts.update(old.id, "Porto", subject="ada")
            assert await facts.get(new.id, subject="ada") == new.fact
            assert [fact.id for fact in await facts.list(subject="ada")] == [new.id]
            assert [fact.id for fact in await facts.history(new.id, subject="ada")] == [old.id, new.id]
            assert [hit.fact.id for hit in (await facts.search("Porto", subject="ada")).hits] == [new.id]
            at = new.fact.valid_from
            assert [fact.id for fact in await facts.as_of(at, subject="ada")] == [new.id]
            assert await facts.forget(new.id, subject="ada")
            answers = await asyncio.gather(
                *(facts.add("user", "likes", f"thing {at}", subject="ada") for at in range(20))
            )
            assert len({answer.id for answer in answers}) == 20


async def test_after_closing_it_says_so() -> None:
    memory = AsyncMemory.open(":memory:", embedder=None)
    await memory.close()
    with pytest.raises(StoreError, match="closed"):
        await memory.facts.list(subject="ada")


def test_many_threads_stating_one_thing_store_it_once(path: Path) -> None:
    with Memory.open(path, embedder=None) as memory, ThreadPoolExecutor(8) as pool:
        calls = [
            pool.submit(memory.facts.add, "user", "lives in", "Lisbon", subject="ada") for _ in range(24)
        ]
        assert len({call.result().id for call in calls}) == 1
        moves = [
            pool.submit(memory.facts.add, "user", "lives in", f"city {at}", subject="ada") for at in range(24)
        ]
        assert all(move.result().created for move in moves)
        assert len(memory.facts.list(subject="ada")) == 1
        assert memory.verify() == []
