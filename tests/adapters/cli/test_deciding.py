"""What an explanation says of the judge, and whether the rule table agrees with its numbers."""

import re
from dataclasses import replace

import pytest

from atmem_cli.deciding import what_decided
from atmem_cli.explaining import print_explained
from atmem_core import Decision, Memory, ReasonCode
from atmem_core.clock import SystemClock
from atmem_core.config import Config
from atmem_core.embedding import resolve
from atmem_core.policy.calibration import JudgeRule
from atmem_core.semantic.calibrations import BUNDLED, load
from atmem_core.store import open_store
from atmem_core.testing.embedders import FakeEmbedder
from atmem_core.testing.judges import FakeJudge
from tests.adapters.cli.test_explain import DECISION, DIRECT, JUDGED, answered, listed, lowered

BAR = re.compile(r"had to be at least (0\.\d+)")
RULE = JudgeRule(version="fake-1", weight=0.8, bar=1.0, denied=0.05, agreed=0.06)
WIDE = replace(load(BUNDLED), direct=0.02, background=0.01, judge=RULE)


def decided(answer: float, *others: str) -> Decision:
    """A real decision of a judge that always says the same."""
    config = Config(judge=False)
    with Memory(
        open_store(":memory:", config=config),
        resolve(FakeEmbedder()),
        config=config,
        clock=SystemClock(),
        judge=FakeJudge(lambda _question, _text: answer),
        calibration_for=lambda *_, **__: WIDE,
    ) as memory:
        for text in ("Brutus is my Bernese mountain dog.", *others):
            memory.remember(text, subject="ada")
        return memory.decide("which breed is Brutus?", subject="ada")


def test_the_answer_that_is_said_to_be_needed_is_the_one_that_the_rule_needs() -> None:
    denied = decided(0.01)
    (said,) = what_decided(denied.candidates[0], denied)
    found = BAR.search(said)
    assert found is not None
    assert decided(float(found[1]) + 0.01).ranked_record_ids
    assert not decided(float(found[1]) - 0.01).ranked_record_ids


def test_a_released_record_says_what_the_judge_answered() -> None:
    decision = decided(0.99)
    said = what_decided(decision.candidates[0], decision)
    assert said[0].startswith("Released: relevance ")
    assert said[1].startswith("The judge's answer was 0.99; at this relevance it had to be at least 0.")


def test_an_exact_match_says_why_nobody_was_asked() -> None:
    said = what_decided(DIRECT, JUDGED)
    assert said[1] == "The judge wasn't asked: the record holds the very words of the question."


def test_an_objection_leaves_the_judge_to_be_convinced() -> None:
    said = what_decided(lowered("owner_mismatch", 0.2), JUDGED)
    assert said[1] == "The judge wasn't asked; at this relevance its answer had to be at least 0.23."


def test_a_needed_answer_near_nothing_is_not_shown_as_nothing() -> None:
    (said,) = what_decided(lowered("not_answered", 0.95, 0.00002), JUDGED)
    assert said.endswith(" was 0.0000; at this relevance it had to be at least 0.0001.")


def test_what_the_judge_and_relevance_must_reach_stands_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    print_explained(JUDGED, {}, most=1)
    told = "judge       in log odds, 0.500 of its answer and relevance must reach -2.000"
    assert told in capsys.readouterr().out


def test_short_of_direct_support_the_judge_is_named() -> None:
    said = what_decided(lowered("below_threshold", 0.02), JUDGED)
    assert said == [
        "Relevance 0.02 is 0.01 short of direct support (0.03); the one signal for it was lexical 0.62.",
        "From direct support on the judge has to agree as well.",
    ]


@pytest.mark.parametrize(
    ("weight", "bar", "phrase"),
    [
        (0.0, 3.0, "no answer would have been high enough"),
        (0.1, 3.0, "no answer would have been high enough"),
        (0.1, -9.0, "any answer would have been enough"),
        (0.0, -9.0, "any answer would have been enough"),
    ],
)
def test_a_bar_out_of_the_judges_reach_is_said_to_be(weight: float, bar: float, phrase: str) -> None:
    out = replace(JUDGED, thresholds={**JUDGED.thresholds, "judge_weight": weight, "judge_bar": bar})
    assert what_decided(lowered("not_answered", 0.2, 0.5), out) == [
        f"The judge's answer was 0.50; at this relevance {phrase}."
    ]


def test_the_judges_answers_count_in_how_far_behind_a_record_lies() -> None:
    best = replace(DIRECT, contributions=(*DIRECT.contributions, answered(0.9)))
    behind = lowered("below_drop_off", 0.912, 0.2)
    (said,) = what_decided(behind, replace(listed(behind, JUDGED), candidates=(best, behind)))
    assert said == (
        "Lies 1.79 behind the best record in log odds, the judge's answers included, where 1.00 is allowed:"
        " relevance had to be 0.96 in place of 0.91."
    )


def test_without_a_working_model_only_ties_are_allowed() -> None:
    behind = lowered("below_drop_off", 0.85)
    blind = replace(listed(behind), degraded=(ReasonCode.EMBEDDING_UNAVAILABLE,))
    assert " ".join(what_decided(behind, blind)) == (
        "Lies 0.60 behind the best record in log odds, where 0.00 is allowed: relevance had to be 0.91 in"
        " place of 0.85. Without the model's numbers only what ties with the best record is released."
    )


def test_a_gap_too_small_for_two_digits_gets_more_of_them() -> None:
    (said,) = what_decided(lowered("background_threshold", 0.5993), DECISION)
    assert said.startswith("Relevance 0.599 is 0.001 short of direct support (0.600); ")


def test_the_two_strongest_signals_are_named_and_a_mended_word_that_adds_nothing_is_not() -> None:
    typo = replace(DIRECT.contributions[0], name="typo")
    semantic = replace(DIRECT.contributions[0], name="semantic", normalized_score=0.7)
    bm25 = replace(DIRECT.contributions[0], name="bm25", normalized_score=0.1)
    strong = replace(DIRECT, contributions=(*DIRECT.contributions, typo, semantic, bm25))
    assert what_decided(strong, DECISION)[0].endswith(
        "; the strongest signals were semantic 0.70 and lexical 0.62."
    )


def test_closeness_that_may_not_support_is_named_as_such() -> None:
    idle = replace(DIRECT.contributions[0], name="semantic", normalized_score=0.8, eligible_for_support=False)
    said = what_decided(lowered("background_threshold", 0.57, None, idle), DECISION)
    assert said[1] == "Of no effect was semantic 0.80: this embedding model's numbers may not support."
