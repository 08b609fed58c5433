"""What a reader of a format does: one JSON value in, texts and what was left out, in order.

Rules that every reader keeps:

1. It reads JSON values and nothing else: no file, no clock, no store. The same value gives the same texts.
2. Who said a text is kept. What the person said comes from a file now, so its source is ``import``, less
   trusted than what she tells herself; what an assistant said stays the assistant's.
3. ``key`` names the text within the format, for ever: the same file again stores nothing twice.
4. What isn't stored is said, with a code and ids, never with the text. A malformed part costs that part.
5. Several people's memories in one file: those of one owner are brought, the first one's unless named.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from atmem_core.records import ImportCode, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """One text that a file brings, before it is checked."""

    text: str
    key: str
    """Ids of the format, most general first, joined by ``/``."""
    speaker: str = "user"
    source: Source = Source.IMPORT
    project: str | None = None
    session: str | None = None
    agent: str | None = None
    occurred_at: datetime | None = None
    valid_to: datetime | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One part that isn't stored, and why."""

    code: ImportCode
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a caller wants of a file."""

    owner: str | None = None
    """Whose memories, where a file holds those of several; None is the first one's."""
    assistant: bool = True
    """What assistants said, too?"""


class FormatReader(Protocol):
    """Reads one file; it may remember what came before in it."""

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """The texts of one value: a conversation, a memory, or a page of memories."""
        ...


class Owners:
    """Keeps to one owner."""

    def __init__(self, wanted: str | None) -> None:
        self._wanted = wanted

    def refusal(self, *names: str, where: str) -> LeftOut | None:
        """Why this belongs to somebody else; None when it doesn't.

        Args:
            names: Every name that the owner may go by; without one it is nobody else's.
            where: Ids of what it is about.
        """
        if self._wanted is None and names:
            self._wanted = names[0]
        if not names or self._wanted in names:
            return None
        return LeftOut(
            code=ImportCode.OTHER_OWNER,
            message=f"belongs to {names[0]!r}; import it apart, with that as the owner",
            where=where,
        )
