"""The comparison for the judge: features of a pair, and how a set is counted."""

import pytest

from atmem_core.evaluation.answerability.alignment import FEATURES, Aligner, line_of, main, read_pairs
from atmem_core.evaluation.answerability.generate import Pair
from tests.judgement.report import CASES

BLIND = CASES / "blind" / "answerability.jsonl"


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner()


def measured(aligner: Aligner, question: str, note: str) -> dict[str, float]:
    return dict(zip(FEATURES, aligner.features(question, note), strict=True))


def test_every_feature_is_a_share(aligner: Aligner) -> None:
    for pair in read_pairs(BLIND)[:20]:
        assert all(0 <= one <= 1 + 1e-9 for one in aligner.features(pair.question, pair.note))


def test_a_note_on_the_topic_matches_better_than_one_on_another(aligner: Aligner) -> None:
    question = "Who repairs our boiler?"
    near = measured(aligner, question, "Tomas fixes the heating in the cellar.")
    far = measured(aligner, question, "I grew up in Porto.")
    assert near["mean_match"] > far["mean_match"]


def test_a_stranger_a_wrong_number_and_a_question_are_seen(aligner: Aligner) -> None:
    asked = "What is the code of locker 217 of Marta?"
    right = measured(aligner, asked, "Marta's locker 217 has the code 4471.")
    wrong = measured(aligner, asked, "What is the code of Paul's locker 271?")
    for name in ("names_agree", "numbers_agree", "states"):
        assert (right[name], wrong[name]) == (1.0, 0.0)


def test_a_text_without_a_word_is_no_match(aligner: Aligner) -> None:
    assert measured(aligner, "Who repairs our boiler?", "")["mean_match"] == 0.0


def test_a_line_counts_what_lies_below_the_bar() -> None:
    kinds = ["answered"] * 10 + ["fact_absent", "fact_absent", "unrelated"]
    pairs = [Pair(question="", note="", answered=kind == "answered", kind=kind) for kind in kinds]
    scores = [*range(10, 20), 10.5, 15.0, 0.0]
    assert line_of("x", pairs, scores).split() == ["x", "0.783", "0.67", "0.50"]


def test_the_program_prints_all_three(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    few = tmp_path / "few.jsonl"  # type: ignore[operator]
    few.write_text("".join(BLIND.read_text("utf-8").splitlines(keepends=True)[:12]), encoding="utf-8")
    assert main([str(few), "--made", "20"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in (*FEATURES, "alignment", "judge", "both"))
