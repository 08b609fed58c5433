"""Memory as data: a fence that no text inside can close.

The fence is the place where a model is told that what follows is data. Text inside is escaped so that
no note can close it, open another one, or look like a message of the host.
"""

import re
import unicodedata

TAG = "atmem-memory"
"""Name of the element around recalled memory. Capture strips what stands in it."""

_BREAK = re.compile(r"[\r\n\t\v\f\x1c-\x1e\x85\u2028\u2029]+")
_NOT_SHOWN = frozenset({"Cc", "Cf", "Co", "Cs"})
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0")
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_ANGLES = str.maketrans(
    {"<": "&lt;", ">": "&gt;", "\uff1c": "&lt;", "\uff1e": "&gt;", "\ufe64": "&lt;", "\ufe65": "&gt;"}
)
"""Angle brackets, the full-width and the small ones too."""
_FENCED = re.compile(rf"<{TAG}\b[^>]*>.*?(?:</{TAG}>|\Z)", re.DOTALL | re.IGNORECASE)


def escape(text: str) -> str:
    """One line, without control, zero-width and direction characters, and with ``& < >`` as entities.

    Lines are joined by " / ", so that no line of a note can pass for a line of the host. Brackets of a
    Markdown image are broken: nothing in a note loads by being shown.
    """
    text = _BREAK.sub(" / ", text.strip())
    text = "".join(char for char in text if not _unseen(char))
    text = text.replace("&", "&amp;").translate(_ANGLES)
    return text.replace("![", "! [").replace("```", "` ` `")


def _unseen(char: str) -> bool:
    """Control and format characters, variation selectors, and letters that are drawn as nothing."""
    if char.isascii():
        return not char.isprintable()
    return unicodedata.category(char) in _NOT_SHOWN or char in _BLANK_LETTERS or char in _SELECTORS


def fenced(lines: list[str], note: str) -> str:
    """The lines between the tags, after one line that says what they are."""
    return "\n".join([f"<{TAG}>", note, *lines, f"</{TAG}>"])


def without_fence(text: str) -> str:
    """``text`` with everything removed that stood in a fence, closed or not."""
    return _FENCED.sub("", text)
