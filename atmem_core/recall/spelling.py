"""Misspelt query words, looked up in the subject's own vocabulary.

A word is corrected only when the subject never used it and no dictionary knows it; numbers and
identifiers never are. Distance is optimal string alignment: a swap of neighbours is one edit.
"""

from collections.abc import Sequence

from atmem_core.records import Term
from atmem_core.store.protocol import ReadView
from atmem_core.text import is_known_word

_LONG_WORD = 7
"""From this length on, two edits are allowed."""
MOST_CORRECTIONS = 3


def corrections(term: Term, view: ReadView) -> tuple[str, ...]:
    """Stored words that the term may be a slip of, nearest first, ties by alphabet; 3 at most."""
    if not term.correctable or is_known_word(term.word):
        return ()
    edits = 2 if len(term.word) >= _LONG_WORD else 1
    found: list[tuple[int, str]] = []
    for length in range(len(term.word) - edits, len(term.word) + edits + 1):
        found.extend(_within(term.word, view.vocabulary(length), edits))
    nearest = min((distance for distance, _ in found), default=0)
    return tuple(word for distance, word in sorted(found) if distance == nearest)[:MOST_CORRECTIONS]


def _within(word: str, choices: Sequence[str], edits: int) -> list[tuple[int, str]]:
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - of use to an unknown word alone
    from rapidfuzz.process import extract  # noqa: PLC0415 - as above

    matches = extract(word, choices, scorer=OSA.distance, score_cutoff=edits, limit=20)
    return [(int(distance), choice) for choice, distance, _ in matches]
