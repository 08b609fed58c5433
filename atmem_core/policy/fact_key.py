"""What judgement knows of a fact beside its text: what it is about.

Rule: a query that names both entity and predicate of a fact asks for it, which supports; a query about
somebody else's never gets it. How it works: stems of the three parts against stems of the query, and whose
a thing of the query is: "my dog's name" asks for a name that is the dog's, not the asker's. Warning: the
weight below isn't calibrated. It lifts a fact over a threshold that it nearly reached; a predicate of
common words must not be one that long questions name by chance.
"""

import math
from itertools import pairwise

from atmem_core.policy.calibration import log_odds
from atmem_core.policy.predicates import folded, predicate_key
from atmem_core.records import OWNER, ROLES, Candidate, FactKey, Query, Reading, ReasonCode
from atmem_core.text import STEMS, fold, stopwords_of, tokenise

KEY_WEIGHT = 3.0
"""What a key that is all of the query adds to the log odds of relevance; a part of it, by its square."""
NOUNS = {
    "works as": frozenset({"job", "occupation", "profession"}),
    "works at": frozenset({"employer"}),
    "married to": frozenset({"husband", "wife", "spouse"}),
    "partner": frozenset({"boyfriend", "girlfriend"}),
    "manager": frozenset({"boss"}),
    "doctor": frozenset({"gp"}),
    "lives in": frozenset({"residence", "home"}),
}
"""Predicates that a question names by a noun which somebody owns: "my job", "Marta's job"."""
_OWNER_STEM = STEMS[OWNER]
_POSSESSIVE = ("'s", "\u2019s")
_NOUN_STEMS = {about: frozenset(STEMS[noun] for noun in nouns) for about, nouns in NOUNS.items()}


def fact_key(entity: str, predicate: str, stated: str) -> FactKey:
    """The parts of a fact as stems that carry topic."""
    return FactKey(
        entity=_stems(entity) - {_OWNER_STEM},
        predicate=_stems(predicate),
        object=_stems(stated),
        about=predicate_key(predicate),
        owner=folded(entity) == OWNER,
    )


def _stems(text: str) -> frozenset[str]:
    words = [token.word for token in tokenise(text.replace("_", " "))]
    stop = stopwords_of(words)
    return frozenset(STEMS[word] for word in words if word not in stop)


def key_score(query: Query, fact: FactKey | None) -> float:
    """How much of the query the fact's parts are, when it names entity and predicate; 0 to 1, else 0.

    "Should I work late tonight?" names the key of (user, works at, ...) and is hardly about it: a third.
    """
    if fact is None:
        return 0.0
    nouns = _NOUN_STEMS.get(fact.about, frozenset()) if named_by_noun(query, fact) else frozenset[str]()
    by_words = bool(fact.predicate) and fact.predicate <= query.reading.stems and _names_entity(query, fact)
    if not nouns and not by_words:
        return 0.0
    told = fact.entity | fact.predicate | fact.object | nouns | {_OWNER_STEM}
    terms = [term.stem for term in query.terms]
    return sum(stem in told for stem in terms) / len(terms) if terms else 0.0


def named_by_noun(query: Query, fact: FactKey) -> bool:
    """Is the predicate named by a noun that the entity owns: "my job" of (user, works as, ...)?"""
    nouns = _NOUN_STEMS.get(fact.about)
    if nouns is None:
        return False
    if fact.owner:
        return bool(nouns & _mine(query))
    owners = {STEMS[owner] for owner, thing in query.reading.owned if thing in nouns}
    return bool(owners & fact.entity)


def nouns_of(query: Query) -> tuple[str, ...]:
    """Predicates that the query names by a noun; their facts may share no word with it."""
    things = {thing for _, thing in query.reading.owned}
    return tuple(sorted(about for about, nouns in _NOUN_STEMS.items() if nouns & things))


def with_key(relevance: float, score: float) -> float:
    """Relevance, lifted by a named key; 0 to 1, rounded to 6 digits, never lower than it was."""
    if score <= 0:
        return relevance
    return max(relevance, round(1 / (1 + math.exp(-(log_odds(relevance) + KEY_WEIGHT * score**2))), 6))


def _names_entity(query: Query, fact: FactKey) -> bool:
    if not fact.owner:
        return bool(fact.entity) and fact.entity <= query.reading.stems
    if _OWNER_STEM in query.reading.stems:
        return True
    mine = _mine(query)
    told = fact.predicate | fact.object
    return query.reading.first_person and (not mine or bool(mine & told)) and not _of_another(query, fact)


def foreign_fact(query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """The asker's own is asked for, and the fact is another's: a visitor's allergy isn't the owner's."""
    fact = candidate.fact
    if fact is None or not query.reading.first_person:
        return None
    foreign = _of_another(query, fact) if fact.owner else _foreign(query, candidate, fact)
    return ReasonCode.OWNER_MISMATCH if foreign else None


def _of_another(query: Query, fact: FactKey) -> bool:
    """Is the owner's fact about what the query says is somebody else's: (user, name) of "my dog's name"?"""
    mine = _mine(query)
    return bool(fact.predicate & _owned(query) - mine) and not fact.predicate & mine


def _foreign(query: Query, candidate: Candidate, fact: FactKey) -> bool:
    if fact.entity & query.reading.stems or named_by_noun(query, fact):
        return False  # "my sister Marta" of (Marta Weber, ...)
    told_of_self = fold(candidate.speaker) not in ROLES and _stems(candidate.speaker) == fact.entity
    mine = _mine(query)
    if told_of_self or mine & fact.predicate:
        return True
    # "What breed is my dog?" of (Brutus, breed, Bernese mountain dog): the thing owned is what it tells of.
    return not mine & fact.object


def _owned(query: Query) -> frozenset[str]:
    return frozenset(thing for _, thing in query.reading.owned)


def _mine(query: Query) -> frozenset[str]:
    """What is the asker's own: of "my dog's breed" the dog, whose the breed is."""
    pairs = query.reading.owned
    mine = {thing for owner, thing in pairs if owner == "me"}
    if not mine:
        return frozenset()
    others = {thing for owner, thing in pairs if owner != "me"}
    return frozenset(mine - others - _after_possessive(query.focus))


def _after_possessive(text: str) -> set[str]:
    """Stems of the words right after "dog's": theirs, whatever stands before."""
    tokens = tokenise(text)
    return {
        STEMS[after.word]
        for before, after in pairwise(tokens)
        if before.surface.lower().endswith(_POSSESSIVE)
    }


def only_named(query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """Asked where, when, who; the fact shares the name with the query and none of its other words.

    "Where does Bob live?" of (Bob, is allergic to, peanuts).
    """
    fact = candidate.fact
    if fact is None or query.asks is None or named_by_noun(query, fact):
        return None
    names = {STEMS[name] for name in query.reading.names}
    others = {term.stem for term in query.terms} - names
    if not others or not names & candidate.matched or others & candidate.matched:
        return None
    return ReasonCode.ASKED_KIND_ABSENT


def outdated(_query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """A note whose facts have all been superseded or forgotten would tell what is no longer so."""
    return ReasonCode.NEWER_RECORD if candidate.outdated else None


def same_source(one: Candidate, other: Candidate) -> bool:
    """Is one of them a fact that the other one said?"""
    return one.record_id == other.source_id or other.record_id == one.source_id
