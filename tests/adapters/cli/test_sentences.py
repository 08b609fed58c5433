"""Every code, class and signal has its words."""

import pytest

from atmem_cli.sentences import CLASSES, COLOURS, REASONS, SIGNALS, headline
from atmem_core import ReasonCode, SupportClass


def test_every_reason_has_one_sentence_and_no_two_share_one() -> None:
    assert set(REASONS) == set(ReasonCode)
    assert len(set(REASONS.values())) == len(ReasonCode)


@pytest.mark.parametrize("code", ReasonCode)
def test_a_reason_is_one_sentence(code: ReasonCode) -> None:
    sentence = REASONS[code]
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert sentence.count(".") == 1


def test_every_class_has_words_and_a_colour() -> None:
    assert set(CLASSES) == set(COLOURS) == set(SupportClass)


def test_every_registered_signal_has_words() -> None:
    registered = (
        "lexical bm25 typo semantic contrast candidate_prior fact_key trust recency graph speaker window"
        " before after session answerable atbot reranker"
    )
    assert set(registered.split()) <= set(SIGNALS)


@pytest.mark.parametrize(
    ("support", "released", "line"),
    [
        (SupportClass.DIRECT_SUPPORT, 1, "direct support: 1 record may be injected"),
        (SupportClass.BACKGROUND_CONTEXT, 2, "background context: 2 records may be injected"),
        (
            SupportClass.BACKGROUND_CONTEXT,
            0,
            "background context: related records are known, nothing is injected",
        ),
        (SupportClass.NO_USEFUL_MEMORY, 0, "no useful memory: nothing is injected"),
    ],
)
def test_a_decision_comes_to_one_line(support: SupportClass, released: int, line: str) -> None:
    assert headline(support, released) == line
