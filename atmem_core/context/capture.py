"""What of a turn is worth keeping."""

from atmem_core.policy.question import read_query
from atmem_core.records import ReasonCode


def worth_keeping(text: str) -> bool:
    """Does the text tell something? False for small talk, for plain commands, and for a mere question.

    Hosts ask before they capture a turn: a store that keeps every "thanks!" and every question finds
    them again. ``Memory.remember`` itself stores whatever it is given.
    """
    query = read_query(text, max_chars=len(text) + 1)
    return query.refusal not in _TELLS_NOTHING and not query.reading.question


_TELLS_NOTHING = (ReasonCode.SMALL_TALK, ReasonCode.NO_CONTENT, ReasonCode.TASK_COMMAND)
