"""How large a context may be: budgets that are set, ceilings that aren't.

A budget is in tokens, by a counter that a host may bring along. The ceilings hold whatever is set and
whatever a counter says: a counter that answers 0 must not fill a prompt.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from atmem_core.config import Config
from atmem_core.recall.render import estimate_tokens
from atmem_core.records import Channel

TokenCounter = Callable[[str], int]
"""Gives the size of a text in tokens, 0 or more. Called in the thread of the read: be quick."""

MOST_BLOCK_TOKENS = 8_000
"""Of all channels together, by the built-in estimate too."""
MOST_BLOCK_CHARS = 32_000
MOST_ENTRIES = 100
"""Of one channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Most tokens of the whole block and of each channel; 0 switches a channel off."""

    block: int
    channels: Mapping[Channel, int]


def budgets_of(config: Config, budget_tokens: int | None) -> Budgets:
    """What is set, or what a caller asks for of the whole, under the ceiling."""
    block = config.budget_tokens if budget_tokens is None else budget_tokens
    return Budgets(
        block=min(block, MOST_BLOCK_TOKENS),
        channels={
            Channel.MEMORY_INDEX: config.index_tokens,
            Channel.RECALLED: config.recalled_tokens,
            Channel.PROFILE: config.profile_tokens,
            Channel.LESSONS: config.lessons_tokens,
            Channel.PROCEDURES: config.procedures_tokens,
        },
    )


class Sizing:
    """Counts the tokens of texts for one block; when a host's counter fails the built-in one goes on."""

    def __init__(self, counter: TokenCounter | None) -> None:
        self._counter = counter
        self.failed = False
        """Did the host's counter fail?"""

    def __call__(self, text: str) -> int:
        """Tokens, rounded up."""
        if self._counter is None or self.failed:
            return estimate_tokens(text)
        try:
            size = self._counter(text)
        except Exception:  # noqa: BLE001 - a host's code; its fault is named in the result
            size = None
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            self.failed = True
            return estimate_tokens(text)
        return size


def within_ceiling(text: str) -> bool:
    """May a block be as large as this, whatever is set?"""
    return len(text) <= MOST_BLOCK_CHARS and estimate_tokens(text) <= MOST_BLOCK_TOKENS
