"""What a store can do with the turns of sessions. They are history: no decision sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from atmem_core.records import ExtractionJob, ExtractionState, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDraft:
    """A checked turn that isn't stored yet."""

    turn: Turn
    search_text: str
    """Folded tokens joined by a space."""


class TurnStore(Protocol):
    """Turns of every subject; each call but the look for waiting ones names a subject."""

    def append(self, drafts: Sequence[TurnDraft]) -> list[Turn]:
        """Store them in this order, one transaction, or find those with the same idempotency key.

        Raises:
            WriteRefused: ``idempotency_conflict``: a key was used for another text.
        """
        ...

    def recent(self, subject: str, session: str, *, limit: int) -> list[Turn]:
        """The newest turns of a session, newest first."""
        ...

    def texts(self, subject: str, session: str) -> Mapping[str, str]:
        """``search_text`` of every turn of a session by id, newest first."""
        ...

    def of_ids(self, subject: str, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Turns by id; ids that this subject doesn't have are missing."""
        ...

    def pending(
        self, *, limit: int, subject: str | None = None, after: int = 0
    ) -> list[tuple[int, ExtractionJob]]:
        """Turns that wait for extraction, oldest first, with their rows; those above row ``after``."""
        ...

    def settle(self, turn_id: str, state: ExtractionState) -> None:
        """Note where the extraction of a turn stands; an unknown id is ignored: it was erased."""
        ...

    def attempted(self, turn_id: str, *, most: int) -> ExtractionState:
        """Count a failed attempt; at ``most`` the turn is given up. What the turn is now."""
        ...

    def counts(self, subject: str | None = None) -> Mapping[ExtractionState, int]:
        """Turns by the state of their extraction."""
        ...
