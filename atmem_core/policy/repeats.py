"""Records that say the same again: of equal contents one stays, of two tellings of a statement the newer.

Rule: a repeat is lowered to background, never removed. Warning: two statements about one thing aren't two
tellings of one statement; when in doubt both stay.
"""

from collections.abc import Sequence

from atmem_core.policy.fact_key import same_source
from atmem_core.policy.weigh import Weighed
from atmem_core.records import ReasonCode
from atmem_core.text import overlap

_SAME_STATEMENT = 0.6
"""Least share of stems that two records of one statement have in common (Jaccard)."""


def lower_repeats(ordered: Sequence[Weighed]) -> list[Weighed]:
    """Of equal contents the best stays; of two tellings of one statement the newer."""
    direct = [one for one in ordered if one.is_direct]
    kept: list[Weighed] = []
    for one in ordered:
        reason = _repeats(one, direct) if one.is_direct else None
        kept.append(one if reason is None else one.lowered(reason))
    return kept


def _repeats(one: Weighed, direct: Sequence[Weighed]) -> ReasonCode | None:
    for other in direct:
        if other is one:
            continue
        if same_source(other.candidate, one.candidate):
            # A fact and the note that said it count once, whichever of them is better.
            if other.order < one.order:
                return ReasonCode.DUPLICATE_CONTENT
        elif other.candidate.content_hash == one.candidate.content_hash:
            if other.order < one.order:
                return ReasonCode.DUPLICATE_CONTENT
        elif _newer_telling(other, one):
            return ReasonCode.NEWER_RECORD
    return None


def _newer_telling(new: Weighed, old: Weighed) -> bool:
    """Is ``new`` a later telling of the statement that ``old`` makes, by the same speaker?"""
    if new.reading is None or old.reading is None:
        return False
    later, earlier = new.candidate, old.candidate
    if later.told_at <= earlier.told_at or later.speaker != earlier.speaker:
        return False
    if later.trust < earlier.trust:  # what is less trusted never displaces what is more
        return False
    fresh, stale = new.reading, old.reading
    if overlap(fresh.stems, stale.stems) >= _SAME_STATEMENT and fresh.owned == stale.owned:
        return True
    # "I live in Porto now" after "I live in Lisbon": a change is told, about most of the same words.
    shared = fresh.stems & stale.stems
    return fresh.change and len(shared) >= _SAME_STATEMENT * min(len(stale.stems), len(fresh.stems))
