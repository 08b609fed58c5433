"""The rewriter: when it asks, what it remembers, when it rests, and that it never stands in a turn's way."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from atmem_core.chat import ChatPrompt, ChatReply
from atmem_core.errors import ChatUnavailable, InvalidInput
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.recall.rewrite.conversations import FAILURES, MOST, REST
from atmem_core.recall.rewrite.late import Calls
from atmem_core.records import RewriteGate, RewriteOutcome, Rewriting, Spoken
from atmem_core.testing import FakeClock
from atmem_core.testing.chat import ScriptedChatModel

MESSAGE = "what about his?"
QUERY = "What is the phone number of Tom's brother?"
TAGGED = f"<rewritten_query>{QUERY}</rewritten_query>"
HISTORY = (
    Spoken(role="user", text="What is Tom's phone number?"),
    Spoken(role="assistant", text="It ends in 44. Tom has a brother too."),
)


class StuckModel:
    """Says nothing until it is let go."""

    name = "stuck"

    def __init__(self) -> None:
        self.entered, self.let_go, self.answered = (threading.Event() for _ in range(3))

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        self.entered.set()
        self.let_go.wait()
        self.answered.set()
        return ChatReply(text=TAGGED)


class RaisingModel:
    """Raises, quoting the prompt as careless libraries do, until ``healthy``."""

    name = "raising"

    def __init__(self, error: Callable[[str], Exception] = RuntimeError) -> None:
        self._error = error
        self.healthy = False
        self.calls = 0

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        self.calls += 1
        if self.healthy:
            return ChatReply(text=TAGGED)
        raise self._error(prompt.messages[1].content)


@pytest.fixture
def stuck() -> Iterator[StuckModel]:
    model = StuckModel()
    yield model
    model.let_go.set()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def ask(
    rewriter: QueryRewriter,
    message: str = MESSAGE,
    history: Sequence[Spoken] = HISTORY,
    **changes: Any,
) -> Rewriting:
    return rewriter.rewrite(message, history, **{"subject": "ada", "session": "s1", **changes})


def outcome(rewriter: QueryRewriter, *given: Any, **changes: Any) -> RewriteOutcome:
    return ask(rewriter, *given, **changes).outcome


# when it asks


def test_a_message_that_points_back_is_made_whole() -> None:
    done = ask(QueryRewriter(ScriptedChatModel([TAGGED])))
    assert done == Rewriting(outcome=RewriteOutcome.OK, query=QUERY)


def test_without_a_model_it_is_skipped_and_says_so() -> None:
    assert outcome(QueryRewriter(None)) is RewriteOutcome.SKIPPED_NO_MODEL


@pytest.mark.parametrize("message", ["", " \n", None])
def test_an_empty_message_is_skipped(message: Any) -> None:
    model = ScriptedChatModel([TAGGED])
    assert outcome(QueryRewriter(model), message) is RewriteOutcome.SKIPPED_EMPTY
    assert model.prompts == []


@pytest.mark.parametrize(
    "history", [(), (Spoken(role="tool", text="It rains."),), (Spoken(role="user", text=" "),)]
)
def test_without_a_word_before_there_is_nothing_to_resolve(history: Sequence[Spoken]) -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model, gate=RewriteGate.ALWAYS)
    assert outcome(rewriter, MESSAGE, history) is RewriteOutcome.SKIPPED_NO_HISTORY
    assert model.prompts == []


def test_a_message_that_stands_alone_costs_no_call() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    assert outcome(rewriter, "what is FTS5?") is RewriteOutcome.SKIPPED_NOT_REFERENTIAL
    assert model.prompts == []


def test_the_gate_always_asks_about_it_too() -> None:
    rewriter = QueryRewriter(ScriptedChatModel([TAGGED]), gate=RewriteGate.ALWAYS)
    assert outcome(rewriter, "what is FTS5?") is RewriteOutcome.OK


@pytest.mark.parametrize("reply", [MESSAGE, f"  {MESSAGE}\t", "NONE", ""])
def test_an_echo_and_none_are_nothing_to_resolve(reply: str) -> None:
    rewriter = QueryRewriter(ScriptedChatModel([f"<rewritten_query>{reply}</rewritten_query>"]))
    assert ask(rewriter) == Rewriting(outcome=RewriteOutcome.SELF_CONTAINED)


# what it reads


def test_three_pairs_are_read_and_no_other_role() -> None:
    model = ScriptedChatModel([TAGGED])
    history = [
        Spoken(role=role, text=f"{role} {at}")
        for at in range(1, 5)
        for role in ("user", "tool", "assistant", "system")
    ]
    ask(QueryRewriter(model), MESSAGE, history)
    shown = model.prompts[0].messages[1].content.split("\n")
    assert shown[1:7] == [
        f"{role.upper()}: {role} {at}" for at in range(2, 5) for role in ("user", "assistant")
    ]


def test_the_calls_bear_a_session_of_their_own() -> None:
    model = ScriptedChatModel([TAGGED])
    ask(QueryRewriter(model), session="s1")
    ask(QueryRewriter(model), session=None)
    assert [one.session for one in model.prompts] == ["rewriter:s1", "rewriter:"]


# what it remembers


def test_a_turn_is_asked_about_once() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    first, second = ask(rewriter), ask(rewriter)
    assert len(model.prompts) == 1
    assert (first.remembered, second.remembered, second.query) == (False, True, QUERY)
    assert rewriter.counts == {RewriteOutcome.OK: 1}


def test_only_the_latest_message_is_remembered() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    for message in (MESSAGE, "and hers?", MESSAGE):
        ask(rewriter, message)
    assert len(model.prompts) == 3


@pytest.mark.parametrize(
    "history",
    [
        (*HISTORY, Spoken(role="user", text="Thanks.")),
        (Spoken(role="assistant", text=HISTORY[0].text), HISTORY[1]),
        (Spoken(role="user", text=HISTORY[0].text + HISTORY[1].text),),
    ],
    ids=["one more", "another role", "joined"],
)
def test_another_history_is_another_key(history: Sequence[Spoken]) -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    ask(rewriter)
    ask(rewriter, MESSAGE, history)
    assert len(model.prompts) == 2


@pytest.mark.parametrize("other", [{"subject": "bob"}, {"session": "s2"}, {"session": None}])
def test_nothing_is_remembered_across_subjects_and_sessions(other: dict[str, Any]) -> None:
    model = ScriptedChatModel([TAGGED, "NONE"])
    rewriter = QueryRewriter(model)
    ask(rewriter)
    assert ask(rewriter, **other).query is None
    assert ask(rewriter).remembered


def test_a_failure_is_remembered_too() -> None:
    model = RaisingModel()
    rewriter = QueryRewriter(model)
    first, second = ask(rewriter), ask(rewriter)
    assert (first.outcome, second.outcome) == (RewriteOutcome.FAILED, RewriteOutcome.FAILED)
    assert (second.remembered, model.calls) == (True, 1)


def test_the_session_not_used_for_longest_gives_way() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    for at in range(MOST):
        ask(rewriter, session=f"s{at}")
    assert ask(rewriter, session="s0").remembered  # used again, so that s1 is the oldest
    ask(rewriter, session="one more")
    assert len(rewriter._conversations) == MOST
    assert ask(rewriter, session="s0").remembered
    assert not ask(rewriter, session="s1").remembered


def test_one_message_from_many_threads_is_sent_once() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    begin, found = threading.Barrier(8), []

    def work() -> None:
        begin.wait()
        found.append(ask(rewriter))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(model.prompts) == 1
    assert [one.query for one in found] == [QUERY] * 8


# how long it waits


def test_a_late_answer_is_left_behind_and_the_timeout_remembered(stuck: StuckModel) -> None:
    rewriter = QueryRewriter(stuck, timeout_ms=60)
    begun = time.monotonic()
    assert outcome(rewriter) is RewriteOutcome.TIMEOUT
    assert time.monotonic() - begun < 5
    stuck.let_go.set()
    assert stuck.answered.wait(timeout=20)  # it ran on by itself
    again = ask(rewriter)
    assert (again.outcome, again.remembered) == (RewriteOutcome.TIMEOUT, True)


def test_a_second_thread_waits_no_longer_than_its_own_limit(stuck: StuckModel) -> None:
    rewriter = QueryRewriter(stuck, timeout_ms=400)
    first = threading.Thread(target=ask, args=(rewriter,))
    first.start()
    assert stuck.entered.wait(timeout=20)
    begun = time.monotonic()
    assert outcome(rewriter) is RewriteOutcome.TIMEOUT
    assert time.monotonic() - begun < 5
    first.join()


def test_an_aborted_call_is_left_at_once_and_not_remembered(stuck: StuckModel) -> None:
    rewriter = QueryRewriter(stuck, timeout_ms=60_000)
    assert outcome(rewriter, aborted=stuck.entered.is_set) is RewriteOutcome.ABORTED
    stuck.let_go.set()
    again = ask(rewriter)
    assert (again.outcome, again.remembered) == (RewriteOutcome.OK, False)


def test_an_answer_that_comes_with_the_abort_is_not_remembered() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    ask(rewriter, aborted=lambda: bool(model.prompts))
    assert not ask(rewriter).remembered


def test_a_turn_that_is_given_up_already_costs_no_call() -> None:
    model = ScriptedChatModel([TAGGED])
    rewriter = QueryRewriter(model)
    assert outcome(rewriter, aborted=lambda: True) is RewriteOutcome.ABORTED
    assert model.prompts == []


# how it fails


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"gate": "heuristic"},
        {"timeout_ms": 0},
        {"history_turns": 0},
        {"threshold": 1.5},
        {"exemplars": ()},
        {"exemplars": "one text"},
    ],
)
def test_an_argument_that_cannot_work_is_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        QueryRewriter(None, **wrong)
