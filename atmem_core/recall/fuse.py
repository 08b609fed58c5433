"""Ranking for a diagnostic search. It orders; it is no permission to inject.

``hybrid-v1`` is a named rule, kept to the digit: keyword hits are ranked among themselves by BM25 over the
strongest, blended with cosine, and keep their slots; notes found by meaning alone fill the slots left,
best cosine first, at or above the model's floor and close enough to the query's best cosine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridV1:
    """The rule's numbers."""

    keyword_weight: float = 0.5
    vector_weight: float = 0.5
    min_cosine: float = 0.35
    """Least cosine of a note without a shared word; the catalog has it for each model."""
    margin: float = 0.15
    """Most that such a note's cosine may be below the query's best."""


def hybrid_v1(
    keyword: Sequence[tuple[str, float]],
    cosines: Mapping[str, float],
    *,
    k: int,
    rule: HybridV1 | None = None,
) -> list[tuple[str, float]]:
    """Ids with scores, best first, ``k`` at most.

    Args:
        keyword: Id and BM25 of each keyword hit, best first; BM25 above 0, higher is better.
        cosines: Cosine of every eligible note that was scanned, keyword hits included.
        k: Slots, 1 or more.
        rule: The numbers; the defaults when None.
    """
    rule = rule or HybridV1()
    strongest = max((score for _, score in keyword), default=0.0)
    blended = [
        (
            record_id,
            rule.keyword_weight * (score / strongest if strongest > 0 else 1.0)
            + rule.vector_weight * min(1.0, max(0.0, cosines.get(record_id, 0.0))),
        )
        for record_id, score in keyword
    ]
    # Python's sort is stable: equal blends stay in BM25 order.
    slots = sorted(blended, key=lambda pair: -pair[1])[:k]
    free = k - len(slots)
    if free <= 0 or rule.vector_weight == 0 or not cosines:
        return slots
    # The best is over all scanned notes, keyword hits too: beside a near-perfect keyword match a note
    # that is merely related in meaning is a stranger.
    floor = max(rule.min_cosine, max(cosines.values()) - rule.margin)
    hits = {record_id for record_id, _ in keyword}
    alone = [(one, cosine) for one, cosine in cosines.items() if one not in hits and cosine >= floor]
    fill = sorted(alone, key=lambda pair: -pair[1])[:free]
    return [*slots, *((one, rule.vector_weight * cosine) for one, cosine in fill)]
