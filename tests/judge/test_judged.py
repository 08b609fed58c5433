"""A memory that asks a judge: when it does, with what, and what happens when the judge fails."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from atmem_core import Decision, Memory, SupportClass
from atmem_core.clock import SystemClock
from atmem_core.config import Config
from atmem_core.embedding import resolve
from atmem_core.errors import JudgeUnavailable
from atmem_core.judge import CheckedJudge
from atmem_core.policy.calibration import Calibration, JudgeRule
from atmem_core.records import CheckStatus
from atmem_core.semantic.calibrations import BUNDLED, load
from atmem_core.store import open_store
from atmem_core.testing.embedders import FakeEmbedder
from atmem_core.testing.judges import FakeJudge

STRICT = load(BUNDLED)
RULE = JudgeRule(version="fake-1", weight=1.0, bar=-4.0, denied=0.05, agreed=0.06)
WIDE = replace(
    STRICT,
    version="wide-1",
    direct=0.02,
    background=0.01,
    judge=RULE,
)
DOG = "Brutus is my Bernese mountain dog."
QUESTION = "what breed is Brutus?"


def calibration(identity: object, *, configured: bool, judge: str | None) -> Calibration:
    return WIDE if configured and judge == "fake-1" else STRICT


Open = Callable[..., Memory]


@pytest.fixture
def opened() -> Iterator[Open]:
    made: list[Memory] = []

    def open_with(judge: object, **settings: Any) -> Memory:
        config = replace(Config(judge=False), **settings)
        memory = Memory(
            open_store(":memory:", config=config),
            resolve(FakeEmbedder()),
            config=config,
            clock=SystemClock(),
            judge=judge,  # type: ignore[arg-type]  # some are broken on purpose
            calibration_for=calibration,
        )
        made.append(memory)
        return memory

    yield open_with
    for memory in made:
        memory.close()


def asked(memory: Memory, query: str = QUESTION, **how: float) -> Decision:
    memory.remember(DOG, subject="ada")
    return memory.decide(query, subject="ada", **how)  # type: ignore[arg-type]  # deadline_ms


def test_a_judge_that_says_yes_lets_it_through(opened: Open) -> None:
    judge = FakeJudge(lambda _question, _text: 0.9)
    decision = asked(opened(judge))
    assert decision.support_class is SupportClass.DIRECT_SUPPORT
    assert decision.calibration_version == "wide-1"
    assert judge.calls == [(QUESTION, (DOG,))]


def test_a_judge_that_says_no_withholds_it(opened: Open) -> None:
    assert asked(opened(FakeJudge(lambda _question, _text: 0.0))).ranked_record_ids == ()


def test_a_named_speaker_stands_before_what_was_said(opened: Open) -> None:
    judge = FakeJudge()
    memory = opened(judge)
    memory.remember("I have a Bernese mountain dog, Brutus.", subject="ada", speaker="Anna")
    memory.decide("what breed is Anna's dog Brutus?", subject="ada")
    assert judge.calls[0][1] == ("Anna: I have a Bernese mountain dog, Brutus.",)


def broken(_question: str, _text: str) -> float:
    raise RuntimeError(DOG)


@pytest.mark.parametrize(
    ("opinion", "reason"),
    [(broken, "failed"), (lambda _q, _t: 1.5, "not_a_share"), (lambda _q, _t: float("nan"), "not_a_share")],
)
def test_a_judge_that_fails_counts_as_one_that_hardly_agrees(
    opened: Open, opinion: Callable[[str, str], float], reason: str
) -> None:
    judge = CheckedJudge(FakeJudge(opinion))
    memory = opened(judge)
    decision = asked(memory)
    assert decision.degraded == ("judge_unavailable",)
    assert decision.calibration_version == "wide-1"
    assert decision.candidates[0].signals["answerable"] == RULE.silent
    assert judge.counts == {reason: 1}
    report = {check.name: check for check in memory.doctor().checks}
    assert report["judge"].status is CheckStatus.FAIL
    assert reason in report["judge calls"].detail
    assert DOG not in str(report)


@pytest.mark.parametrize("answer", [0.02, 0.3, 0.99])
def test_a_judge_that_fails_releases_nothing_that_its_answer_would_not(opened: Open, answer: float) -> None:
    questions = ("what breed is Brutus?", "Brutus Bernese", "which mountain dog is mine?", "who is Brutus?")
    sound, failing = opened(FakeJudge(lambda _q, _t: answer)), opened(CheckedJudge(FakeJudge(broken)))
    for memory in (sound, failing):
        memory.remember(DOG, subject="ada")
    for question in questions:
        released = [len(one.decide(question, subject="ada").ranked_record_ids) for one in (failing, sound)]
        assert released[0] <= released[1]


def test_too_few_answers_are_a_failure() -> None:
    class Short(FakeJudge):
        def answered(self, question: str, texts: object) -> list[float]:
            return []

    with pytest.raises(JudgeUnavailable) as caught:
        CheckedJudge(Short()).answered("q", ["a"])
    assert caught.value.reason == "wrong_length"


def test_a_late_judge_is_left_behind(opened: Open) -> None:
    late = threading.Event()

    def waits(_question: str, _text: str) -> float:
        late.wait(10)
        return 1.0

    decision = asked(opened(FakeJudge(waits)), deadline_ms=60)
    late.set()
    assert decision.degraded == ("judge_deadline",)
    assert decision.candidates[0].signals["answerable"] == RULE.silent


def test_a_question_in_another_language_is_not_judged(opened: Open) -> None:
    judge = FakeJudge()
    decision = asked(opened(judge), "welche Rasse ist mein Hund Brutus?")
    assert judge.calls == []
    assert decision.calibration_version == STRICT.version
    assert decision.degraded == ()


def test_a_greeting_asks_nobody(opened: Open) -> None:
    judge = FakeJudge()
    asked(opened(judge), "good morning!")
    assert judge.calls == []


def test_no_more_records_are_read_than_the_setting_says(opened: Open) -> None:
    judge = FakeJudge()
    memory = opened(judge, judged_answers=2)
    for at in range(6):
        memory.remember(f"Brutus has a Bernese mountain dog friend number {at}.", subject="ada")
    memory.decide("which Bernese mountain dog friend does Brutus have?", subject="ada")
    assert len(judge.calls[0][1]) == 2
