"""Signals to decision: the rule table.

Rule: only the original query establishes support; priors order; every step after the thresholds can only
lower a class. How it works, in order:

| step | what it does |
|---|---|
| refuse | small talk, commands and queries without content get no_useful_memory before anything is read |
| relevance | support signals through the calibration's logistic; rounded to 6 digits |
| threshold | direct, background or neither |
| quarantine | what commands its reader and isn't the user's own is no useful memory until confirmed |
| objections | a guard that objects lowers direct to background |
| judge | where one is in use, a direct record that it takes for no answer or was not asked about is lowered |
| repeats | the same content, or an older record of the same statement, is lowered to background |
| drop-off | a record far below the best direct one is lowered to background |
| pieces | records that make a command side by side are lowered to no useful memory |
| release | direct records, best first, up to the limit; background only when allowed |

Warning: candidates are judged before they are cut to k; a cut before judgement would let a repeat push
out an answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from atmem_core.policy.answers import certainty, heed
from atmem_core.policy.repeats import lower_repeats
from atmem_core.policy.split import withhold_pieces
from atmem_core.policy.weigh import Situation, Weighed, weigh
from atmem_core.records import (
    Candidate,
    Decision,
    JudgedCandidate,
    Query,
    ReasonCode,
    SupportClass,
)
from atmem_core.text import digest

POLICY_VERSION = "3"


def decide(query: Query, candidates: Sequence[Candidate], situation: Situation) -> Decision:
    """The decision on one query without a judge. Pure: same values in, same values out."""
    return conclude(query, () if query.refusal else weigh(query, candidates, situation), situation, {})


def conclude(
    query: Query, weighed: Sequence[Weighed], situation: Situation, answers: Mapping[str, float]
) -> Decision:
    """The decision on what was weighed, given a judge's answers by record id."""
    if query.refusal is not None:
        return _decision(query, (), situation, (query.refusal,))
    judged = sorted(heed(query, weighed, situation, answers), key=lambda one: one.order)
    judged = lower_repeats(judged)
    judged = sorted(_drop_tail(judged, situation), key=lambda one: one.order)
    judged = sorted(withhold_pieces(judged, situation), key=lambda one: one.order)
    verdicts = tuple(one.verdict for one in judged)
    reasons = () if verdicts else (ReasonCode.NO_CANDIDATES,)
    return _decision(query, verdicts, situation, reasons)


def _drop_tail(ordered: Sequence[Weighed], situation: Situation) -> list[Weighed]:
    """Direct records that are surer by less than the best one by more than ``drop_off``, in log odds."""
    rule = situation.calibration.judge
    weight = 0.0 if rule is None else rule.weight
    sure = {id(one): certainty(one.verdict, weight) for one in ordered if one.is_direct}
    # Nobody knows what a failing embedder's cosines would have set apart: only ties with the best stay.
    allowed = 0.0 if situation.failing else situation.calibration.drop_off
    floor = max(sure.values(), default=0.0) - allowed
    return [
        one.lowered(ReasonCode.BELOW_DROP_OFF) if sure.get(id(one), floor) < floor else one for one in ordered
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
        thresholds=situation.calibration.thresholds,
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
