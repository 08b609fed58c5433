"""A query that was made whole from what was said before, and what became of the attempt."""

from dataclasses import dataclass
from enum import StrEnum


class RewriteGate(StrEnum):
    """When a message is thought to need what was said before it."""

    HEURISTIC = "heuristic"
    """Short and without a question word, with a pronoun, or beginning with a conjunction."""
    EMBEDDING = "embedding"
    """Near enough in meaning to one of some exemplars."""
    ALWAYS = "always"


class RewriteOutcome(StrEnum):
    """What became of one message. All but ``ok`` leave the message as it is."""

    OK = "ok"
    SELF_CONTAINED = "self_contained"
    """The model found nothing to resolve."""
    SKIPPED_OFF = "skipped_off"
    SKIPPED_NO_MODEL = "skipped_no_model"
    SKIPPED_EMPTY = "skipped_empty"
    SKIPPED_NO_HISTORY = "skipped_no_history"
    SKIPPED_NOT_REFERENTIAL = "skipped_not_referential"
    SKIPPED_BREAKER_OPEN = "skipped_breaker_open"
    """The last calls failed; none is made for a while."""
    ABORTED = "aborted"
    TIMEOUT = "timeout"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One message of the conversation before, as the rewriter reads it."""

    role: str
    """``user`` or ``assistant``; others are passed over."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """A message, and what finds candidates for it."""

    outcome: RewriteOutcome
    query: str | None = None
    """With ``ok``: what finds further candidates. It establishes no support. None: the message alone."""
    reason: str = ""
    """One word more, such as a failure's; never text of a message."""
    remembered: bool = False
    """Was this turn's message rewritten before? Then no model was asked."""

    @property
    def asked(self) -> bool:
        """Was a model asked, now or when this was remembered?"""
        return not self.outcome.value.startswith("skipped")

    @property
    def failed(self) -> bool:
        """Should a model have answered, and did not?"""
        return self.outcome in {
            RewriteOutcome.TIMEOUT,
            RewriteOutcome.FAILED,
            RewriteOutcome.SKIPPED_BREAKER_OPEN,
        }
