"""A rewriter's refused call leaves the turn's own provider alone."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from atmem_core.chat import ChatMessage, ChatModel, ChatPrompt, ChatReply, OpenAIChatModel
from atmem_core.errors import ChatUnavailable
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.records import RewriteOutcome, Rewriting, Spoken
from tests.chat.server import StandIn, said, standing_in

TAGGED = "<rewritten_query>the phone number of Tom's brother</rewritten_query>"
HISTORY = (Spoken(role="user", text="Tom has a brother."),)
MAIN = "You are the host's assistant."


class StickyProviders:
    """Asks the provider that answered a session last; one that refuses is left for good in that session."""

    name = "sticky providers"

    def __init__(self, providers: Sequence[ChatModel]) -> None:
        self._providers = providers
        self._serving: dict[str | None, int] = {}

    def serving(self, session: str) -> int:
        return self._serving.get(session, 0)

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        for at in range(self._serving.get(prompt.session, 0), len(self._providers)):
            self._serving[prompt.session] = at
            try:
                return self._providers[at].complete(prompt)
            except ChatUnavailable as error:
                refused = error
        raise refused


def is_no_main_call(body: dict[str, Any]) -> bool:
    return bool(body["messages"][0]["content"] != MAIN)


@pytest.fixture
def first() -> Iterator[StandIn]:
    with standing_in(said("Main, from the first.")) as stand_in:
        stand_in.refuses = is_no_main_call
        yield stand_in


@pytest.fixture
def second() -> Iterator[StandIn]:
    with standing_in(said(TAGGED)) as stand_in:
        yield stand_in


def reached(*servers: StandIn) -> StickyProviders:
    return StickyProviders([OpenAIChatModel("tiny", base_url=one.url, tries=1) for one in servers])


def main_turn(model: ChatModel) -> str:
    said = (ChatMessage(role="system", content=MAIN), ChatMessage(role="user", content="Hello"))
    return model.complete(ChatPrompt(messages=said, session="s1")).text


def rewritten(model: ChatModel, message: str = "and his?") -> Rewriting:
    return QueryRewriter(model).rewrite(message, HISTORY, subject="ada", session="s1")


def test_a_refused_call_moves_the_rewriter_alone_to_another_provider(first: StandIn, second: StandIn) -> None:
    shared = reached(first, second)
    assert main_turn(shared) == "Main, from the first."
    assert rewritten(shared).outcome is RewriteOutcome.OK  # refused by the first, answered by the second
    assert main_turn(shared) == "Main, from the first."
    assert (shared.serving("s1"), shared.serving("rewriter:s1")) == (0, 1)
    assert [is_no_main_call(body) for body in first.bodies] == [False, True, False]


def test_refused_calls_open_the_rewriters_breaker_and_no_other(first: StandIn) -> None:
    shared = reached(first)
    rewriter = QueryRewriter(shared)
    outcomes = []
    for at in range(4):
        assert main_turn(shared) == "Main, from the first."
        outcomes.append(rewriter.rewrite(f"and his {at}?", HISTORY, subject="ada", session="s1"))
    assert [one.reason for one in outcomes[:3]] == ["status_403"] * 3
    assert outcomes[3].outcome is RewriteOutcome.SKIPPED_BREAKER_OPEN
    assert sum(map(is_no_main_call, first.bodies)) == 3


def test_under_the_turns_own_session_the_main_provider_would_move(first: StandIn, second: StandIn) -> None:
    # What the prefix is for: the same refused call under the turn's session takes the turn along.
    shared = reached(first, second)
    shared.complete(ChatPrompt(messages=(ChatMessage(role="user", content="side call"),), session="s1"))
    assert main_turn(shared) == TAGGED
    assert shared.serving("s1") == 1


def test_no_session_is_sent_to_a_server(second: StandIn) -> None:
    rewritten(OpenAIChatModel("tiny", base_url=second.url))
    (body,) = second.bodies
    assert "s1" not in str(body)
    assert body.keys() == {"model", "messages", "max_tokens", "temperature", "stream"}
