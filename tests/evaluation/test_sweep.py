"""The sweep and reliability against values worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.metrics import Score
from atmem_core.policy.sweep import (
    auroc,
    calibration_error,
    passing,
    reliability,
    sweep_curve,
    sweep_point,
    threshold_keeping,
)

SCORES = st.lists(
    st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])), min_size=1, max_size=12
)


def test_auroc_is_the_share_of_pairs_in_the_right_order() -> None:
    # pairs: .9>.8 .9>.3 .6<.8 .6>.3
    assert auroc([0.9, 0.6], [0.8, 0.3]) == 0.75


def test_a_tie_counts_half() -> None:
    assert auroc([0.5], [0.5]) == 0.5


def test_a_question_without_a_candidate_is_below_all_others() -> None:
    assert auroc([0.0], [None]) == 1.0
    assert auroc([None], [None]) == 0.5


def test_one_side_alone_has_no_auroc() -> None:
    assert auroc([], [0.5]) is None
    assert auroc([0.5], []) is None


@given(positives=SCORES, negatives=SCORES)
def test_auroc_is_what_counting_every_pair_gives(positives: list[Score], negatives: list[Score]) -> None:
    def low(score: Score) -> float:
        return -1.0 if score is None else score

    pairs = [(low(one), low(other)) for one in positives for other in negatives]
    counted = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs)
    assert auroc(positives, negatives) == pytest.approx(counted / len(pairs))


def test_the_threshold_is_the_highest_that_keeps_the_target() -> None:
    scores = [one / 10 for one in range(10, 0, -1)]
    assert threshold_keeping(scores, 0.9) == 0.2
    assert threshold_keeping(scores, 0.95) == 0.1


def test_a_target_out_of_reach_takes_the_lowest_score_there_is() -> None:
    assert threshold_keeping([0.7, 0.4, None, None], 0.9) == 0.4
    assert threshold_keeping([None], 0.9) is None


def test_false_injection_is_the_share_of_negatives_at_or_above_the_threshold() -> None:
    positives = [0.9] * 8 + [0.5, 0.1]
    point = sweep_point(positives, [0.6, 0.5, 0.4, None], 0.9)
    assert (point.threshold, point.kept, point.false_injection) == (0.5, 0.9, 0.5)


def test_ties_keep_more_than_the_target() -> None:
    assert sweep_point([0.5] * 10, [0.5], 0.9).kept == 1.0


def test_what_is_kept_is_below_the_target_when_too_few_have_a_candidate() -> None:
    point = sweep_point([0.5, None], [None, 0.2], 0.9)
    assert (point.kept, point.false_injection) == (0.5, 0.0)


def test_nothing_passes_without_a_score() -> None:
    assert passing([None, None], 0.0) == 0.0


def test_no_threshold_keeps_questions_without_any_candidate() -> None:
    point = sweep_point([None], [0.5], 0.9)
    assert (point.threshold, point.kept, point.false_injection) == (None, None, None)


@given(positives=SCORES, negatives=SCORES)
def test_a_curve_never_falls(positives: list[Score], negatives: list[Score]) -> None:
    curve = sweep_curve(positives, negatives)
    assert curve == sorted(curve)


def test_bins_say_how_often_their_candidates_answer() -> None:
    bins = reliability([(0.05, False), (0.62, True), (0.68, False), (1.0, True)])
    assert len(bins) == 10
    assert (bins[0].count, bins[0].right) == (1, 0.0)
    assert (bins[6].count, bins[6].right) == (2, 0.5)
    assert bins[6].relevance == pytest.approx(0.65)
    assert (bins[9].count, bins[9].right) == (1, 1.0)
    assert (bins[3].count, bins[3].relevance, bins[3].right) == (0, None, None)


def test_the_calibration_error_weighs_bins_by_their_counts() -> None:
    # bin 0: |0.05 - 0| of 1, bin 6: |0.65 - 0.5| of 2, bin 9: |0.95 - 1| of 1
    bins = reliability([(0.05, False), (0.65, True), (0.65, False), (0.95, True)])
    assert calibration_error(bins) == pytest.approx((0.05 + 2 * 0.15 + 0.05) / 4)


def test_nothing_has_no_calibration_error() -> None:
    assert calibration_error(reliability([])) is None
