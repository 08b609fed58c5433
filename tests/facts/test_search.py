"""Fact search: two arms, one filter inside both, a rank and no permission."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core import InvalidInput, Memory, ReasonCode
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault

BOTH_FIRST = round(2 / 61, 6)
ONE_FIRST = round(1 / 61, 6)


def objects(memory: Memory, query: str, **asked: object) -> list[str]:
    return [hit.fact.object for hit in memory.facts.search(query, subject="ada", **asked).hits]  # type: ignore[arg-type]


def test_an_exact_word_ranks_first_in_both_arms(memory: Memory) -> None:
    memory.facts.add("user", "job", "pilot", subject="ada")
    memory.facts.add("Brutus", "breed", "Bernese mountain dog", subject="ada")
    found = memory.facts.search("what breed is Brutus?", subject="ada")
    assert found.degraded == ()
    best = found.hits[0]
    assert (best.fact.object, best.score) == ("Bernese mountain dog", BOTH_FIRST)
    assert (best.keyword_rank, best.vector_rank) == (1, 1)


def test_meaning_finds_what_shares_no_word(memory: Memory) -> None:
    memory.facts.add("Brutus", "is", "a dog", subject="ada")
    memory.facts.add("user", "likes", "opera", subject="ada")
    best = memory.facts.search("puppy", subject="ada").hits[0]
    assert (best.fact.object, best.keyword_rank, best.vector_rank) == ("a dog", None, 1)
    assert best.score == ONE_FIRST


def test_any_word_of_a_question_finds(memory: Memory) -> None:
    """ "what is my dog's name?" shares two words of four with the fact: OR, not AND."""
    memory.facts.add("user", "dog name is", "Toby", subject="ada")
    for question in ("what is my dog's name?", "dog?", "'dog' AND (name", 'a "dog" NEAR b*'):
        assert objects(memory, question, mode="keyword") == ["Toby"]


def test_superseded_facts_use_up_no_place(memory: Memory) -> None:
    for at in range(60):
        memory.facts.add("user", "lives in", f"city number {at}", subject="ada")
    memory.facts.add("Anna", "lives in", "a city by the sea", subject="ada")
    for mode in ("hybrid", "keyword"):
        assert set(objects(memory, "lives in a city", k=2, mode=mode)) == {
            "city number 59",
            "a city by the sea",
        }


def test_the_best_come_first_whatever_was_stored_first(memory: Memory) -> None:
    for at in range(30):
        memory.facts.add("user", "likes", f"red thing {at} of a long list of plain things", subject="ada")
    memory.facts.add("user", "likes", "red wine", subject="ada")
    assert objects(memory, "red wine", k=1, mode="keyword") == ["red wine"]
    assert objects(memory, "red wine", k=1) == ["red wine"]


@settings(max_examples=15, deadline=None)
@given(st.permutations(["tea with milk", "coffee", "tea", "milk", "green tea", "black coffee"]))
def test_the_order_of_insertion_changes_no_rank(order: list[str]) -> None:
    with Memory.open(":memory:", embedder=FakeEmbedder(), clock=FakeClock()) as memory:
        for thing in order:
            memory.facts.add("user", "likes", thing, subject="ada")
        found = memory.facts.search("tea or coffee", subject="ada", k=4)
    with Memory.open(":memory:", embedder=FakeEmbedder(), clock=FakeClock()) as memory:
        for thing in sorted(order):
            memory.facts.add("user", "likes", thing, subject="ada")
        again = memory.facts.search("tea or coffee", subject="ada", k=4)
    assert [(hit.fact.object, hit.score) for hit in found.hits] == [
        (hit.fact.object, hit.score) for hit in again.hits
    ]


def test_keywords_alone_when_the_embedder_is_down(path: Path) -> None:
    with Memory.open(path, embedder=BrokenEmbedder(Fault.TIMES_OUT)) as memory:
        written = memory.facts.add("Brutus", "breed", "Bernese mountain dog", subject="ada")
        assert written.degraded == (ReasonCode.EMBEDDING_UNAVAILABLE,)
        found = memory.facts.search("Brutus", subject="ada")
    assert found.degraded == (ReasonCode.EMBEDDING_UNAVAILABLE,)
    assert [(hit.fact.object, hit.score) for hit in found.hits] == [("Bernese mountain dog", ONE_FIRST)]
    with Memory.open(path, embedder=FakeEmbedder()) as memory:
        memory.facts.add("user", "likes", "opera", subject="ada")  # a good write makes up what is missing
        assert memory.stats().awaiting_vector == 0
        assert memory.facts.search("Brutus", subject="ada").hits[0].vector_rank == 1


def test_without_an_embedder_it_says_so(path: Path) -> None:
    with Memory.open(path, embedder=None) as memory:
        memory.facts.add("Brutus", "breed", "Bernese mountain dog", subject="ada")
        assert memory.facts.search("Brutus", subject="ada").degraded == (ReasonCode.EMBEDDER_ABSENT,)
        assert memory.facts.search("Brutus", subject="ada", mode="keyword").degraded == ()


def test_notes_and_other_subjects_are_no_hits(memory: Memory) -> None:
    memory.remember("Brutus is a dog.", subject="ada")
    memory.facts.add("Brutus", "is", "a dog", subject="bob")
    assert memory.facts.search("Brutus the dog", subject="ada").hits == ()


@pytest.mark.parametrize("blank", ["", "  ", "\n\t"])
def test_a_blank_query_finds_nothing_and_embeds_nothing(path: Path, blank: str) -> None:
    with Memory.open(path, embedder=BrokenEmbedder(Fault.TIMES_OUT)) as memory:
        found = memory.facts.search(blank, subject="ada")
    assert (found.hits, found.degraded) == ((), ())


@pytest.mark.parametrize("asked", [{"k": 0}, {"k": 51}, {"mode": "magic"}, {"subject": ""}])
def test_wrong_arguments_are_named(memory: Memory, asked: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        memory.facts.search("dog", **{"subject": "ada", **asked})  # type: ignore[arg-type]


def test_a_project_filters_inside_the_arms(memory: Memory) -> None:
    for at in range(30):
        memory.facts.add("project", "uses", f"library {at}", subject="ada", project="one")
    memory.facts.add("project", "uses", "library alone", subject="ada", project="two")
    assert objects(memory, "which library", k=1, project="two") == ["library alone"]
