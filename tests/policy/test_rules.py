"""The rules that no change may break, as properties of the pure policy."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.decide import decide
from atmem_core.records import SUPPORT_RANK, Candidate, Decision, SupportClass
from tests.policy.builders import NOW, candidate, query, situation

QUESTION = query("what breed is my dog Brutus?")
TEXTS = (
    "Brutus is my Bernese mountain dog.",
    "My dog Brutus is a Leonberger.",
    "Anna's dog is called Rex.",
    "Where is my dog?",
    "I bought dog food for 30 euros.",
    "Brutus doesn't like the vet.",
)
share = st.floats(0, 1)


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    coverage = draw(share)
    return candidate(
        draw(st.sampled_from(TEXTS)),
        record_id="n" + draw(st.text("abcdef", min_size=4, max_size=8)),
        coverage=coverage,
        typo_coverage=max(coverage, draw(share)),
        bm25=draw(share),
        cosine=draw(st.none() | st.floats(-1, 1)),
        trust=draw(share),
        told_at=NOW - timedelta(days=draw(st.integers(0, 900))),
        graph=draw(st.none() | share),
    )


many = st.lists(candidates(), max_size=6, unique_by=lambda one: one.record_id)


def classes(decision: Decision) -> dict[str, SupportClass]:
    return {one.record_id: one.support_class for one in decision.candidates}


@given(many)
def test_only_direct_support_is_released_by_default(pool: list[Candidate]) -> None:
    decision = decide(QUESTION, pool, situation())
    by_id = classes(decision)
    assert all(by_id[one] is SupportClass.DIRECT_SUPPORT for one in decision.ranked_record_ids)


@given(candidates(), share, st.integers(0, 2000), st.none() | share)
def test_a_prior_never_changes_a_class(
    one: Candidate, trust: float, age_days: int, graph: float | None
) -> None:
    # Trust below the floor is an objection, which may lower; above it trust only orders.
    before = replace(one, trust=0.9)
    after = replace(one, trust=max(0.3, trust), graph=graph, told_at=NOW - timedelta(days=age_days))
    first = decide(QUESTION, [before], situation()).candidates[0]
    second = decide(QUESTION, [after], situation()).candidates[0]
    assert first.support_class is second.support_class
    assert first.relevance_score == second.relevance_score


@given(many)
def test_a_prior_says_that_it_supports_nothing(pool: list[Candidate]) -> None:
    for one in decide(QUESTION, pool, situation()).candidates:
        for part in one.contributions:
            supports = part.name in {"lexical", "bm25", "typo", "semantic", "contrast"}
            assert part.eligible_for_support is supports


@given(candidates())
def test_diagnostic_vectors_support_nothing(one: Candidate) -> None:
    with_them = decide(QUESTION, [one], situation(semantic_counts=False)).candidates[0]
    without = decide(QUESTION, [replace(one, cosine=None)], situation(semantic_counts=False))
    assert with_them.support_class is without.candidates[0].support_class
    assert not next(p for p in with_them.contributions if p.name == "semantic").eligible_for_support


@given(candidates())
def test_unhealthy_semantics_never_widens(one: Candidate) -> None:
    healthy = decide(QUESTION, [one], situation()).candidates[0]
    failing = decide(QUESTION, [replace(one, cosine=None)], situation(semantic_counts=False))
    assert SUPPORT_RANK[failing.candidates[0].support_class] <= SUPPORT_RANK[healthy.support_class]


@given(candidates(), share, share, share)
def test_raising_a_support_signal_never_lowers_a_class(
    one: Candidate, coverage: float, bm25: float, cosine: float
) -> None:
    higher = max(one.coverage, coverage)
    raised = replace(
        one,
        coverage=higher,
        typo_coverage=max(higher, one.typo_coverage),
        bm25=max(one.bm25, bm25),
        cosine=max(one.cosine if one.cosine is not None else -1.0, cosine),
    )
    before = decide(QUESTION, [one], situation()).candidates[0]
    after = decide(QUESTION, [raised], situation()).candidates[0]
    assert SUPPORT_RANK[after.support_class] >= SUPPORT_RANK[before.support_class]


@given(many, st.randoms())
def test_the_order_of_candidates_changes_nothing(pool: list[Candidate], random: object) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert decide(QUESTION, pool, situation()) == decide(QUESTION, shuffled, situation())


@given(many)
def test_what_is_not_released_is_counted(pool: list[Candidate]) -> None:
    decision = decide(QUESTION, pool, situation())
    assert sum(decision.withheld.values()) + len(decision.ranked_record_ids) == len(pool)


@given(st.text(), many)
def test_a_decision_holds_no_text(text: str, pool: list[Candidate]) -> None:
    marked = [replace(one, text=one.text + " xyzzycanary") for one in pool]
    question = query(text + " xyzzyquery")
    document = decide(question, marked, situation()).to_json()
    assert "xyzzy" not in document


def test_two_decisions_on_equal_values_have_one_id() -> None:
    pool = [candidate(TEXTS[0])]
    assert decide(QUESTION, pool, situation()) == decide(QUESTION, pool, situation())


def test_a_small_talk_query_releases_nothing_even_beside_perfect_candidates() -> None:
    decision = decide(query("hello there"), [candidate(TEXTS[0])], situation())
    assert decision.support_class is SupportClass.NO_USEFUL_MEMORY
    assert decision.ranked_record_ids == ()
