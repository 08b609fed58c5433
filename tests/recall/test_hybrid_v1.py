"""The named rule hybrid-v1, to the digit."""

import pytest

from atmem_core import Config, Memory
from atmem_core.config import Ranking
from atmem_core.embedding import MULTILINGUAL
from atmem_core.recall.fuse import HybridV1, hybrid_v1
from atmem_core.testing import FakeEmbedder

KEYWORD = [("a", 4.0), ("b", 2.0)]
COSINES = {"a": 0.20, "b": 0.80, "c": 0.72, "d": 0.64, "e": 0.50}


def test_the_worked_example() -> None:
    ranked = hybrid_v1(KEYWORD, COSINES, k=4)
    assert [one for one, _ in ranked] == ["b", "a", "c"]
    assert ranked[0][1] == pytest.approx(0.65)
    assert ranked[1][1] == pytest.approx(0.60)


def test_keyword_hits_keep_their_slots() -> None:
    assert [one for one, _ in hybrid_v1(KEYWORD, COSINES | {"c": 0.99}, k=2)] == ["b", "a"]


def test_without_a_shared_word_meaning_fills_the_slots() -> None:
    ranked = hybrid_v1([], {"x": 0.5, "y": 0.4, "z": 0.34}, k=5)
    assert [one for one, _ in ranked] == ["x", "y"]


def test_no_fill_without_vector_weight() -> None:
    ranked = hybrid_v1(KEYWORD, COSINES, k=5, rule=HybridV1(vector_weight=0.0))
    assert [one for one, _ in ranked] == ["a", "b"]


def test_the_floor_is_the_model_s() -> None:
    rule = HybridV1(min_cosine=0.6)
    assert hybrid_v1([], {"x": 0.55}, k=3, rule=rule) == []


def test_a_note_without_a_vector_blends_with_zero() -> None:
    assert hybrid_v1([("a", 3.0)], {}, k=1) == [("a", 0.5)]


def test_equal_blends_stay_in_keyword_order() -> None:
    assert [one for one, _ in hybrid_v1([("a", 1.0), ("b", 1.0)], {}, k=2)] == ["a", "b"]


def test_a_search_ranks_by_the_named_rule_when_it_is_set() -> None:
    with Memory.open(":memory:", config=Config(ranking=Ranking.HYBRID_V1)) as memory:
        dog = memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
        memory.remember("I live in Lisbon near the river.", subject="ada")
        puppy = memory.remember("The puppy next door barks at night.", subject="ada")
        hits = memory.search("dog", subject="ada", k=3)
    assert hits[0].record_id == dog.id
    # The one keyword hit has the strongest BM25 by definition: half of its score is that.
    assert 0.5 < hits[0].score <= 1.0
    assert all(hit.score <= 0.5 for hit in hits[1:])
    assert puppy.id not in [hit.record_id for hit in hits[:1]]


@pytest.mark.parametrize(("model", "found"), [("of no catalog", 1), (MULTILINGUAL.name, 0)])
def test_a_search_takes_the_floor_of_the_model_that_serves(model: str, found: int) -> None:
    vectors = {"which animal": [1.0, 0.0], "the puppy barks": [0.7, 0.714]}
    embedder = FakeEmbedder(vectors, model=model)
    config = Config(ranking=Ranking.HYBRID_V1)
    with Memory.open(":memory:", embedder=embedder, config=config) as memory:
        memory.remember("the puppy barks", subject="ada", speaker="user")
        assert len(memory.search("which animal", subject="ada")) == found
