"""What one threshold over the top relevance score would do, and whether relevance means what it says.

Rule: a score decides alone here; no class, guard or drop-off takes part.
How it works: a threshold is set so that a share of the answerable questions reaches it, then the negatives
that reach it are counted. Ties count for both sides; a question without a candidate reaches nothing.
Warning: the threshold is set on the questions that it is measured on, which flatters it a little.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from atmem_core.policy.metrics import DIGITS, Score, mean

_BINS = 10
_STEPS = 50


def auroc(positives: Sequence[Score], negatives: Sequence[Score]) -> float | None:
    """Chance that a positive scores above a negative, ties counted half; None when one side is empty.

    The Mann-Whitney statistic over the product of the sizes.
    """
    if not positives or not negatives:
        return None
    ordered = sorted([(_low(one), 1) for one in positives] + [(_low(one), 0) for one in negatives])
    won, below, at = 0.0, 0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        tied_positives = sum(side for _, side in ordered[at:end])
        tied_negatives = end - at - tied_positives
        won += tied_positives * (below + tied_negatives / 2)
        below += tied_negatives
        at = end
    return won / (len(positives) * len(negatives))


def passing(scores: Sequence[Score], threshold: float) -> float | None:
    """Share of the scores at or above the threshold."""
    return mean(one is not None and one >= threshold for one in scores)


def threshold_keeping(scores: Sequence[Score], target: float) -> float | None:
    """The highest threshold that ``target`` (0 to 1) of the scores reach.

    The lowest score when fewer than that have one; None when none has.
    """
    found = sorted((one for one in scores if one is not None), reverse=True)
    if not found:
        return None
    needed = max(1, math.ceil(round(target * len(scores), DIGITS)))
    return found[min(needed, len(found)) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One threshold and what it lets through."""

    target: float
    threshold: float | None
    kept: float | None
    """What was reached: above the target when scores tie, below it when too few have a score."""
    false_injection: float | None
    """Share of the negatives at or above the threshold."""


def sweep_point(positives: Sequence[Score], negatives: Sequence[Score], target: float) -> SweepPoint:
    """False injection at the threshold that keeps ``target`` of the positives."""
    threshold = threshold_keeping(positives, target)
    if threshold is None:
        return SweepPoint(target=target, threshold=None, kept=None, false_injection=None)
    return SweepPoint(
        target=target,
        threshold=threshold,
        kept=passing(positives, threshold),
        false_injection=passing(negatives, threshold),
    )


def sweep_curve(
    positives: Sequence[Score], negatives: Sequence[Score], steps: int = _STEPS
) -> list[tuple[float, float]]:
    """(kept, false injection) at thresholds that keep 1/steps, 2/steps ... of the positives."""
    targets = (number / steps for number in range(1, steps + 1))
    points = (sweep_point(positives, negatives, target) for target in targets)
    return [
        (one.kept, one.false_injection)
        for one in points
        if one.kept is not None and one.false_injection is not None
    ]


# -- reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Top candidates whose relevance lies in [low, high); the last bin holds 1 too."""

    low: float
    high: float
    count: int
    relevance: float | None
    """Average relevance in the bin."""
    right: float | None
    """Share that answers."""


def reliability(pairs: Iterable[tuple[float, bool]], bins: int = _BINS) -> list[Bin]:
    """Relevance against observed rightness, in bins of equal width from 0 to 1."""
    boxes: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for score, right in pairs:
        boxes[min(int(score * bins), bins - 1)].append((score, right))
    return [
        Bin(
            low=index / bins,
            high=(index + 1) / bins,
            count=len(box),
            relevance=mean(score for score, _ in box),
            right=mean(right for _, right in box),
        )
        for index, box in enumerate(boxes)
    ]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Average distance of relevance and rightness, weighted by the bins' counts; 0 is best."""
    whole = sum(one.count for one in bins)
    parts = [
        one.count / whole * abs(one.relevance - one.right)
        for one in bins
        if one.relevance is not None and one.right is not None
    ]
    return math.fsum(parts) if parts else None


def _low(score: Score) -> float:
    return -math.inf if score is None else score
