"""The rewriter: when it asks, what it reads and remembers, and how long it waits."""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from atmem_core.errors import InvalidInput
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.recall.rewrite.conversations import MOST
from atmem_core.records import RewriteGate, RewriteOutcome, Rewriting, Spoken
from atmem_core.testing.chat import ScriptedChatModel
from tests.recall.rewriters import HISTORY, MESSAGE, QUERY, TAGGED, RaisingModel, StuckModel, ask, outcome


@pytest.fixture
def stuck() -> Iterator[StuckModel]:
    model = StuckModel()
    yield model
    model.let_go.set()


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


# what it is made of


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
