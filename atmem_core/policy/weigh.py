"""One candidate, weighed: its signals, its relevance, and the class that both and the guards allow.

Rule: only the original query establishes support. How it works: the calibration's thresholds give a class,
and a guard that objects lowers it. Warning: what is decided about a candidate in view of the others
(repeats, drop-off, the limit) is not here but in ``decide``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from atmem_core.policy.calibration import Calibration
from atmem_core.policy.fact_key import key_score, with_key
from atmem_core.policy.guards import objections
from atmem_core.policy.reading import read
from atmem_core.policy.signals import contributions, support_features
from atmem_core.policy.trust import quarantined
from atmem_core.records import (
    SUPPORT_RANK,
    Candidate,
    JudgedCandidate,
    Query,
    Reading,
    ReasonCode,
    Scope,
    SemanticState,
    SupportClass,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that judgement needs besides query and candidates."""

    now: datetime
    scope: Scope
    calibration: Calibration
    semantic: SemanticState | None = None
    semantic_counts: bool = False
    """Are the vectors of a production profile in good health?"""
    failing: bool = False
    """Is there an embedder that gave no vector? Then only what ties with the best is released with it:
    nobody knows what the cosines would have set apart."""
    degraded: tuple[ReasonCode, ...] = ()
    allow_background: bool = False
    max_released: int = 5
    max_listed: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A candidate and its verdict so far."""

    candidate: Candidate
    verdict: JudgedCandidate
    reading: Reading | None = None
    """Read only when words and meaning reached the threshold: reading is what costs."""

    @property
    def order(self) -> tuple[int, float, str, str]:
        """Best first: class, rank score, then content hash, which no insertion order changes."""
        verdict = self.verdict
        return (
            -SUPPORT_RANK[verdict.support_class],
            -verdict.rank_score,
            self.candidate.content_hash,
            verdict.record_id,
        )

    @property
    def is_direct(self) -> bool:
        """Does it stand as direct support so far?"""
        return self.verdict.support_class is SupportClass.DIRECT_SUPPORT

    def lowered(self, reason: ReasonCode, to: SupportClass = SupportClass.BACKGROUND_CONTEXT) -> "Weighed":
        """The same in a lower class."""
        return replace(self, verdict=replace(self.verdict, support_class=to, reason_codes=(reason,)))


def weigh(query: Query, candidates: Sequence[Candidate], situation: Situation) -> list[Weighed]:
    """All candidates, best first."""
    weighed = [_weigh(query, candidate, situation) for candidate in candidates]
    return sorted(weighed, key=lambda one: one.order)


def _weigh(query: Query, candidate: Candidate, situation: Situation) -> Weighed:
    calibration = situation.calibration
    meaning = None if candidate.cosine is None else calibration.meaning(candidate.cosine)
    counts = situation.semantic_counts
    parts = contributions(query, candidate, meaning=meaning, now=situation.now, semantic_counts=counts)
    features = support_features(
        candidate,
        cosine=meaning if counts else None,
        null_cosine=candidate.null_cosine,
        named=bool(query.reading.names),
    )
    relevance = with_key(calibration.relevance(features), key_score(query, candidate.fact))
    support, reasons = _threshold(relevance, calibration)
    reading = None
    if support is not SupportClass.NO_USEFUL_MEMORY and quarantined(candidate):
        support, reasons = SupportClass.NO_USEFUL_MEMORY, (ReasonCode.QUARANTINED,)
    elif support is SupportClass.DIRECT_SUPPORT and candidate.found_by_rewriting:
        support, reasons = not_direct(relevance, calibration), (ReasonCode.FOUND_BY_REWRITING,)
    elif support is SupportClass.DIRECT_SUPPORT:
        reading = read(candidate.text)
        if against := objections(query, candidate, reading):
            support, reasons = not_direct(relevance, calibration), against
    verdict = JudgedCandidate(
        record_id=candidate.record_id,
        support_class=support,
        relevance_score=relevance,
        rank_score=calibration.rank(relevance, parts),
        contributions=parts,
        reason_codes=reasons,
    )
    return Weighed(candidate=candidate, verdict=verdict, reading=reading)


def not_direct(relevance: float, calibration: Calibration) -> SupportClass:
    """The class of a record that a guard or a judge keeps from being direct support."""
    enough = relevance >= calibration.background
    return SupportClass.BACKGROUND_CONTEXT if enough else SupportClass.NO_USEFUL_MEMORY


def _threshold(relevance: float, calibration: Calibration) -> tuple[SupportClass, tuple[ReasonCode, ...]]:
    if relevance >= calibration.direct:
        return SupportClass.DIRECT_SUPPORT, (ReasonCode.DIRECT_THRESHOLD,)
    if relevance >= calibration.background:
        return SupportClass.BACKGROUND_CONTEXT, (ReasonCode.BACKGROUND_THRESHOLD,)
    return SupportClass.NO_USEFUL_MEMORY, (ReasonCode.BELOW_THRESHOLD,)
