"""What a store can do to move records in and out, page by page and batch by batch."""

from collections.abc import MutableMapping, Sequence
from datetime import datetime
from typing import Protocol

from atmem_core.records import (
    CopyOutcome,
    CopyRefused,
    FactCopy,
    HeldFact,
    HeldNote,
    NoteCopy,
    NoteLink,
    TurnCopy,
)


class RecordMover(Protocol):
    """A part of ``Store``. Each call is one transaction."""

    def count_records(self, subject: str) -> int:
        """Records of every kind in every state; no links."""
        ...

    def page_of_notes(self, subject: str, *, after: int, limit: int) -> list[HeldNote]:
        """Notes in every state whose row is above ``after``, in the order in which they were stored."""
        ...

    def page_of_links(self, subject: str, *, after: NoteLink | None, limit: int) -> list[NoteLink]:
        """Links from the subject's notes, in a fixed order, those behind ``after``."""
        ...

    def copy_notes(
        self,
        subject: str,
        copies: Sequence[NoteCopy],
        *,
        aliases: MutableMapping[str, str],
        at: datetime,
    ) -> list[CopyOutcome | CopyRefused]:
        """Store notes with their ids and states; an answer for each, in order.

        A note that is there keeps what it has and takes on a supersession, forgetting or archiving that
        the copy has and it lacks: nothing is opened again. A current copy that says what a current note
        says is that note: ``aliases`` then maps the copy's id to it, and what the copy superseded points
        there.
        Above ``max_notes`` the least useful are archived at ``at``.
        """
        ...

    def copy_links(self, subject: str, links: Sequence[NoteLink]) -> list[CopyOutcome | CopyRefused]:
        """Store links between notes that are there; an answer for each, in order."""
        ...

    def page_of_facts(self, subject: str, *, after: int, limit: int) -> list[HeldFact]:
        """Facts in every state whose row is above ``after``, in the order in which they were stored."""
        ...

    def copy_facts(
        self,
        subject: str,
        copies: Sequence[FactCopy],
        *,
        aliases: MutableMapping[str, str],
        at: datetime,
    ) -> list[CopyOutcome | CopyRefused]:
        """Store facts with their ids, states and ends; an answer for each, in order.

        As ``copy_notes``. A copy that stands and says what a fact here says that stands is that fact.
        Nothing is consolidated: what the file says contradicts nothing that it doesn't say it does.
        """
        ...

    def page_of_turns(self, subject: str, *, after: int, limit: int) -> list[TurnCopy]:
        """Turns whose row is above ``after``, in the order in which they were stored."""
        ...

    def copy_turns(
        self, subject: str, copies: Sequence[TurnCopy], *, aliases: MutableMapping[str, str]
    ) -> list[CopyOutcome | CopyRefused]:
        """Store turns with their ids; an answer for each, in order.

        A turn that is there stays; it no longer waits for extraction when the copy doesn't.
        """
        ...
