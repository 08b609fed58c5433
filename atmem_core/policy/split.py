"""A command in pieces: records that are harmless one by one and command the assistant side by side.

Rule: what would be released together is looked at together, and pieces of a command are not released at
all. How it works: the records that may be released are joined, best first and in the order in which they were
told; where that is instruction-shaped, each record without which it isn't is a piece. Warning: pieces that
never meet in one answer are not found.
"""

import re
from collections.abc import Sequence

from atmem_core.policy.weigh import Situation, Weighed
from atmem_core.records import VOUCHED, ReasonCode, SupportClass
from atmem_core.text.instructions import instruction_flags

_FEWEST = 2
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
"""A piece stands after the bait: a sentence that answers, then the end of the text."""


def withhold_pieces(ordered: Sequence[Weighed], situation: Situation) -> list[Weighed]:
    """The records, best first, with the pieces of a command lowered to what is never released."""
    allowed = (SupportClass.DIRECT_SUPPORT, *_background(situation))
    offered = [one for one in ordered if one.verdict.support_class in allowed][: situation.max_released]
    doubted = [one for one in offered if one.candidate.trust < VOUCHED]
    if len(doubted) < _FEWEST:
        return list(ordered)
    by_time = sorted(doubted, key=lambda one: (one.candidate.told_at, one.candidate.content_hash))
    pieces = {id(one) for side_by_side in (doubted, by_time) for one in _pieces(side_by_side)}
    return [
        one.lowered(ReasonCode.SPLIT_INSTRUCTION, SupportClass.NO_USEFUL_MEMORY) if id(one) in pieces else one
        for one in ordered
    ]


def pieces_beside(shown: Sequence[str], unjudged: Sequence[str]) -> frozenset[int]:
    """Which of the texts that nobody judged make a command with what stands beside them.

    Args:
        shown: Texts that a decision released.
        unjudged: Texts that would stand beside them, in their order.

    Returns:
        Places in ``unjudged`` to leave out; none as a rule, which costs one look.
    """
    if not _joined_commands([*shown, *unjudged]):
        return frozenset()
    kept: list[str] = [] if _joined_commands(shown) else list(shown)
    left_out: set[int] = set()
    for place, text in enumerate(unjudged):
        if _joined_commands([*kept, text]):
            left_out.add(place)
        else:
            kept.append(text)
    return frozenset(left_out)


def _background(situation: Situation) -> tuple[SupportClass, ...]:
    return (SupportClass.BACKGROUND_CONTEXT,) if situation.allow_background else ()


def _pieces(side_by_side: Sequence[Weighed]) -> list[Weighed]:
    """Those without which the whole commands nothing; all, where no single one is needed."""
    if not _commands(side_by_side):
        return []
    alone = [one for one in side_by_side if _commands([one])]
    others = [one for one in side_by_side if one not in alone]
    if alone and not _commands(others):
        return []  # one record commands by itself, which is judged elsewhere
    needed = [one for one in others if not _commands([two for two in others if two is not one])]
    return needed or others


def _commands(records: Sequence[Weighed]) -> bool:
    return _joined_commands([one.candidate.text.strip() for one in records])


def _joined_commands(texts: Sequence[str]) -> bool:
    if not texts:
        return False
    if instruction_flags(" ".join(texts)):
        return True
    ends = " ".join(_SENTENCE_END.split(text)[-1] for text in texts)
    return len(texts) > 1 and bool(instruction_flags(ends))
