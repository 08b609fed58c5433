"""Reading a text: names, owners, numbers, negations, and what kinds of answer it holds.

Rule: a reading is a pure function of the text. How it works: one pass over the tokens of the text; each
feature is a small function of that pass. Warning: every list is English first, other languages get what
the shared forms give; a feature that finds nothing must be harmless to the decision.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from atmem_core.policy import words
from atmem_core.records import AskedKind, Reading
from atmem_core.text import (
    NEGATIONS,
    STEMS,
    Token,
    TokenKind,
    fold,
    is_known_word,
    language_of,
    stopwords_of,
    tokenise,
)

_SENTENCE_END = re.compile(r"[.!?…:\n]\s*[\"'”’)]*\s*$")
_PRICE = re.compile(r"[€$£¥]\s*\d|\d\s*[€$£¥]")
_TIME_SHAPE = re.compile(
    r"\b\d{1,2}(?::\d{2}|\s?[ap]\.?m\b)|\b(?:19|20)\d{2}\b|\b\d{1,2}[./-]\d{1,2}\b", re.I
)
_CLOCK_SHAPE = re.compile(r"\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b|\b\d{1,2}\s?uhr\b", re.I)
_CALLED = re.compile(
    r"(?:^|[.!?]\s+|\b(?:hey|hi|hello|thanks|thank you|wow|yeah|oh|sure|ok|okay|no|yes|congrats)[,!]?\s+)"
    r"([A-Z]\w+)\s*[,!?]|,\s*([A-Z]\w+)\s*[.,!?]",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|any ?more|no longer|currently|moved|switched|changed|instead|new|replaced|"
    r"inzwischen|jetzt|mittlerweile|nicht mehr|ahora|ya no|actualmente)\b",
    re.I,
)
_CAPITAL = re.compile(r"\b[A-Z]\w+")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_SHORTEST_NUMBER = 3
_SHORTEST_ORIGIN = 6
_NEGATION_REACH = 3
_SHORTEST_NAME = 2
_AFTER_LATIN = "\u0250"
"""The first letter after those of Latin scripts."""


def read(text: str) -> Reading:
    """Read a note or a query."""
    tokens = tokenise(text)
    whole = [token for token in tokens if token.whole]
    folded = [token.word for token in whole]
    english = language_of(folded) == "en" and _is_latin(text)
    capitals = _capitals(whole, folded)
    return Reading(
        stems=frozenset([STEMS[token.word] for token in tokens]),
        names=_names(text, capitals),
        capitals=frozenset(token.word for token in capitals),
        addressed=_addressed(text),
        people=_people(capitals, whole),
        strict=frozenset([token.word for token in whole if token.kind in _STRICT]),
        calendar=_calendar(folded),
        owned=_owned(whole, folded),
        holds=_holds(text, whole, folded, capitals=bool(capitals), english=english),
        negated=_negated(folded),
        first_person=not words.FIRST_PERSON.isdisjoint(folded),
        question=asks(text, folded),
        change=bool(_CHANGE.search(text)),
        english=english,
    )


_STRICT = (TokenKind.NUMBER, TokenKind.IDENTIFIER)


def asks(text: str, folded: Sequence[str]) -> bool:
    """Does the whole text ask: one sentence that ends in "?", or starts as a question does?"""
    stripped = text.rstrip(" \"'”’)")
    if not stripped.endswith("?"):
        return False
    body = stripped[:-1]
    return not re.search(r"[.!]\s", body) or (bool(folded) and folded[0] in words.QUESTION_STARTS)


def _calendar(folded: Sequence[str]) -> frozenset[str]:
    """Months and weekdays; "may" only beside a number, since it is a verb more often."""
    days = frozenset(folded) & (words.MONTHS | words.WEEKDAYS)
    pairs = pairwise(folded)
    may = any("may" in pair and (pair[0].isdigit() or pair[1].isdigit()) for pair in pairs)
    return days | {"may"} if may else days


def _capitals(tokens: Sequence[Token], folded: Sequence[str]) -> list[Token]:
    """Words with a capital that no list knows as something else than a name."""
    # German writes every noun with a capital: there a capital says nothing.
    if language_of(folded) == "de":
        return []
    stop = stopwords_of(folded)
    return [token for token in tokens if token.word not in stop and _may_be_name(token)]


def _people(capitals: Sequence[Token], tokens: Sequence[Token]) -> frozenset[str]:
    """A capital after "in" is a place; one that ends as "Azorean" does is where something is from."""
    before = {after.start: token.word for token, after in pairwise(tokens)}
    return frozenset(
        token.word
        for token in capitals
        if before.get(token.start) not in words.WHERE_TO
        and not (len(token.word) >= _SHORTEST_ORIGIN and token.word.endswith(("ean", "ese", "ish")))
    )


def _addressed(text: str) -> frozenset[str]:
    """Names between commas, or after a greeting, that no word of the sentence says anything of."""
    called = {fold(found[1] or found[2]) for found in _CALLED.finditer(text)}
    spoken_of = {fold(found[0]) for found in _CAPITAL.finditer(_CALLED.sub(" ", text))}
    return frozenset(called - spoken_of)


def _names(text: str, capitals: Sequence[Token]) -> frozenset[str]:
    """Those capitals that aren't there for the start of a sentence, or that no dictionary knows."""
    found = []
    for token in capitals:
        before = text[max(0, token.start - 6) : token.start]
        opens = token.start == 0 or bool(_SENTENCE_END.search(before))
        if not opens or token.surface.endswith("'s") or not is_known_word(token.word):
            found.append(token.word)
    return frozenset(found)


def _may_be_name(token: Token) -> bool:
    return (
        token.kind is TokenKind.WORD
        and len(token.word) >= _SHORTEST_NAME
        and token.surface[:1].isupper()
        and token.word not in _NO_NAMES
    )


_NO_NAMES = words.TIMES | words.LANGUAGES | words.QUESTION_STARTS | words.FIRST_PERSON


def _owned(tokens: Sequence[Token], folded: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Pairs of owner and the two words after: "my dog", "Anna's old dog", "her dog"."""
    pairs: list[tuple[str, str]] = []
    for at, token in enumerate(tokens):
        owner = _owner(token)
        if owner is None:
            continue
        pairs.extend((owner, STEMS[word]) for word in folded[at + 1 : at + 3])
    return frozenset(pairs)


def _owner(token: Token) -> str | None:
    if token.word in words.OWNING:
        return "me"
    if token.word in words.OTHERS_OWNING:
        return "other"
    possessive = token.surface.lower().endswith(("'s", "\u2019s"))
    if possessive and token.word in words.PERSONS:
        return token.word
    if possessive and token.surface[:1].isupper():
        return token.word if token.word not in words.QUESTION_STARTS else None
    return None


def _negated(folded: Sequence[str]) -> frozenset[str]:
    """Stems of the words shortly after a negation."""
    found: list[str] = []
    for at, word in enumerate(folded):
        if word in NEGATIONS:
            found.extend(STEMS[near] for near in folded[at + 1 : at + 1 + _NEGATION_REACH])
            found.append("")  # a negation at the very end still makes the text negative
    return frozenset(found)


def _is_latin(text: str) -> bool:
    """Are its letters mostly Latin? Where no list knows a word, the language counts as English."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter < _AFTER_LATIN for letter in letters) >= len(letters)


def _holds(
    text: str, tokens: Sequence[Token], folded: Sequence[str], *, capitals: bool, english: bool
) -> frozenset[AskedKind]:
    """Which kinds of answer the text might hold. Generous: one is missing only when nothing hints at it.

    Kinds that only English words show are taken as held in any other language.
    """
    have = set(folded)
    digits = any(token.kind in _STRICT for token in tokens)
    numbers = digits or bool(have & words.NUMBER_WORDS)
    paying = bool(have & (words.PAYING | words.CURRENCIES))
    hints = {
        AskedKind.PERSON: bool(capitals or have & words.PERSONS) or not english,
        AskedKind.NAME: bool(capitals) or not english,
        AskedKind.PLACE: bool(have & words.PLACES) or _names_a_place(folded) or not english,
        AskedKind.TIME: bool(have & words.TIMES or _TIME_SHAPE.search(text)) or not english,
        AskedKind.YEAR: any(_YEAR.fullmatch(token.word) for token in tokens),
        AskedKind.NUMBER: any(_names_by_number(token) for token in tokens),
        AskedKind.CLOCK: bool(have & words.DAY_TIMES or _CLOCK_SHAPE.search(text) or _at_number(folded)),
        AskedKind.QUANTITY: numbers,
        AskedKind.PRICE: bool(_PRICE.search(text)) or (numbers and paying),
        AskedKind.REASON: bool(have & words.REASONS) or " to " in text or not english,
        AskedKind.COLOUR: bool(have & words.COLOURS) or not english,
        AskedKind.SECRET: bool(have & words.SECRETS),
    }
    return frozenset(kind for kind, held in hints.items() if held)


def _names_by_number(token: Token) -> bool:
    """Three digits or more, alone or in an identifier."""
    return token.kind in _STRICT and sum(char.isdigit() for char in token.word) >= _SHORTEST_NUMBER


def _at_number(folded: Sequence[str]) -> bool:
    """As in: at eight, at 8, a las ocho, um acht."""
    before = {"at", "um", "las", "by", "from", "until", "till", "before", "after", "half"}
    return any(
        word in before and (after.isdigit() or after in words.NUMBER_WORDS)
        for word, after in pairwise(folded)
    )


def _names_a_place(folded: Sequence[str]) -> bool:
    return any(word in words.PLACE_PREPOSITIONS for word in folded[:-1])
