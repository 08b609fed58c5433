"""Objections: what speaks against a record that words and meaning speak for.

Rule: an objection lowers direct support to background context; none ever raises a class. How it works:
each guard is one question to the two readings, and gives its reason code or None. Warning: an objection
must hold for what the record *says*, not for what it leaves out by chance; where a list can't know, the
guard stays silent.
"""

from collections.abc import Callable

from atmem_core.policy import words
from atmem_core.policy.fact_key import foreign_fact, named_by_noun, only_named, outdated
from atmem_core.policy.trust import commanding, untrusted
from atmem_core.records import ROLES, AskedKind, Candidate, Query, Reading, ReasonCode
from atmem_core.text import STEMS, fold

_SECRET_COVERAGE = 0.75
_NUMERALS = dict(
    zip(
        (str(number) for number in range(1, 13)),
        "one two three four five six seven eight nine ten eleven twelve".split(),
        strict=True,
    )
)
_SECRET_STEMS = frozenset(STEMS[word] for word in (*words.SECRETS, "code"))
_PERSON_STEMS = frozenset(STEMS[word] for word in words.PERSONS)
_AVERSION_STEMS = frozenset(STEMS[word] for word in words.AVERSIONS)
_DISLIKE_STEMS = frozenset(STEMS[word] for word in words.DISLIKES)
_STANCE_STEMS = frozenset(STEMS[word] for word in words.STANCES)


def objections(query: Query, candidate: Candidate, reading: Reading) -> tuple[ReasonCode, ...]:
    """Every objection to the record as direct support, in a fixed order; empty when there is none.

    Args:
        query: What was asked.
        candidate: The record, measured.
        reading: The record, read.
    """
    return tuple(code for guard in _GUARDS if (code := guard(query, candidate, reading)) is not None)


def _identifiers(query: Query, candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """A number, identifier, month or weekday of the question that the record lacks: another thing's."""
    missing = query.reading.strict - reading.strict
    unspoken = {number for number in missing if _NUMERALS.get(number) not in reading.stems}
    if candidate.dated:
        told = candidate.told_at
        unspoken -= {str(told.year), str(told.day), f"{told:%Y_%m_%d}"}
    other_day = query.reading.calendar - reading.calendar and reading.calendar
    return ReasonCode.IDENTIFIER_ABSENT if unspoken or other_day else None


def _names(query: Query, candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """A name of the question that neither the record nor its speaker bears."""
    known = reading.stems | candidate.matched
    speaker = {fold(part) for part in candidate.speaker.split()}
    missing = {name for name in query.reading.names if STEMS[name] not in known and name not in speaker}
    return ReasonCode.NAME_ABSENT if missing else None


def _owner(query: Query, candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """The question is about one person or thing of theirs, and the record about another's."""
    if _speaks_of_self(query, candidate, reading):
        return ReasonCode.OWNER_MISMATCH
    for owner, thing in query.reading.owned:
        if thing not in candidate.matched:
            continue
        owners = {who for who, what in reading.owned if what == thing}
        if owners and not owners & _same_owner(owner, candidate.speaker):
            return ReasonCode.OWNER_MISMATCH
    return None


def _speaks_of_self(query: Query, candidate: Candidate, reading: Reading) -> bool:
    """Does a named speaker say "I" where somebody else was asked about, who is at most addressed?"""
    speaker = {fold(part) for part in candidate.speaker.split()}
    asked = query.reading.names
    if not asked or speaker & ROLES or speaker & asked or not reading.first_person:
        return False
    spoken_of = asked & reading.names - reading.addressed
    return not spoken_of and not any(owner in asked for owner, _ in reading.owned)


def _same_owner(owner: str, speaker: str) -> frozenset[str]:
    """How a record may write this owner: "me" is the speaker; "her" may be anybody but the asker."""
    if owner == "me":
        return frozenset({"me"})
    if owner == "other" or fold(speaker) == owner:
        return frozenset({"me", "other", owner}) if fold(speaker) not in ROLES else frozenset({"other"})
    return frozenset({owner, "other"})


def _polarity(query: Query, candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """Asked for what is not, told what is; or the other way round about the same word."""
    if query.yes_no or not (query.reading.english and reading.english):
        return None
    asked_not = bool(query.reading.negated or query.reading.stems & _DISLIKE_STEMS)
    told_not = bool(reading.negated)
    averse = not _AVERSION_STEMS.isdisjoint(reading.stems)
    if asked_not and not told_not and not averse:
        return ReasonCode.POLARITY_MISMATCH
    asked = {term.stem for term in query.terms} | (query.reading.stems & _STANCE_STEMS)
    if not asked_not and asked & reading.negated - _AVERSION_STEMS and query.asks is not AskedKind.REASON:
        return ReasonCode.POLARITY_MISMATCH
    return None


def _asked_kind(query: Query, candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """Asked who, when, where, how many, why, and nothing in the record could be that."""
    if query.asks is None or (candidate.fact is not None and named_by_noun(query, candidate.fact)):
        return None
    return None if _answers_kind(query, query.asks, candidate, reading) else ReasonCode.ASKED_KIND_ABSENT


def _answers_kind(query: Query, asked: AskedKind, candidate: Candidate, reading: Reading) -> bool:
    held = reading.holds
    match asked:
        case AskedKind.TIME:
            clock = AskedKind.CLOCK in held
            return asked in held or clock or (candidate.dated and "did" in query.reading.stems)
        case AskedKind.PERSON if reading.english:
            new_names = {word for word in reading.people if STEMS[word] not in query.reading.stems}
            new_persons = (reading.stems & _PERSON_STEMS) - query.reading.stems
            return bool(new_names or new_persons) or fold(candidate.speaker) not in ROLES
        case AskedKind.NAME if reading.english:
            return any(STEMS[word] not in query.reading.stems for word in reading.capitals)
        case AskedKind.SECRET:
            same = reading.stems & query.reading.stems & _SECRET_STEMS
            return bool(same) and candidate.typo_coverage >= _SECRET_COVERAGE
        case _:
            return asked in held


def _question_shaped(_query: Query, _candidate: Candidate, reading: Reading) -> ReasonCode | None:
    """A record that only asks answers nothing."""
    return ReasonCode.QUESTION_SHAPED if reading.question else None


OBJECTIONS = frozenset(
    {
        ReasonCode.IDENTIFIER_ABSENT,
        ReasonCode.NAME_ABSENT,
        ReasonCode.OWNER_MISMATCH,
        ReasonCode.POLARITY_MISMATCH,
        ReasonCode.ASKED_KIND_ABSENT,
        ReasonCode.QUESTION_SHAPED,
        ReasonCode.UNTRUSTED_SOURCE,
        ReasonCode.INSTRUCTION_SHAPED,
    }
)
"""The codes by which a guard lowers what words and meaning speak for."""
_GUARDS: tuple[Callable[[Query, Candidate, Reading], ReasonCode | None], ...] = (
    _identifiers,
    _names,
    _owner,
    _polarity,
    _asked_kind,
    _question_shaped,
    untrusted,
    commanding,
    foreign_fact,
    only_named,
    outdated,
)
