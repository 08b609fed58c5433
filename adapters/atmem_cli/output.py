"""What goes to the terminal, and what goes to a program."""

import dataclasses
import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Protocol, runtime_checkable

from rich.console import Console

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What moves a cursor, rings, recolours or turns the direction of a line."""


@runtime_checkable
class Document(Protocol):
    """A value that knows its own JSON."""

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types."""
        ...


def as_json(value: object) -> object:
    """Plain JSON types: dataclasses by field, times in ISO form, enums by value."""
    if isinstance(value, Document):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value))
        return {name: as_json(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_json(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, Enum) else value


def print_json(value: object, *, to_stderr: bool = False) -> None:
    """One JSON document; in ASCII where the stream isn't UTF-8, since escapes survive there."""
    stream = sys.stderr if to_stderr else sys.stdout
    print(json.dumps(as_json(value), indent=2, ensure_ascii=not speaks_utf(stream)), file=stream)


def speaks_utf(stream: object) -> bool:
    """Can this stream show every character?"""
    return (getattr(stream, "encoding", None) or "").lower().startswith("utf")


def console(*, to_stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no emoji names, no colouring of numbers."""
    return Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)


def plain(text: str) -> str:
    """The text with control characters shown, not obeyed: a note is data for a terminal too."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def one_line(text: str, limit: int) -> str:
    """The text on one line, cut to ``limit`` characters with an ellipsis."""
    line = plain(" ".join(text.split()))
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
