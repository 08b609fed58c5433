"""What stands in a context without a judgement, against what may not stand there. Pure.

Left out is what would make a command with its neighbours, and what the user just asked to forget.
"""

from collections.abc import Mapping, Sequence

from atmem_core.context.assembly import PLACEMENTS, Offered
from atmem_core.policy.forgetting import asks_to_forget
from atmem_core.policy.question import read_query
from atmem_core.policy.split import pieces_beside
from atmem_core.records import VOUCHED, Channel, Note, ShownFor
from atmem_core.text import STEMS, tokenise

_JUDGED = (ShownFor.DIRECT_SUPPORT, ShownFor.BACKGROUND_CONTEXT)
Offers = Mapping[Channel, Sequence[Offered]]


def fit_to_stand(
    message: str, released: Sequence[Note], offers: Offers, held: tuple[str, ...]
) -> tuple[Offers, tuple[str, ...]]:
    """The offers without what may not stand there; and ``held``, with what waits for a person's word.

    Args:
        message: What the user said.
        released: The released records.
        offers: Of each channel.
        held: Ids that are held back already.
    """
    forget = _named(message) if asks_to_forget(message) else frozenset()
    kept = {channel: [one for one in some if not _names(one, forget)] for channel, some in offers.items()}
    unjudged = [
        one
        for channel in PLACEMENTS
        for one in _as_written(channel, kept.get(channel, ()))
        if one.shown_for not in _JUDGED and not one.vouched
    ]
    beside = [note.text for note in released if note.trust < VOUCHED]
    left_out = _pieces(beside, unjudged)
    fit = {channel: [one for one in some if one.record_id not in left_out] for channel, some in kept.items()}
    return fit, (*held, *sorted(left_out))


def _as_written(channel: Channel, offers: Sequence[Offered]) -> Sequence[Offered]:
    """In the order in which a model reads them: the index is written oldest first."""
    if channel is not Channel.MEMORY_INDEX:
        return offers
    return sorted(offers, key=lambda one: (one.told, one.record_id))


def _pieces(beside: Sequence[str], unjudged: Sequence[Offered]) -> set[str]:
    """Ids of the records that make a command with those before them."""
    places = pieces_beside(beside, [_said(one) for one in unjudged])
    return {unjudged[place].record_id for place in places}


def _named(message: str) -> frozenset[str]:
    """Stems of what the message names."""
    return frozenset(term.stem for term in read_query(message, max_chars=len(message) + 1).terms)


def _names(one: Offered, stems: frozenset[str]) -> bool:
    return bool(stems) and not stems.isdisjoint(STEMS[token.word] for token in tokenise(_said(one)))


def _said(one: Offered) -> str:
    """The text behind the head of its fullest line."""
    return one.lines[0].partition("] ")[2]
