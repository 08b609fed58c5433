"""Text: made storable, cut into tokens, stemmed, compared, fenced."""

from atmem_core.text.fence import escape, fenced, without_fence
from atmem_core.text.lexicon import is_known_word
from atmem_core.text.normalise import canonical, digest, fold, overlap, storable
from atmem_core.text.referential import points_back
from atmem_core.text.stem import STEMS, forget_stems, stem
from atmem_core.text.stopwords import NEGATIONS, language_of, stopwords_of
from atmem_core.text.tokens import Token, TokenKind, correctable, search_text, tokenise

__all__ = [
    "NEGATIONS",
    "STEMS",
    "Token",
    "TokenKind",
    "canonical",
    "correctable",
    "digest",
    "escape",
    "fenced",
    "fold",
    "forget_stems",
    "is_known_word",
    "language_of",
    "overlap",
    "points_back",
    "search_text",
    "stem",
    "stopwords_of",
    "storable",
    "tokenise",
    "without_fence",
]
