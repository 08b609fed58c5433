"""Text to tokens, the same for notes and queries.

A token is a word, a number, an identifier (something with a digit, ``@`` or ``_`` in it) or a pair of
characters of a script that is written without spaces. Numbers and identifiers are whole: ``INC100234``
and ``INC100235`` share nothing.
"""

import re
from enum import Enum
from typing import NamedTuple

from atmem_core.text.normalise import fold

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_RUN = re.compile(
    rf"(?P<cjk>[{_SPACELESS}]+)"
    rf"|(?P<run>(?:(?![{_SPACELESS}])[^\W_])+(?:[-_./:@'’+,#]+(?:(?![{_SPACELESS}])[^\W_])+)*)"
)
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\d+,\d{1,2}")
_COUNTED = re.compile(r"(\d+(?:[.,]\d+)*)-?([^\W\d_]+(?:-[^\W\d_]+)*)")
_PREFIXED = re.compile(r"[^\W\d_]{1,2}-[^\W\d_]+")
"""Wi-Fi, e-mail, T-shirt: written as one word as often."""
_UNITS = frozenset(
    "am pm st nd rd th h hr hrs min mins s ms km kg g mg m cm mm l ml gb mb kb tb k x c f w kw mph".split()
)
_CONTRACTIONS = {"won't": ("will", "not"), "can't": ("can", "not"), "shan't": ("shall", "not")}
_LONG_NUMBER = 3
_SHORT_NUMBER = 2


class TokenKind(Enum):
    """What a token is; only words are stemmed and corrected."""

    WORD = "word"
    NUMBER = "number"
    IDENTIFIER = "identifier"
    PAIR = "pair"


class Token(NamedTuple):
    """One token."""

    word: str
    """Folded form, without white space; what the index holds and what is compared."""
    kind: TokenKind
    surface: str
    """As it stood in the text."""
    start: int
    """Offset in characters."""
    whole: bool = True
    """False for a part that an identifier also brings, such as 2041 of S-2041."""


def tokenise(text: str) -> list[Token]:
    """Tokens in reading order."""
    found: list[Token] = []
    for match in _RUN.finditer(text):
        if match.lastgroup == "cjk":
            found.extend(_pairs(match[0], match.start()))
        else:
            found.extend(_run(match[0], match.start()))
    return found


def _pairs(run: str, start: int) -> list[Token]:
    """Overlapping pairs; a single character is its own token."""
    folded = fold(run)
    if len(folded) == 1:
        return [Token(folded, TokenKind.PAIR, run, start)]
    return [Token(folded[at : at + 2], TokenKind.PAIR, run, start + at) for at in range(len(folded) - 1)]


def _run(run: str, start: int) -> list[Token]:
    if run.isalpha():
        return [Token(_one_word(run), TokenKind.WORD, run, start)]
    run = run.replace("’", "'")
    if _AMOUNT.fullmatch(run):
        return [Token(_amount(run), TokenKind.NUMBER, run, start)]
    counted = _COUNTED.fullmatch(run)
    if counted and ("-" in run or counted[2].lower() in _UNITS):
        return [
            *_run(counted[1], start),
            *(_words(counted[2], start + counted.start(2)) if counted[2] not in _UNITS else []),
        ]
    if any(char.isdigit() or char in "@_" for char in run):
        return _identifier(run, start)
    return _words(run, start)


def _one_word(letters: str) -> str:
    """Folded, without the spaces that a few letters hold: U+037A folds to a space and an iota."""
    return "".join(fold(letters).split())


def _amount(run: str) -> str:
    """``1,200.50`` as ``1200_50``: one token for the index, whatever the separators."""
    if re.fullmatch(r"\d+,\d{1,2}", run):
        run = run.replace(",", ".")
    number = run.replace(",", "")
    if len(number) <= _SHORT_NUMBER and number != "0":
        number = number.lstrip("0") or "0"
    return fold(number.replace(".", "_"))


def _identifier(run: str, start: int) -> list[Token]:
    """The whole, with ``S-2041`` as ``s2041`` and ``v2.3`` as ``2_3``, then the parts people ask by."""
    folded = fold(run)
    folded = re.sub(r"'s$", "", folded)
    folded = re.sub(r"^v(?=\d)", "", folded)
    folded = re.sub(r"(?<=[^\W\d_])[-_](?=\d)|(?<=\d)[-_](?=[^\W\d_])", "", folded)
    whole = re.sub(r"[^\w]+", "_", folded)
    tokens = [Token(whole, TokenKind.IDENTIFIER, run, start)]
    for piece in _PIECE.finditer(run):
        part, at = fold(piece[0]), start + piece.start()
        if part != whole and len(part) >= _LONG_NUMBER:
            kind = TokenKind.NUMBER if part.isdigit() else TokenKind.WORD
            tokens.append(Token(part, kind, piece[0], at, whole=False))
    return tokens


def _words(run: str, start: int) -> list[Token]:
    """Words joined by hyphens, dots, slashes or an apostrophe."""
    if _PREFIXED.fullmatch(run):
        return [Token(fold(run.replace("-", "")), TokenKind.WORD, run, start)]
    tokens: list[Token] = []
    for piece in re.finditer(r"[^\W_]+(?:'[^\W_]+)*", run):
        at = start + piece.start()
        tokens.extend(Token(_one_word(word), TokenKind.WORD, piece[0], at) for word in _expand(piece[0]))
    return tokens


def _expand(word: str) -> tuple[str, ...]:
    """``don't`` as ``do not``, ``Anna's`` as ``Anna``, ``I'll`` as ``I``: what carries meaning stays."""
    if "'" not in word:
        return (word,)
    lowered = word.lower()
    if lowered in _CONTRACTIONS:
        return _CONTRACTIONS[lowered]
    if lowered.endswith("n't"):
        return (word[:-3], "not")
    head, _, tail = word.partition("'")
    if tail.lower() in {"s", "m", "re", "ve", "ll", "d"}:
        return (head,)
    return tuple(part for part in word.split("'") if part)


def search_text(tokens: list[Token]) -> str:
    """The folded tokens joined by one space: what the keyword index holds."""
    return " ".join([token.word for token in tokens])


def correctable(token: Token) -> bool:
    """May spelling correction offer this word, or touch it? Words of four letters and more only."""
    return token.kind is TokenKind.WORD and len(token.word) > _LONG_NUMBER and token.word.isalpha()
