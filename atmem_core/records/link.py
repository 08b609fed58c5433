"""Links: typed, weighted ties between two notes of one subject. ``NoteLink`` is the tie itself."""

from dataclasses import dataclass
from enum import StrEnum

from atmem_core.records.note import Note


class LinkKind(StrEnum):
    """What ties two notes. Directed; an expansion walks both ways."""

    RELATES_TO = "relates_to"
    CAUSED_BY = "caused_by"
    REFERENCES = "references"
    CONTRADICTS = "contradicts"
    DUPLICATES = "duplicates"
    SUPERSEDES = "supersedes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A note that an expansion reached. It stands beside its anchor and is evidence of nothing."""

    note: Note
    anchor: str
    """Id of the note that the walk began at."""
    via: str
    """Id of the note right before it on the walk; at depth 1 the anchor."""
    kind: str
    """Of the last link; a ``LinkKind``, or what an imported file called it."""
    weight: float
    """Of the last link, 0 to 1, higher is closer."""
    depth: int
    """Links from the anchor, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksGenerated:
    """What a model made of the ids of a turn."""

    links: tuple[tuple[str, str, str, float], ...] = ()
    """From, to, kind and weight of each link that was stored."""
    dropped: int = 0
    """Entries of the reply that named other ids or kinds, or were no entries."""
    failure: str = ""
    """Why nothing came, one word, such as ``timeout``; empty when a reply came."""
    skipped: str = ""
    """Why nothing was asked: ``few_notes``; empty when a model was asked."""
