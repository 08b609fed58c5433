"""Models that a rewriter may meet, and how a test asks one."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from atmem_core.chat import ChatPrompt, ChatReply
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.records import RewriteOutcome, Rewriting, Spoken

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


def ask(
    rewriter: QueryRewriter,
    message: str = MESSAGE,
    history: Sequence[Spoken] = HISTORY,
    **changes: Any,
) -> Rewriting:
    return rewriter.rewrite(message, history, **{"subject": "ada", "session": "s1", **changes})


def outcome(rewriter: QueryRewriter, *given: Any, **changes: Any) -> RewriteOutcome:
    return ask(rewriter, *given, **changes).outcome
