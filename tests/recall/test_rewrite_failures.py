"""How a rewriter fails: outcomes without text, a breaker for each session, one warning."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from atmem_core.errors import ChatUnavailable
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.recall.rewrite.conversations import FAILURES, REST
from atmem_core.recall.rewrite.late import Calls
from atmem_core.records import RewriteOutcome, Rewriting
from atmem_core.testing import FakeClock
from atmem_core.testing.chat import ScriptedChatModel
from tests.recall.rewriters import MESSAGE, TAGGED, RaisingModel, StuckModel, ask, outcome


@pytest.fixture
def stuck() -> Iterator[StuckModel]:
    model = StuckModel()
    yield model
    model.let_go.set()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.mark.parametrize(
    ("error", "expected", "reason"),
    [
        (lambda said: ChatUnavailable("status_403", said), RewriteOutcome.FAILED, "status_403"),
        (lambda said: ChatUnavailable("timeout", said), RewriteOutcome.TIMEOUT, "timeout"),
        (ValueError, RewriteOutcome.FAILED, "ValueError"),
    ],
    ids=["refused", "the model's own limit", "anything"],
)
def test_whatever_the_model_raises_is_an_outcome_without_its_text(
    error: Callable[[str], Exception], expected: RewriteOutcome, reason: str
) -> None:
    assert ask(QueryRewriter(RaisingModel(error))) == Rewriting(outcome=expected, reason=reason)


def test_a_reply_in_no_form_is_a_failure() -> None:
    done = ask(QueryRewriter(ScriptedChatModel(["Tom's brother, I think."])))
    assert done == Rewriting(outcome=RewriteOutcome.FAILED, reason="no_answer")


def test_arguments_of_the_wrong_kind_raise_nothing() -> None:
    rewriter = QueryRewriter(ScriptedChatModel([TAGGED]))
    odd: Any = 7
    assert outcome(rewriter, odd) is RewriteOutcome.FAILED
    assert outcome(rewriter, MESSAGE, odd) is RewriteOutcome.FAILED
    assert outcome(rewriter, aborted=odd) is RewriteOutcome.FAILED


def failed_often(rewriter: QueryRewriter, times: int = FAILURES, **changes: Any) -> None:
    for at in range(times):
        assert outcome(rewriter, f"and his {at}?", **changes) is RewriteOutcome.FAILED


def test_after_three_failures_in_a_row_a_session_rests_for_a_while(clock: FakeClock) -> None:
    model = RaisingModel()
    rewriter = QueryRewriter(model, clock=clock)
    failed_often(rewriter)
    model.healthy = True
    assert outcome(rewriter) is RewriteOutcome.SKIPPED_BREAKER_OPEN
    assert model.calls == FAILURES
    clock.advance(REST)
    assert outcome(rewriter) is RewriteOutcome.OK


def test_one_failure_after_the_rest_opens_the_breaker_again(clock: FakeClock) -> None:
    rewriter = QueryRewriter(RaisingModel(), clock=clock)
    failed_often(rewriter)
    clock.advance(REST)
    failed_often(rewriter, 1)
    clock.advance(REST - timedelta(seconds=1))
    assert outcome(rewriter) is RewriteOutcome.SKIPPED_BREAKER_OPEN


def test_an_answer_between_failures_keeps_the_breaker_closed(clock: FakeClock) -> None:
    model = RaisingModel()
    rewriter = QueryRewriter(model, clock=clock)
    for _ in range(3):
        failed_often(rewriter, FAILURES - 1)
        model.healthy = True
        assert outcome(rewriter) is RewriteOutcome.OK
        model.healthy = False
    assert rewriter.warnings == ()


@pytest.mark.parametrize("other", [{"session": "s2"}, {"subject": "bob"}])
def test_a_breaker_belongs_to_one_session_of_one_subject(clock: FakeClock, other: dict[str, Any]) -> None:
    model = RaisingModel()
    rewriter = QueryRewriter(model, clock=clock)
    failed_often(rewriter)
    model.healthy = True
    assert outcome(rewriter, **other) is RewriteOutcome.OK


def test_the_operator_is_warned_once_with_the_setting_and_without_a_text(clock: FakeClock) -> None:
    rewriter = QueryRewriter(RaisingModel(), clock=clock)
    failed_often(rewriter, FAILURES - 1)
    before = rewriter.warnings
    for session in ("s1", "s2", "s3"):
        for at in range(FAILURES):
            ask(rewriter, f"and his {at}?", session=session)
    (warning,) = rewriter.warnings
    assert before == ()
    assert "rewriter_timeout_ms" in warning
    assert not any(text in warning for text in ("his", "Tom", "s1", "ada"))


def test_calls_that_nobody_waits_for_are_bounded(stuck: StuckModel) -> None:
    rewriter = QueryRewriter(stuck, timeout_ms=20)
    rewriter._calls = Calls(2)
    done = [ask(rewriter, session=f"s{at}") for at in range(3)]
    assert [one.outcome for one in done] == [RewriteOutcome.TIMEOUT] * 2 + [RewriteOutcome.FAILED]
    assert done[2].reason == "too_many_calls"
