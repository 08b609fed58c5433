"""Memory as data: a fence that no text inside can close.

The fence is the place where a model is told that what follows is data. Text inside is escaped so that
no note can close it, open another one, or look like a message of the host.
"""

import re

TAG = "atmem-memory"
"""Name of the element around recalled memory. Capture strips what stands in it."""

_BREAK = re.compile(r"[\r\n\t\v\f\x1c-\x1e\x85\u2028\u2029]+")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_FENCED = re.compile(rf"<{TAG}\b[^>]*>.*?(?:</{TAG}>|\Z)", re.DOTALL | re.IGNORECASE)


def escape(text: str) -> str:
    """One line, without control, zero-width and direction characters, and with ``& < >`` as entities.

    Lines are joined by " / ", so that no line of a note can pass for a line of the host. Brackets of a
    Markdown image are broken: nothing in a note loads by being shown.
    """
    text = _BREAK.sub(" / ", text.strip())
    text = _UNSEEN.sub("", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("![", "! [").replace("```", "` ` `")


def fenced(lines: list[str], note: str) -> str:
    """The lines between the tags, after one line that says what they are."""
    return "\n".join([f"<{TAG}>", note, *lines, f"</{TAG}>"])


def without_fence(text: str) -> str:
    """``text`` with everything removed that stood in a fence, closed or not."""
    return _FENCED.sub("", text)
