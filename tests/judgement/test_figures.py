"""Floors under the figures of docs/explanation/figures.md, so that no change loses them unnoticed."""

import hashlib
from pathlib import Path

import pytest

from atmem_core.embedding import resolve
from tests.judgement.report import CASES, Report, everyday, labelled

UNANSWERABLE = {
    "unrelated",
    "chore",
    "smalltalk",
    "same_names",
    "fact_absent",
    "wrong_person",
    "wrong_identifier",
    "secret",
    "negated",
    "expired",
    "absent",
}


@pytest.fixture(scope="module")
def model_everyday() -> Report:
    return everyday(resolve("auto").embedder)


@pytest.fixture(scope="module")
def words_everyday() -> Report:
    return everyday(None)


@pytest.fixture(scope="module")
def model_calibration() -> Report:
    return labelled("calibration", resolve("auto").embedder)


def withheld(report: Report) -> tuple[int, int]:
    kinds = [one for kind, one in report.kinds.items() if kind in UNANSWERABLE]
    return sum(one.silent for one in kinds), sum(one.cases for one in kinds)


def test_every_ordinary_statement_is_stored(model_everyday: Report) -> None:
    assert model_everyday.kinds["stored"].released == model_everyday.kinds["stored"].cases == 48


@pytest.mark.parametrize(
    ("form", "ranked_first", "released"),
    # measured: 40 and 30, 46 and 41, 43 and 31 of 48
    [("paraphrase", 38, 28), ("typo", 44, 39), ("rambling", 41, 29)],
)
def test_an_everyday_statement_is_found(
    model_everyday: Report, form: str, ranked_first: int, released: int
) -> None:
    assert model_everyday.kinds[form].ranked_first >= ranked_first
    assert model_everyday.kinds[form].released >= released


@pytest.mark.parametrize(
    ("form", "ranked_first", "released"),
    # measured: 45 and 32, 29 and 14 of 48
    [("typo", 43, 30), ("rambling", 27, 12)],
)
def test_keywords_alone_find_an_everyday_statement(
    words_everyday: Report, form: str, ranked_first: int, released: int
) -> None:
    assert words_everyday.kinds[form].ranked_first >= ranked_first
    assert words_everyday.kinds[form].released >= released


def test_questions_whose_answer_is_not_stored_are_mostly_withheld(model_everyday: Report) -> None:
    assert withheld(model_everyday)[0] >= 38  # measured: 40 of 48


def test_what_is_released_on_the_calibration_stores_is_mostly_right(model_calibration: Report) -> None:
    assert model_calibration.precision >= 0.77  # measured: 0.79
    assert withheld(model_calibration)[0] >= 325  # measured: 334 of 371


@pytest.mark.parametrize("kind", ["unrelated", "chore", "wrong_identifier", "secret"])
def test_nothing_at_all_is_released_for(model_calibration: Report, kind: str) -> None:
    assert model_calibration.kinds[kind].silent == model_calibration.kinds[kind].cases


def test_small_talk_is_answered_once_at_most(model_calibration: Report) -> None:
    found = model_calibration.kinds["smalltalk"]
    assert found.silent >= found.cases - 1  # measured: 38 of 38


def test_keywords_alone_withhold_as_well() -> None:
    report = labelled("calibration", None)
    assert report.precision >= 0.74  # measured: 0.76
    assert withheld(report)[0] >= 325  # measured: 334 of 371


def test_the_held_out_stores_are_those_that_were_written() -> None:
    hasher = hashlib.sha256()
    for path in sorted((CASES / "heldout").glob("*.json")):
        hasher.update(path.name.encode())
        hasher.update(path.read_bytes())
    assert hasher.hexdigest() == Path(f"{CASES}/heldout.sha256").read_text(encoding="utf-8").strip()
