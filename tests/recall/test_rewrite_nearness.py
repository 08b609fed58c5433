"""The embedding gate: near to an exemplar, or closed."""

from typing import Any

import pytest

from atmem_core.errors import EmbeddingUnavailable
from atmem_core.recall.rewrite import EXEMPLARS, QueryRewriter
from atmem_core.records import EmbedPurpose, RewriteGate, RewriteOutcome, Rewriting, Spoken
from atmem_core.testing import BrokenEmbedder, FakeEmbedder, Fault
from atmem_core.testing.chat import ScriptedChatModel

HISTORY = (Spoken(role="user", text="Tom has a brother."),)
TAGGED = "<rewritten_query>the phone number of Tom's brother</rewritten_query>"
# Cosines to the one exemplar: 0.65 and a little less.
VECTORS = {
    "and his?": (1.0, 0.0),
    "near": (0.65, 0.75993421),
    "far": (0.64, 0.76837490),
}


def rewriter(embedder: Any, **changes: Any) -> QueryRewriter:
    settings = {"exemplars": ("and his?",), "timeout_ms": 2_000, **changes}
    return QueryRewriter(
        ScriptedChatModel([TAGGED]), gate=RewriteGate.EMBEDDING, embedder=embedder, **settings
    )


def ask(one: QueryRewriter, message: str) -> Rewriting:
    return one.rewrite(message, HISTORY, subject="ada", session="s1")


def test_it_opens_at_the_threshold_and_not_below() -> None:
    one = rewriter(FakeEmbedder(VECTORS), threshold=0.6499999)
    assert ask(one, "near").outcome is RewriteOutcome.OK
    assert ask(one, "far") == Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL)


def test_the_nearest_exemplar_counts() -> None:
    vectors = {"one": (0.0, 1.0), "two": (1.0, 0.0), "said": (1.0, 0.1)}
    assert ask(rewriter(FakeEmbedder(vectors), exemplars=("one", "two")), "said").outcome is RewriteOutcome.OK


def test_exemplars_are_embedded_once_and_everything_for_similarity() -> None:
    embedder = FakeEmbedder(VECTORS)
    one = rewriter(embedder)
    assert embedder.calls == []  # nothing before the first message
    for message in ("near", "far"):
        ask(one, message)
    assert [call.texts for call in embedder.calls] == [("and his?",), ("near",), ("far",)]
    assert {call.purpose for call in embedder.calls} == {EmbedPurpose.SIMILARITY}


def test_a_message_asked_about_again_is_not_embedded_again() -> None:
    embedder = FakeEmbedder(VECTORS)
    one = rewriter(embedder)
    ask(one, "far")
    assert ask(one, "far").remembered
    assert len(embedder.calls) == 2


@pytest.mark.parametrize(
    "fault", [Fault.RAISES, Fault.TIMES_OUT, Fault.NOT_FINITE, Fault.WRONG_LENGTH], ids=str
)
def test_an_embedder_that_fails_keeps_it_closed(fault: Fault) -> None:
    one = rewriter(BrokenEmbedder(fault, healthy=FakeEmbedder(VECTORS)))
    done = ask(one, "near")
    assert done == Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL, reason="gate_unavailable")


def test_an_embedder_that_hangs_is_left_behind_and_named() -> None:
    with BrokenEmbedder(Fault.HANGS) as embedder:
        done = ask(rewriter(embedder, timeout_ms=50), "near")
    assert done == Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL, reason="gate_unavailable")


def test_without_an_embedder_it_stays_closed_and_says_so() -> None:
    done = ask(rewriter(None), "near")
    assert done == Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL, reason="gate_unavailable")


@pytest.mark.parametrize("fault", [Fault.RAISES, Fault.NOT_FINITE, Fault.WRONG_LENGTH], ids=str)
def test_exemplars_that_failed_are_tried_again(fault: Fault) -> None:
    embedder = BrokenEmbedder(fault, healthy=FakeEmbedder(VECTORS))
    one = rewriter(embedder)
    assert ask(one, "far").reason == "gate_unavailable"
    embedder.fault = None
    assert ask(one, "near").outcome is RewriteOutcome.OK


def test_a_turn_that_is_given_up_embeds_nothing() -> None:
    embedder = FakeEmbedder(VECTORS)
    done = rewriter(embedder).rewrite("near", HISTORY, subject="ada", session="s1", aborted=lambda: True)
    assert (done.outcome, embedder.calls) == (RewriteOutcome.ABORTED, [])


def test_the_exemplars_that_ship_are_nineteen_different_ones() -> None:
    assert len(set(EXEMPLARS)) == len(EXEMPLARS) == 19


def test_no_embedder_is_an_error_of_its_own() -> None:
    with pytest.raises(EmbeddingUnavailable):
        rewriter(None)._nearness.reaches("near")
