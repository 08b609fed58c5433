"""What judgement knows of a fact beside its text: what it is about.

Rule: a query that names both entity and predicate of a fact asks for it, which supports; a query about
somebody else's never gets it. How it works: stems of the three parts against stems of the query. Warning:
the weight below isn't calibrated. It is small: it lifts a fact over a threshold that it nearly reached,
and never one that shares nothing but its key's words with a long query.
"""

import math

from atmem_core.policy.calibration import log_odds
from atmem_core.policy.predicates import folded
from atmem_core.records import OWNER, ROLES, Candidate, FactKey, Query, Reading, ReasonCode
from atmem_core.text import STEMS, fold, stopwords_of, tokenise

KEY_WEIGHT = 1.0
"""What a named key adds to the log odds of relevance."""
_OWNER_STEM = STEMS[OWNER]


def fact_key(entity: str, predicate: str, stated: str) -> FactKey:
    """The parts of a fact as stems that carry topic."""
    return FactKey(
        entity=_stems(entity) - {_OWNER_STEM},
        predicate=_stems(predicate),
        object=_stems(stated),
        owner=folded(entity) == OWNER,
    )


def _stems(text: str) -> frozenset[str]:
    words = [token.word for token in tokenise(_spaced(text))]
    stop = stopwords_of(words)
    return frozenset(STEMS[word] for word in words if word not in stop)


def _spaced(text: str) -> str:
    return text.replace("_", " ")


def key_score(query: Query, fact: FactKey | None) -> float:
    """1 when the query names entity and predicate of the fact, else 0; 0 for a record that is none."""
    if fact is None or not fact.predicate or not fact.predicate <= query.reading.stems:
        return 0.0
    return 1.0 if _names_entity(query, fact) else 0.0


def with_key(relevance: float, score: float) -> float:
    """Relevance, lifted by a named key; 0 to 1, rounded to 6 digits, never lower than it was."""
    if score <= 0:
        return relevance
    return max(relevance, round(1 / (1 + math.exp(-(log_odds(relevance) + KEY_WEIGHT * score))), 6))


def _names_entity(query: Query, fact: FactKey) -> bool:
    if fact.owner:
        return query.reading.first_person or _OWNER_STEM in query.reading.stems
    return bool(fact.entity) and fact.entity <= query.reading.stems


def foreign_fact(query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """The asker's own is asked for, and the fact is another's: a visitor's allergy isn't the owner's."""
    fact = candidate.fact
    if fact is None or fact.owner or not query.reading.first_person or _names_entity(query, fact):
        return None
    if fact.entity & query.reading.stems:  # "my sister Marta" of (Marta Weber, ...)
        return None
    told_of_self = fold(candidate.speaker) not in ROLES and _stems(candidate.speaker) == fact.entity
    mine = _mine(query)
    if told_of_self or mine & fact.predicate:
        return ReasonCode.OWNER_MISMATCH
    # "What breed is my dog?" of (Brutus, breed, Bernese mountain dog): the thing owned is what it tells of.
    return None if mine & fact.object else ReasonCode.OWNER_MISMATCH


def _mine(query: Query) -> frozenset[str]:
    """What is the asker's own: of "my dog's breed" the dog, whose the breed is."""
    owned = query.reading.owned
    others = {thing for owner, thing in owned if owner != "me"}
    return frozenset(thing for owner, thing in owned if owner == "me" and thing not in others)


def outdated(_query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """A note whose facts have all been superseded or forgotten would tell what is no longer so."""
    return ReasonCode.NEWER_RECORD if candidate.outdated else None


def same_source(one: Candidate, other: Candidate) -> bool:
    """Is one of them a fact that the other one said?"""
    return one.record_id == other.source_id or other.record_id == one.source_id
