"""A judge's answers: whom to ask about, and what they may lower.

Rule: a judge lowers a class and never raises one. How it works: a calibration that reckons with a judge has
a lower threshold, and takes back by the judge what that lets in; a record that the judge wasn't asked about
is therefore not released. Without the judge that calibration isn't used. Warning: a record that holds the
question's very words in their order is an exact match, which no judge may lower.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from atmem_core.policy.calibration import JudgeRule, log_odds, logistic
from atmem_core.policy.weigh import Situation, Weighed, not_direct
from atmem_core.records import (
    Candidate,
    JudgedCandidate,
    Query,
    ReasonCode,
    SignalContribution,
    SupportClass,
)
from atmem_core.text import tokenise

_EXACT_TERMS = 2
"""Least words of topic in a query that a record can match exactly."""


def doubtful(query: Query, weighed: Sequence[Weighed], *, limit: int) -> list[Candidate]:
    """The records that a judge is asked about, best first: direct so far, and not an exact match."""
    found = [one.candidate for one in weighed if one.is_direct and not _exact(query, one.candidate)]
    return found[:limit]


def heed(
    query: Query, weighed: Sequence[Weighed], situation: Situation, answers: Mapping[str, float]
) -> list[Weighed]:
    """Each record with the judge's answer heeded; all as they are under a calibration without a judge."""
    rule = situation.calibration.judge
    if rule is None:
        return list(weighed)
    heeded: list[Weighed] = []
    for one in weighed:
        answered = answers.get(one.candidate.record_id)
        told = _told(one, situation, answered)
        if told.is_direct and not _exact(query, one.candidate):
            told = _heeded(
                told, rule, answered, not_direct(one.verdict.relevance_score, situation.calibration)
            )
        heeded.append(told)
    return heeded


def _heeded(one: Weighed, rule: JudgeRule, answered: float | None, lower: SupportClass) -> Weighed:
    """A record that stands as direct; ``lower`` is what it is without that."""
    if answered is None:
        return one.lowered(ReasonCode.NOT_JUDGED, lower)
    if certainty(one.verdict, rule.weight) >= rule.bar:
        return one
    agreed = answered < rule.denied and one.verdict.relevance_score < rule.agreed
    return one.lowered(ReasonCode.NOT_ANSWERED, SupportClass.NO_USEFUL_MEMORY if agreed else lower)


def certainty(verdict: JudgedCandidate, weight: float) -> float:
    """Log odds of relevance and, where there is an answer of the judge, ``weight`` times its log odds."""
    answered = next(
        (part.normalized_score for part in verdict.contributions if part.name == "answerable"), None
    )
    relevant = log_odds(verdict.relevance_score)
    return relevant if answered is None else relevant + weight * log_odds(answered)


def _told(one: Weighed, situation: Situation, answered: float | None) -> Weighed:
    """With the answer, where there is one, among its signals, and ordered by it."""
    if answered is None:
        return one
    score = round(answered, 6)
    part = SignalContribution(
        name="answerable", version="1", normalized_score=score, raw_score=score, eligible_for_support=False
    )
    parts = (*one.verdict.contributions, part)
    rank = situation.calibration.rank(one.verdict.relevance_score, parts)
    return replace(one, verdict=replace(one.verdict, contributions=parts, rank_score=rank))


def reordered(
    verdicts: Sequence[JudgedCandidate], rule: JudgeRule, answers: Mapping[str, float]
) -> tuple[JudgedCandidate, ...]:
    """All of them with the judge's answers in their rank score, for a search; no class changes.

    A record that it wasn't asked about, since it ranked below those, counts as one that doesn't answer.
    """
    return tuple(
        replace(
            one,
            rank_score=logistic(
                log_odds(one.rank_score) + rule.order * log_odds(answers.get(one.record_id, rule.silent))
            ),
        )
        for one in verdicts
    )


def _exact(query: Query, candidate: Candidate) -> bool:
    """Does the record hold the words of the question, all of them and in their order?"""
    if candidate.coverage < 1.0 or len(query.terms) < _EXACT_TERMS:
        return False
    asked, told = (" ".join(token.word for token in tokenise(text)) for text in (query.focus, candidate.text))
    return f" {asked} " in f" {told} "
