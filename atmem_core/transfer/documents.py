"""JSON values of a stream, one at a time: lines, a large array, or values behind each other.

An export of years is one array of hundreds of megabytes, often in one line. Its elements are cut out by their
brackets and parsed one by one; a broken one costs itself and no other.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

MAX_VALUE_CHARS = 64 * 1024 * 1024
"""Longest single value. More is held for a bracket that never closes."""
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|"', re.DOTALL)
_OPENING = frozenset("[{")
_BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One value, or what is wrong with the place where one should be."""

    line: int
    """From 1, where it begins."""
    value: object = None
    error: str = ""
    """Empty for a good one; holds no text of the file."""


def lines_of(chunks: Iterable[str]) -> Iterator[str]:
    """The lines of a text that comes in chunks, without line ends."""
    rest = ""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split("\n")
        yield from whole
    if rest:
        yield rest


def documents(chunks: Iterator[str]) -> Iterator[Document]:
    """Every value of the stream, in order."""
    head = head_of(chunks)
    rest = chain([head], chunks)
    if head.lstrip().startswith("["):
        yield from _parsed(_Splitter(inside=1), rest)
    elif _is_json(head.lstrip().partition("\n")[0]):
        yield from _lines(rest)
    else:
        yield from _parsed(_Splitter(inside=0), rest)


def head_of(chunks: Iterator[str]) -> str:
    """The beginning, up to the first line that isn't blank or the end of a chunk."""
    head = ""
    for chunk in chunks:
        head += chunk
        begun = head.lstrip()
        if begun.startswith("[") or "\n" in begun or len(begun) > MAX_VALUE_CHARS:
            break
    return head


def _is_json(text: str) -> bool:
    return isinstance(_value(text), dict)


def _value(text: str) -> object:
    """The value of a JSON text; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(chunks: Iterator[str]) -> Iterator[Document]:
    for number, line in enumerate(lines_of(chunks), start=1):
        if line.strip():
            value = _value(line)
            error = "" if isinstance(value, dict) else "the line is no JSON object"
            yield Document(line=number, value=value, error=error)


def _parsed(splitter: "_Splitter", chunks: Iterator[str]) -> Iterator[Document]:
    for chunk in chunks:
        yield from splitter.feed(chunk)
        if splitter.lost:
            break
    yield from splitter.finish()


class _Splitter:
    """Cuts values out of a text by counting brackets outside of strings."""

    def __init__(self, *, inside: int) -> None:
        self._inside = inside
        """Depth at which a value begins: 1 in an array."""
        self._buffer = ""
        self._at = 0
        """Everything before is looked at."""
        self._begin = 0
        """End of the last value, or begin of the one that is open."""
        self._depth = 0
        self._line = 1
        self._counted = 0
        self.lost = False

    def feed(self, chunk: str) -> Iterator[Document]:
        """Values that end in this chunk."""
        self._buffer += chunk
        while (token := _TOKEN.search(self._buffer, self._at)) is not None and token[0] != '"':
            self._at = token.end()
            if token[0] in _OPENING:
                yield from self._open(token.start())
            elif token[0][0] != '"':
                yield from self._close()
        if token is None:
            self._at = len(self._buffer)
        else:
            self._at = token.start()  # a string that goes on in the next chunk
        self._trim()
        self.lost = self.lost or len(self._buffer) > MAX_VALUE_CHARS

    def _open(self, at: int) -> Iterator[Document]:
        if self._depth == 0 and self._inside:
            self._begin = at + 1
        elif self._depth == self._inside:
            yield from self._between(at)
            self._begin = at
        self._depth += 1

    def _close(self) -> Iterator[Document]:
        self._depth -= 1
        if self._depth == self._inside:
            value = _value(self._buffer[self._begin : self._at])
            error = "" if isinstance(value, dict) else "the value is no JSON object"
            yield Document(line=self._line_at(self._begin), value=value, error=error)
            self._begin = self._at
        elif self._depth < self._inside:
            yield from self._between(self._at - 1)
            self._begin = self._at
            self._depth = max(self._depth, 0)

    def _between(self, end: int) -> Iterator[Document]:
        """Nothing but space and commas may stand between two values."""
        begin = self._begin
        if _BETWEEN.fullmatch(self._buffer, begin, end) is None:
            yield Document(line=self._line_at(begin), error="something that is no JSON object stands here")

    def finish(self) -> Iterator[Document]:
        """What is wrong with the end."""
        if self._depth or self.lost:
            yield Document(
                line=self._line_at(self._begin),
                error="the file ends in the middle of a value, or a bracket is missing",
            )
        else:
            yield from self._between(len(self._buffer))

    def _line_at(self, at: int) -> int:
        self._line += self._buffer.count("\n", self._counted, at)
        self._counted = max(self._counted, at)
        return self._line

    def _trim(self) -> None:
        """Let go of what is looked at and done."""
        done = self._begin if self._depth > self._inside else min(self._begin, self._at)
        self._line_at(done)
        self._buffer = self._buffer[done:]
        self._at -= done
        self._counted -= done
        self._begin = 0
