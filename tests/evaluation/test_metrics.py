"""Metrics against values worked out by hand."""

import pytest

from atmem_core.policy.metrics import (
    NegativeKind,
    case_figures,
    hit_at,
    is_kept,
    label_figures,
    mean,
    percentile,
    recall_at,
    reciprocal_rank,
    release,
    retrieval,
    separation,
)
from tests.evaluation.builders import BACKGROUND, DIRECT, NONE, answerable, negative


def test_recall_is_the_share_of_the_evidence_within_k() -> None:
    ranks = (2, None, 7, 5)
    assert recall_at(ranks, 5) == 0.5
    assert recall_at(ranks, 10) == 0.75


def test_a_hit_is_any_evidence_within_k() -> None:
    assert hit_at((None, 5), 5)
    assert not hit_at((None, 6), 5)


def test_the_reciprocal_rank_is_that_of_the_first_evidence() -> None:
    assert reciprocal_rank((4, 2, None), 5) == 0.5


def test_evidence_below_k_has_no_reciprocal_rank() -> None:
    assert reciprocal_rank((6,), 5) == 0.0
    assert reciprocal_rank((None,), 5) == 0.0


def test_retrieval_averages_over_answerable_questions() -> None:
    found = retrieval([answerable(ranks=(1,)), answerable(ranks=(4, None)), negative()])
    assert found.questions == 2
    assert found.recall_at_5 == 0.75
    assert found.hit_at_1 == 0.5
    assert found.hit_at_5 == 1.0
    assert found.mrr_at_5 == 0.625


def test_an_average_over_nothing_is_none() -> None:
    assert mean([]) is None
    assert retrieval([negative()]).recall_at_5 is None


def test_a_percentile_is_the_nearest_rank() -> None:
    values = list(range(20, 0, -1))
    assert percentile(values, 0.5) == 10
    assert percentile(values, 0.95) == 19
    assert percentile(values, 1.0) == 20
    assert percentile([], 0.5) is None


@pytest.mark.parametrize("kind", [NegativeKind.UNRELATED, NegativeKind.CHORE])
def test_against_far_kinds_background_is_kept(kind: NegativeKind) -> None:
    assert is_kept(answerable(support=BACKGROUND), kind)
    assert not is_kept(answerable(support=NONE), kind)


@pytest.mark.parametrize(
    "kind", [NegativeKind.SAME_NAMES, NegativeKind.WRONG_PERSON, NegativeKind.FACT_ABSENT]
)
def test_against_near_kinds_only_direct_support_is_kept(kind: NegativeKind) -> None:
    assert is_kept(answerable(support=DIRECT), kind)
    assert not is_kept(answerable(support=BACKGROUND), kind)


def test_a_kind_is_set_against_all_answerable_questions() -> None:
    outcomes = [
        answerable(support=DIRECT),
        answerable(support=BACKGROUND),
        answerable(support=NONE),
        answerable(support=DIRECT),
        negative(NegativeKind.UNRELATED, support=NONE),
        negative(NegativeKind.UNRELATED, support=BACKGROUND),
        negative(NegativeKind.UNRELATED, support=DIRECT, injected=1),
        negative(NegativeKind.UNRELATED, support=NONE),
        negative(NegativeKind.WRONG_PERSON, support=BACKGROUND),
    ]
    far = separation(outcomes, NegativeKind.UNRELATED)
    assert (far.questions, far.kept, far.rejected, far.withheld) == (4, 0.75, 0.5, 0.75)
    near = separation(outcomes, NegativeKind.WRONG_PERSON)
    assert (near.questions, near.kept, near.rejected, near.withheld) == (1, 0.5, 1.0, 1.0)


def test_precision_counts_what_was_injected_for_negatives_as_wrong() -> None:
    outcomes = [
        answerable(injected=2, injected_right=1),
        answerable(injected=0, injected_right=0, covered=0),
        negative(injected=2),
    ]
    found = release(outcomes)
    assert found.precision == 0.25
    assert found.precision_answerable == 0.5
    assert found.answered == 0.5
    assert found.silent == 0.5


def test_without_an_injection_there_is_no_precision() -> None:
    assert release([negative()]).precision is None


def test_labels_come_with_answerable_ones_first_and_say_what_was_released() -> None:
    outcomes = [
        negative(NegativeKind.CHORE, label="chore", injected=1, support=DIRECT),
        answerable(label="where"),
        negative(NegativeKind.CHORE, label="chore"),
    ]
    where, chore = label_figures(outcomes)
    assert (where.label, where.questions, where.answered, where.withheld) == ("where", 1, 1.0, 0.0)
    assert (chore.label, chore.questions, chore.answered) == ("chore", 2, None)
    assert (chore.withheld, chore.no_use) == (0.5, 0.5)


def test_a_case_passes_when_all_of_its_turns_do() -> None:
    outcomes = [
        answerable(case="a"),
        answerable(case="a", ranks=(1, 2)),
        negative(case="b", forbidden=2),
        answerable(case="c", forbidden=1, leaked=1, injected=2),
        answerable(),
    ]
    found = case_figures(outcomes)
    assert found is not None
    assert (found.passed, found.cases) == (1, 3)
    assert (found.returned, found.must_return) == (3, 4)
    assert (found.leaked, found.must_not_return) == (1, 3)


def test_a_negative_fails_its_case_when_anything_is_injected() -> None:
    assert negative().passed
    assert not negative(injected=1).passed


def test_without_a_case_there_are_no_figures_of_cases() -> None:
    assert case_figures([answerable()]) is None
