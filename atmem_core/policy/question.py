"""Reading a query: the part that asks, what kind of answer it asks for, and whether it asks at all.

Rule: only the original query establishes support, so all of this is a function of its text alone. How it
works: a long text is narrowed to the sentences that ask; small talk and plain commands are refused by
rule, since no threshold on words or vectors tells "thanks, that's great" from a question. Warning: a
refusal here skips retrieval, so each list must hold only what never needs a memory.
"""

import hashlib
import re
from collections.abc import Sequence

from atmem_core.policy import words
from atmem_core.policy.forgetting import asks_to_forget
from atmem_core.policy.reading import read
from atmem_core.records import AskedKind, Query, ReasonCode, Term
from atmem_core.text import (
    STEMS,
    Token,
    TokenKind,
    correctable,
    fold,
    stopwords_of,
    storable,
    tokenise,
)

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
_LONG_WORDS = 24
_CHAT_WORDS = 12
_CLAUSES = 4
"""Question words from the end that a clause may start at."""
_FEW_TERMS = 2
_QUANTITY = re.compile(
    r"\bhow\s+(?:many|old|long|far|big|tall|large|often|fast|heavy)\b|\bwieviele?\b|\bwie\s+(?:viele?|alt|lange|gross)\b|\bcuant[oa]s?\b",
    re.I,
)
_PRICE = re.compile(
    r"\bhow\s+much\b.*\b(?:cost|pay|paid|spend|spent|price|worth|earn|charge|fee|rent|money)\b|\bwhat\b.*\bbudget\b"
    r"|\bhow\s+much\s+(?:is|are|was|were|for|did|does|do)\b|\bwhat\s+(?:does|did|do|will)\b.*\bcost\b"
    r"|\b(?:price|cost|salary|fee|rent)\b.*\?|\bwas\s+kostet\b|\bwie\s*viel\s+kostet\b|\bcuanto\s+cuesta\b",
    re.I,
)
_CLOCK = re.compile(r"\b(?:what|which)\s+time\b|\bwie\s*viel\s+uhr\b|\bque\s+hora\b|\bquelle\s+heure\b", re.I)
_TIME = re.compile(
    r"^\W*(?:and\s+|so\s+)?(?:when|wann|cuando|quand)\b|\b(?:what|which)\s+(?:day|date|month|year|week|weekday)\b|\bwhen\s+(?:is|are|was|were|do|does|did|will|should|can|am|has|have)\b",
    re.I,
)
_PLACE = re.compile(
    r"^\W*(?:and\s+|so\s+)?(?:where|wheres|wo|wohin|donde|ou)\b|\bwhere\s+(?:is|are|was|were|do|does|did|will|should|can|am|has|have|i|we)\b|\b(?:what|which)\s+(?:city|country|town|street|place|room|address)\b",
    re.I,
)
_PERSON = re.compile(
    r"^\W*(?:and\s+|so\s+)?(?:who|whom|whose|whos|wer|wem|wen|quien)\b|\bwho\s+(?:is|was|are|were|do|does|did|will|should|can|has|have)\b",
    re.I,
)
_REASON = re.compile(
    r"^\W*(?:and\s+|so\s+)?(?:why|warum|pourquoi|por\s+que)\b|\bwhy\s+(?:is|was|are|were|do|does|did|will|should|can|has|have)\b|\bfor\s+what\s+reason\b",
    re.I,
)
_NAME = re.compile(
    r"\b(?:what|which)\s+(?:\w+\s+)?(?:brand|make|model|cinema|shop|store|restaurant|company|hotel|airline|bank)\b"
    r"|\b(?:what|which)\b.*\bnames?\b|\bnames?\s+of\b|\bwhat\b.*\bcalled\b|\bhow\b.*\bcalled\b",
    re.I,
)
_YEAR = re.compile(r"\b(?:what|which)\s+year\b|\bwelches\s+jahr\b|\bque\s+ano\b", re.I)
_NUMBER = re.compile(
    r"\b(?:phone|passport|account|card|serial|room|flight|order|ticket|booking|plate|policy|house|tax|iban)"
    r"\s+number\b|\b(?:what|which)\b.*\b(?:postcode|zip\s+code|iban|licen[cs]e\s+plate)\b",
    re.I,
)
_CODE = re.compile(
    r"\b(?:gate|door|entry|alarm|lock|locker|safe|access|security|garage|unlock|verification)\s+codes?\b"
    r"|\bcodes?\s+(?:for|of|to)\s+(?:the|my|our)\b",
    re.I,
)
_COLOUR = re.compile(r"\b(?:what|which)\s+colou?rs?\b|\bwelche\s+farbe\b|\bde\s+que\s+color\b", re.I)


def read_query(text: str, *, max_chars: int) -> Query:
    """Read a query of any text and any length; one over ``max_chars`` characters is cut, not refused."""
    whole = storable(text)
    kept = whole[:max_chars]
    tokens = tokenise(kept)
    lead, focus = _focus(kept, tokens)
    focus_tokens = tokens if focus == kept else tokenise(focus)
    terms = _terms(focus_tokens, _referred(lead)) or _stances(focus_tokens)
    reading = read(focus)
    return Query(
        text=kept,
        focus=f"{lead} {focus}" if lead else focus,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        terms=terms,
        reading=reading,
        asks=asked_kind(focus),
        yes_no=bool(focus_tokens) and focus_tokens[0].word in words.YES_NO_STARTS,
        refusal=_refusal(kept, tokens, terms),
        cut=len(whole) > max_chars,
    )


def asked_kind(text: str) -> AskedKind | None:
    """What kind of thing the question asks for; None when any kind will do."""
    folded = [token.word for token in tokenise(text)]
    if not words.SECRETS.isdisjoint(folded):
        return AskedKind.SECRET
    plain = fold(text)
    return next((kind for kind, shape in _SHAPES if shape.search(plain)), None)


_SHAPES = (
    (AskedKind.SECRET, _CODE),
    (AskedKind.COLOUR, _COLOUR),
    (AskedKind.PRICE, _PRICE),
    (AskedKind.YEAR, _YEAR),
    (AskedKind.NUMBER, _NUMBER),
    (AskedKind.QUANTITY, _QUANTITY),
    (AskedKind.CLOCK, _CLOCK),
    (AskedKind.TIME, _TIME),
    (AskedKind.PLACE, _PLACE),
    (AskedKind.PERSON, _PERSON),
    (AskedKind.NAME, _NAME),
    (AskedKind.REASON, _REASON),
)


def _focus(text: str, tokens: Sequence[Token]) -> tuple[str, str]:
    """What leads up to the question, if it is needed to understand it, and the part that asks.

    A short text is its own focus. Of a long one, the sentences that ask; with the sentence before them
    when they point back ("what did she pay for it?") or hold hardly a word.
    """
    if len(tokens) <= _LONG_WORDS:
        return "", text
    sentences = [one.strip() for one in _SENTENCE_END.split(text) if one.strip()]
    asking = [at for at, sentence in enumerate(sentences) if sentence.endswith("?")]
    if not asking:
        asking = [at for at, sentence in enumerate(sentences) if _has_wh_word(sentence)][-1:]
    if not asking:
        return "", text
    focus = _clause(" ".join(sentences[at] for at in asking))
    folded = {token.word for token in tokenise(focus)}
    points_back = bool(folded & words.POINTING) or len(_terms(tokenise(focus))) < _FEW_TERMS
    lead = " ".join(sentences[max(0, asking[0] - 2) : asking[0]]) if points_back else ""
    return lead, focus


def _referred(lead: str) -> list[Token]:
    """What "she" and "it" may stand for: names, numbers and identifiers before the question."""
    names = read(lead).names if lead else frozenset()
    strict = (TokenKind.NUMBER, TokenKind.IDENTIFIER)
    return [token for token in tokenise(lead) if token.word in names or token.kind in strict]


def _has_wh_word(sentence: str) -> bool:
    return any(token.word in words.WH_WORDS for token in tokenise(sentence))


def _clause(sentence: str) -> str:
    """From the last question word on, when a long sentence leads up to it and enough is left."""
    tokens = tokenise(sentence)
    if len(tokens) <= _LONG_WORDS:
        return sentence
    starts = [token.start for token in tokens if token.word in words.WH_WORDS]
    for start in starts[: -_CLAUSES - 1 : -1]:
        tail = sentence[start:]
        if len(_terms(tokenise(tail))) >= _FEW_TERMS:
            return tail
    return sentence


def _terms(tokens: Sequence[Token], referred: Sequence[Token] = ()) -> tuple[Term, ...]:
    """The words that carry topic, once each by stem."""
    stop = stopwords_of([token.word for token in tokens])
    terms: dict[str, Term] = {}
    for token in (*tokens, *referred):
        if not token.whole or (token.kind is TokenKind.WORD and token.word in stop):
            continue
        stem = STEMS[token.word]
        strict = token.kind in (TokenKind.NUMBER, TokenKind.IDENTIFIER)
        terms.setdefault(
            stem, Term(word=token.word, stem=stem, strict=strict, correctable=correctable(token))
        )
    return tuple(terms.values())


def _stances(tokens: Sequence[Token]) -> tuple[Term, ...]:
    """What "what do I like?" has instead of a topic."""
    stances = {token.word: token for token in tokens if token.word in words.STANCES}
    return tuple(Term(word=word, stem=STEMS[word], strict=False, correctable=False) for word in stances)


def _refusal(text: str, tokens: Sequence[Token], terms: Sequence[Term]) -> ReasonCode | None:
    folded = [token.word for token in tokens]
    short = 0 < len(folded) <= _CHAT_WORDS
    if short and (words.GREETINGS.issuperset(folded) or (folded[0] in words.WISHES and "?" not in text)):
        return ReasonCode.SMALL_TALK
    if not terms:
        return ReasonCode.NO_CONTENT
    if _is_command(text, folded) or asks_to_forget(text):
        return ReasonCode.TASK_COMMAND
    return None


def _is_command(text: str, folded: Sequence[str]) -> bool:
    """An order that names nothing of the user's own: "write a haiku", not "write to my sister"."""
    lead = next((word for word in folded if word not in words.POLITE), "")
    if lead not in words.COMMANDS:
        return False
    own = not words.FIRST_PERSON.isdisjoint(folded) or bool(read(text).names)
    asking = not words.WH_WORDS.isdisjoint(folded)
    return not own and not asking
