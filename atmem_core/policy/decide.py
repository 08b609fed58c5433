"""Signals to decision: the rule table.

Rule: only the original query establishes support; priors order; every step after the thresholds can only
lower a class. How it works, in order:

| step | what it does |
|---|---|
| refuse | small talk, commands and queries without content get no_useful_memory before anything is read |
| relevance | support signals through the calibration's logistic; rounded to 6 digits |
| threshold | direct, background or neither |
| objections | a guard that objects lowers direct to background |
| repeats | the same content, or an older record of the same statement, is lowered to background |
| drop-off | a record far below the best direct one is lowered to background |
| release | direct records, best first, up to the limit; background only when allowed |

Warning: candidates are judged before they are cut to k; a cut before judgement would let a repeat push
out an answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from atmem_core.policy.calibration import Calibration, log_odds
from atmem_core.policy.fact_key import key_score, same_source, with_key
from atmem_core.policy.guards import objections
from atmem_core.policy.reading import read
from atmem_core.policy.signals import contributions, prior, support_features
from atmem_core.records import (
    SUPPORT_RANK,
    Candidate,
    Decision,
    JudgedCandidate,
    Query,
    Reading,
    ReasonCode,
    Scope,
    SemanticState,
    SupportClass,
)
from atmem_core.text import digest, overlap

POLICY_VERSION = "1"
_SAME_STATEMENT = 0.6
"""Least share of stems that two records of one statement have in common (Jaccard)."""


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
class _Judged:
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


def decide(query: Query, candidates: Sequence[Candidate], situation: Situation) -> Decision:
    """The decision on one query. Pure: same values in, same values out."""
    if query.refusal is not None:
        return _decision(query, (), situation, (query.refusal,))
    judged = [_judge(query, candidate, situation) for candidate in candidates]
    judged = _lower_repeats(sorted(judged, key=lambda one: one.order))
    judged = sorted(_drop_tail(judged, situation), key=lambda one: one.order)
    verdicts = tuple(one.verdict for one in judged)
    reasons = () if verdicts else (ReasonCode.NO_CANDIDATES,)
    return _decision(query, verdicts, situation, reasons)


def _judge(query: Query, candidate: Candidate, situation: Situation) -> _Judged:
    calibration = situation.calibration
    parts = contributions(query, candidate, now=situation.now, semantic_counts=situation.semantic_counts)
    cosine = candidate.cosine if situation.semantic_counts else None
    features = support_features(
        candidate,
        cosine=cosine,
        null_cosine=candidate.null_cosine,
        named=bool(query.reading.names),
    )
    relevance = with_key(calibration.relevance(features), key_score(query, candidate.fact))
    support, reasons = _threshold(relevance, calibration)
    reading = None
    if support is SupportClass.DIRECT_SUPPORT:
        reading = read(candidate.text)
        if against := objections(query, candidate, reading):
            support, reasons = SupportClass.BACKGROUND_CONTEXT, against
    verdict = JudgedCandidate(
        record_id=candidate.record_id,
        support_class=support,
        relevance_score=relevance,
        rank_score=round(relevance + prior(parts), 6),
        contributions=parts,
        reason_codes=reasons,
    )
    return _Judged(candidate=candidate, verdict=verdict, reading=reading)


def _threshold(relevance: float, calibration: Calibration) -> tuple[SupportClass, tuple[ReasonCode, ...]]:
    if relevance >= calibration.direct:
        return SupportClass.DIRECT_SUPPORT, (ReasonCode.DIRECT_THRESHOLD,)
    if relevance >= calibration.background:
        return SupportClass.BACKGROUND_CONTEXT, (ReasonCode.BACKGROUND_THRESHOLD,)
    return SupportClass.NO_USEFUL_MEMORY, (ReasonCode.BELOW_THRESHOLD,)


def _lower(one: _Judged, reason: ReasonCode) -> _Judged:
    verdict = replace(
        one.verdict,
        support_class=SupportClass.BACKGROUND_CONTEXT,
        reason_codes=(reason,),
    )
    return replace(one, verdict=verdict)


def _is_direct(one: _Judged) -> bool:
    return one.verdict.support_class is SupportClass.DIRECT_SUPPORT


def _lower_repeats(ordered: Sequence[_Judged]) -> list[_Judged]:
    """Of equal contents the best stays; of two tellings of one statement the newer."""
    direct = [one for one in ordered if _is_direct(one)]
    kept: list[_Judged] = []
    for one in ordered:
        reason = _repeats(one, direct) if _is_direct(one) else None
        kept.append(one if reason is None else _lower(one, reason))
    return kept


def _repeats(one: _Judged, direct: Sequence[_Judged]) -> ReasonCode | None:
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


def _newer_telling(new: _Judged, old: _Judged) -> bool:
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


def _drop_tail(ordered: Sequence[_Judged], situation: Situation) -> list[_Judged]:
    """Direct records whose log odds are more than ``drop_off`` below the best direct one's."""
    best = max((one.verdict.relevance_score for one in ordered if _is_direct(one)), default=0.0)
    floor = log_odds(best) - (0.0 if situation.failing else situation.calibration.drop_off)
    return [
        _lower(one, ReasonCode.BELOW_DROP_OFF)
        if _is_direct(one) and log_odds(one.verdict.relevance_score) < floor
        else one
        for one in ordered
    ]


def _decision(
    query: Query,
    verdicts: tuple[JudgedCandidate, ...],
    situation: Situation,
    reasons: tuple[ReasonCode, ...],
) -> Decision:
    support = verdicts[0].support_class if verdicts else SupportClass.NO_USEFUL_MEMORY
    released = _release(verdicts, situation)
    if query.cut:
        reasons = (*reasons, ReasonCode.QUERY_CUT)
    decision = Decision(
        decision_id="",
        decided_at=situation.now,
        query_sha256=query.sha256,
        scope=situation.scope,
        support_class=support,
        ranked_record_ids=released,
        candidates=verdicts[: situation.max_listed],
        reason_codes=reasons or _why(verdicts, released),
        policy_version=POLICY_VERSION,
        calibration_version=situation.calibration.version,
        thresholds={
            "direct": situation.calibration.direct,
            "background": situation.calibration.background,
            "drop_off": situation.calibration.drop_off,
        },
        semantic=situation.semantic,
        degraded=situation.degraded,
        withheld=_withheld(verdicts, released),
    )
    return replace(decision, decision_id="d" + digest(decision.to_json())[:24])


def _release(verdicts: Sequence[JudgedCandidate], situation: Situation) -> tuple[str, ...]:
    allowed = {SupportClass.DIRECT_SUPPORT}
    if situation.allow_background:
        allowed.add(SupportClass.BACKGROUND_CONTEXT)
    ids = [verdict.record_id for verdict in verdicts if verdict.support_class in allowed]
    return tuple(ids[: situation.max_released])


def _why(verdicts: Sequence[JudgedCandidate], released: Sequence[str]) -> tuple[ReasonCode, ...]:
    """The reasons of the best candidate, and whether the limit cut."""
    direct = sum(verdict.support_class is SupportClass.DIRECT_SUPPORT for verdict in verdicts)
    limit = (ReasonCode.OVER_RECORD_LIMIT,) if direct > len(released) else ()
    return (*verdicts[0].reason_codes, *limit)


def _withheld(verdicts: Sequence[JudgedCandidate], released: Sequence[str]) -> Mapping[str, int]:
    out = set(released)
    counts = dict.fromkeys((support.value for support in SupportClass), 0)
    for verdict in verdicts:
        if verdict.record_id not in out:
            counts[verdict.support_class.value] += 1
    return counts
