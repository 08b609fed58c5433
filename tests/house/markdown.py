"""Just enough Markdown: code blocks, tables, headings, links."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_ROW = re.compile(r"^\|[ \t]*`([^`]+)`[ \t]*\|[ \t]*(.*?)[ \t]*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block."""

    info: str
    """What follows the backticks, such as ``python``."""
    body: str
    line: int
    """Of the opening fence, from 1."""
    follows: bool
    """Is there nothing but blank lines between this block and the one before?"""


def blocks(text: str) -> list[Block]:
    """Fenced blocks, in order."""
    found: list[Block] = []
    end = 0
    for match in _FENCE.finditer(text):
        found.append(
            Block(
                info=match["info"].strip(),
                body=match["body"],
                line=text.count("\n", 0, match.start()) + 1,
                follows=bool(found) and not text[end : match.start()].strip(),
            )
        )
        end = match.end()
    return found


def prose(text: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", text)


def headings(text: str) -> list[str]:
    """Texts of the headings, in order."""
    return [match[2] for match in _HEADING.finditer(prose(text))]


def anchors(text: str) -> set[str]:
    """What ``#...`` may name on this page."""
    slugs: set[str] = set()
    for heading in headings(text):
        plain = re.sub(r"[^\w\- ]", "", heading.lower())
        slugs.add(plain.replace(" ", "-"))
    return slugs


def links(text: str) -> list[str]:
    """Targets of the links, in order."""
    return _LINK.findall(prose(text))


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of the same or a higher level.

    Raises:
        LookupError: The page has no such heading.
    """
    for match in _HEADING.finditer(text):
        if match[2].strip("`") == heading:
            rest = text[match.end() :]
            stop = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
            return rest[: stop.start()] if stop else rest
    raise LookupError(f"no heading {heading!r}")


def rows(text: str) -> dict[str, str]:
    """Table rows whose first cell is one code word: that word to the rest of the row."""
    return {match[1]: match[2] for match in _ROW.finditer(prose(text))}
