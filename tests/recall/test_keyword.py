"""Keyword candidates: own statistics, correction, and the cut."""

import pytest

from atmem_core.policy.lexical import bm25, coverage, idf
from atmem_core.policy.question import read_query
from atmem_core.recall.keyword import KeywordPool, keyword_pool, lexical
from atmem_core.recall.spelling import corrections
from atmem_core.records import Term
from atmem_core.testing.stores import ReferenceStore
from tests.recall.stores import everything, filled


def pool(store: ReferenceStore, question: str, *, limit: int = 200) -> KeywordPool:
    with store.read(everything()) as view:
        return keyword_pool(view, read_query(question, max_chars=4000).terms, limit=limit)


def term(word: str) -> Term:
    return read_query(f"the {word}", max_chars=100).terms[0]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert idf(1000, 1) > idf(1000, 100) > idf(1000, 1000) > 0


def test_in_a_small_store_one_note_doesn_t_make_a_word_common() -> None:
    assert idf(3, 1) > 0.7 * idf(3, 0)


def test_an_ideal_record_scores_one_and_a_longer_one_less() -> None:
    weights = {"dog": 3.0, "breed": 5.0}
    ideal = bm25({"dog": 1, "breed": 1}, weights, 10, 10.0)
    assert ideal == pytest.approx(1.0)
    assert bm25({"dog": 1, "breed": 1}, weights, 100, 10.0) < ideal
    assert bm25({}, weights, 10, 10.0) == 0.0
    assert coverage(["breed"], weights) == pytest.approx(5 / 8)


def test_records_that_share_a_word_are_found_and_others_are_not() -> None:
    store = filled("Brutus is my dog.", "I live in Rome.", "The dog park is closed.")
    assert set(pool(store, "what is my dog called?").rows) == {1, 3}


def test_other_subjects_change_no_weight() -> None:
    store = filled("Brutus is my dog.")
    before = pool(store, "my dog").wording.weights
    for text in ("A dog.", "Two dogs.", "Dog food."):
        store_other = filled(text, subject="eve")
        store.rows[len(store.rows) + 1] = store_other.rows[1]
    assert pool(store, "my dog").wording.weights == before


@pytest.mark.parametrize(
    ("misspelt", "stored", "found"),
    [
        ("libson", "Lisbon", True),  # a swap of neighbours
        ("jahannesburg", "Johannesburg", True),
        ("brutsu", "Brutus", True),
        ("breed", "bread", False),  # a real word is no slip
        ("abc", "abd", False),  # too short
    ],
)
def test_a_misspelt_word_finds_the_stored_one(misspelt: str, stored: str, found: bool) -> None:  # noqa: FBT001 - a table
    store = filled(f"It was about {stored} all along.")
    with store.read(everything()) as view:
        assert (stored.lower() in corrections(term(misspelt), view)) is found


@pytest.mark.parametrize("strict", ["INC100235", "2027", "v2.3.11"])
def test_identifiers_and_numbers_are_never_corrected(strict: str) -> None:
    store = filled("INC100234 was closed in 2026 with v2.3.10.")
    with store.read(everything()) as view:
        assert corrections(term(strict), view) == ()


def test_a_corrected_word_counts_apart_from_the_exact_ones() -> None:
    store = filled("I live in Lisbon near the river.")
    found = pool(store, "where in Libson is the river")
    with store.read(everything()) as view:
        text, length = view.search_texts(found.rows)[1]
    match = lexical(text, length, found.wording)
    assert match.coverage < match.typo_coverage == pytest.approx(1.0)


def test_of_many_equal_rows_all_are_kept_up_to_a_bound_and_then_it_is_said() -> None:
    few = filled(*(f"dog number {n}" for n in range(8)))
    assert len(pool(few, "dog", limit=3).rows) == 8
    assert not pool(few, "dog", limit=3).cut
    many = filled(*(f"dog number {n}" for n in range(30)))
    cut = pool(many, "dog", limit=3)
    assert len(cut.rows) == 12
    assert cut.cut
