"""Is it what was said, and of whom? A model's word is taken only for what the user's own sentences show.

Rule: the object's words stand in a sentence of the user, and a fact about the speaker comes from a
sentence whose subject is the speaker. How it works: stems of the object against stems of each sentence;
then back from the object to the nearest subject. Warning: a fact that is said in other words is lost;
a fact that is pinned on the wrong person stays for years.
"""

import re
from collections.abc import Sequence

from atmem_core.policy import words
from atmem_core.records import OWNER, FactOperation
from atmem_core.text import STEMS, Token, TokenKind, fold, stopwords_of, tokenise

_ENOUGH = 0.5
"""Share of the object's topic words that one sentence must hold."""
_SELF_SUBJECTS = frozenset({"i", "we"})
_SELF_OWNERS = frozenset({"my", "our", "mine", "ours", "me", "us", "myself"})
_OTHER_PRONOUNS = frozenset({"he", "she", "they", "you"})
_OTHERS = words.PERSONS | frozenset(
    "visitor guest kid kids child children baby client customer patient student tenant roommate "
    "friend friends person someone somebody people man woman guy girl boy team dog cat horse pet "
    "stepson stepdaughter".split()
)
_PREPOSITIONS = frozenset(
    "with for to from of by at near about like than and or without behind beside against between".split()
)
_VERB = re.compile(
    r"(?:is|was|are|were|has|have|had|can't|cannot|can|won't|will|lives?|works?|likes?|loves?|hates?|prefers?|eats?|"
    r"needs?|wants?|said|says|told|tells|thinks?|owns?|plays?|studies|moved|moves|goes|got|doesn't|isn't|does)$"
)


def grounded(operation: FactOperation, told: Sequence[str], *, speaker: str) -> bool:
    """Do the told sentences say it?"""
    about_speaker = fold(operation.entity) in {OWNER, fold(speaker)}
    for sentence in told:
        tokens = tokenise(sentence)
        at = _place(operation.object, tokens)
        if at is None:
            continue
        if not about_speaker:
            if _names(operation.entity, [token for one in told for token in tokenise(one)]):
                return True
        elif _speaker_is_subject(tokens, at, operation):
            return True
    return False


def _place(text: str, tokens: Sequence[Token]) -> int | None:
    """Where in the sentence the object begins; None when too little of it stands there."""
    wanted = tokenise(text)
    stop = stopwords_of([token.word for token in wanted])
    topic = [token for token in wanted if token.word not in stop] or wanted
    stems = [STEMS[token.word] for token in tokens]
    held = [token for token in topic if STEMS[token.word] in stems]
    strict = [token for token in topic if token.kind in (TokenKind.NUMBER, TokenKind.IDENTIFIER)]
    if not topic or len(held) / len(topic) < _ENOUGH or any(token not in held for token in strict):
        return None
    return min(stems.index(STEMS[token.word]) for token in held)


def _names(entity: str, tokens: Sequence[Token]) -> bool:
    """Do the sentences name the entity? "user's sister" asks for the sister."""
    stems = {STEMS[token.word] for token in tokens}
    wanted = {STEMS[token.word] for token in tokenise(entity)} - {STEMS[OWNER]}
    topic = {one for one in wanted if one not in stopwords_of(wanted)}
    return bool(topic) and topic <= stems


def _speaker_is_subject(tokens: Sequence[Token], at: int, operation: FactOperation) -> bool:
    """Back from the object to the nearest subject; a sentence without one must own the thing."""
    said = {STEMS[token.word] for token in tokenise(f"{operation.predicate} {operation.object}")}
    for place in range(at - 1, -1, -1):
        word = tokens[place].word
        if word in _SELF_SUBJECTS:
            return True
        if _is_other(tokens, place) and STEMS[word] not in said:
            return False
    first_person = {token.word for token in tokens} & (_SELF_SUBJECTS | _SELF_OWNERS)
    return bool(first_person) and not _led_by_another(tokens, said)


def _led_by_another(tokens: Sequence[Token], said: set[str]) -> bool:
    """As in "my visitor Tom ...", whose "my" owns the visitor and nothing else."""
    return any(
        _is_other(tokens, place) and STEMS[tokens[place].word] not in said
        for place in range(min(4, len(tokens)))
    )


def _is_other(tokens: Sequence[Token], place: int) -> bool:
    """Is this word a subject that isn't the speaker?"""
    token = tokens[place]
    if token.word in _OTHER_PRONOUNS:
        return True
    before = [one.word for one in tokens[max(0, place - 2) : place]]
    if _PREPOSITIONS.intersection(before):
        return False
    if token.word in _OTHERS:
        return True
    named = token.surface[:1].isupper() and token.word not in _SELF_SUBJECTS
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return named and bool(_VERB.match(after))
