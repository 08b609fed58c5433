"""The fact key: what it is worth, and that more of it never counts against."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.decide import decide
from atmem_core.policy.fact_key import fact_key, key_score, with_key
from tests.policy.builders import candidate, query, situation

RELEVANCE = st.floats(0, 1).map(lambda value: round(value, 6))
SCORE = st.floats(0, 1)


@given(RELEVANCE, SCORE, SCORE)
def test_more_of_a_key_never_lowers_a_relevance(relevance: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert relevance <= with_key(relevance, low) <= with_key(relevance, high) <= 1


@given(RELEVANCE, RELEVANCE, SCORE)
def test_with_a_key_too_more_relevance_never_lowers(one: float, other: float, score: float) -> None:
    low, high = sorted((one, other))
    assert with_key(low, score) <= with_key(high, score)


@pytest.mark.parametrize(
    ("question", "told", "score"),
    [
        ("where do I live?", ("user", "lives in", "Lisbon"), 1.0),
        ("where does the user live?", ("user", "lives in", "Lisbon"), 1.0),
        ("where does Anna live?", ("user", "lives in", "Lisbon"), 0.0),
        ("where does Anna live?", ("Anna", "lives in", "Porto"), 1.0),
        ("where do I live?", ("Anna", "lives in", "Porto"), 0.0),
        ("should I work late tonight?", ("user", "works at", "Harbour"), 1 / 3),
        ("what is my job?", ("user", "works as", "a nurse"), 1.0),
        ("what is my job?", ("Marta", "works as", "a nurse"), 0.0),
        ("what is Marta's job?", ("Marta", "works as", "a nurse"), 1.0),
        ("what is my dog's name?", ("user", "name", "Ada"), 0.0),
        ("what is my dog's name?", ("user", "dog name", "Toby"), 1.0),
        ("is it so?", ("user", "is", "tall"), 0.0),
    ],
)
def test_a_key_counts_when_entity_and_predicate_are_named(
    question: str, told: tuple[str, str, str], score: float
) -> None:
    assert key_score(query(question), fact_key(*told)) == pytest.approx(score)


def test_a_record_that_is_no_fact_has_no_key() -> None:
    assert key_score(query("where do I live?"), None) == 0.0
    decision = decide(query("where do I live?"), [candidate("I live in Lisbon.")], situation())
    assert "fact_key" not in decision.candidates[0].signals
