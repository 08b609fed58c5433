"""A search that asks a judge: for the order of its best hits, and for nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from atmem_core import Memory
from atmem_core.clock import SystemClock
from atmem_core.config import Config, Ranking
from atmem_core.embedding import resolve
from atmem_core.errors import JudgeUnavailable
from atmem_core.policy.calibration import Calibration, JudgeRule
from atmem_core.semantic.calibrations import BUNDLED, load
from atmem_core.store import open_store
from atmem_core.testing.embedders import FakeEmbedder
from atmem_core.testing.judges import FakeJudge

PLAIN = load(BUNDLED)
RULE = JudgeRule(version="fake-1", weight=1.0, bar=-4.0, denied=0.05, agreed=0.06, order=1.0)
NOTES = (
    "The boiler in the cellar is serviced every October.",
    "The boiler in the cellar was made by Worcester.",
    "A boiler burst at work.",
    "Soup is on the boil.",
)
QUESTION = "Which firm made the boiler in the cellar?"


def calibration(identity: object, *, configured: bool, judge: str | None) -> Calibration:
    return replace(PLAIN, direct=0.02, judge=RULE) if judge == "fake-1" else PLAIN


def searched(judge: FakeJudge | None, query: str = QUESTION, **settings: Any) -> list[str]:
    config = replace(Config(judge=False), **settings)
    memory = Memory(
        open_store(":memory:", config=config),
        resolve(FakeEmbedder()),
        config=config,
        clock=SystemClock(),
        judge=judge,
        calibration_for=calibration,
    )
    with memory:
        for text in NOTES:
            memory.remember(text, subject="ada")
        return [hit.record.text for hit in memory.search(query, subject="ada", k=4)]


def says(right: str) -> FakeJudge:
    return FakeJudge(lambda _question, text: 0.95 if right in text else 0.05)


@pytest.mark.parametrize("right", ["October", "Worcester", "work"])
def test_what_the_judge_takes_for_the_answer_comes_first(right: str) -> None:
    assert right in searched(says(right))[0]


def test_only_the_best_few_are_asked_about_in_one_call() -> None:
    judge = says("Worcester")
    searched(judge, searched_answers=2)
    assert [len(texts) for _, texts in judge.calls] == [2]


def test_a_hit_that_was_not_asked_about_never_passes_one_that_was() -> None:
    plain = searched(None)
    never = searched(FakeJudge(lambda _question, _text: 0.03), searched_answers=2)
    assert never == plain


@pytest.mark.parametrize("settings", [{"searched_answers": 0}, {"ranking": Ranking.HYBRID_V1}])
def test_nobody_is_asked_when_it_is_turned_off_or_another_order_is_named(settings: dict[str, Any]) -> None:
    judge = says("Worcester")
    assert searched(judge, **settings) == searched(None, **settings)
    assert judge.calls == []


def test_a_keyword_search_asks_nobody() -> None:
    judge = says("Worcester")
    with Memory(
        open_store(":memory:", config=Config()),
        resolve(FakeEmbedder()),
        config=Config(),
        clock=SystemClock(),
        judge=judge,
        calibration_for=calibration,
    ) as memory:
        memory.remember(NOTES[0], subject="ada")
        assert memory.search("boiler", subject="ada", mode="keyword")
    assert judge.calls == []


def test_a_question_in_another_language_is_not_put_to_it() -> None:
    judge = says("Worcester")
    searched(judge, "Welche Firma hat den Kessel im Keller gebaut?")
    assert judge.calls == []


def test_a_judge_that_fails_leaves_the_order_as_it_was() -> None:
    def failing(_question: str, _text: str) -> float:
        raise JudgeUnavailable("failed", "broken on purpose")

    assert searched(FakeJudge(failing)) == searched(None)


def test_a_weight_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        replace(RULE, order=-0.1)
