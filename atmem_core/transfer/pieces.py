"""A text that is too long for a note, in pieces: at paragraphs, else lines, sentences, words."""

import re
from collections.abc import Iterator

_CUTS = tuple(re.compile(pattern) for pattern in (r"\n\s*\n", r"\n", r"(?<=[.!?])\s+", r"\s+"))
"""Where a text may be cut, best first. What is cut away is white space."""


def pieces(text: str, most: int) -> Iterator[str]:
    """The text in pieces of at most ``most`` characters, in order; nothing but white space is lost."""
    rest = text.strip()
    while len(rest) > most:
        end, begin = _cut(rest, most)
        yield rest[:end]
        rest = rest[begin:].lstrip()  # a piece of nothing but white space would be refused
    yield rest


def _cut(text: str, most: int) -> tuple[int, int]:
    """End of the first piece and begin of the rest: the last best place, not in the first half."""
    for cut in _CUTS:
        places = [found.span() for found in cut.finditer(text, most // 2, most + 1)]
        if places:
            return places[-1]
    return most, most
