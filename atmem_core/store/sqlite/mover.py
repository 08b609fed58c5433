"""The part of the store that moves records in and out. Each method is one transaction."""

from collections.abc import MutableMapping, Sequence
from datetime import datetime

from atmem_core.config import Config
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
from atmem_core.store.sqlite import fact_moving, moving, turn_moving
from atmem_core.store.sqlite.connections import Connections


class SqliteMover:
    """See ``RecordMover``. Mixed into ``SqliteStore``, which has connections and settings."""

    _connections: Connections
    _config: Config

    def count_records(self, subject: str) -> int:
        """Records of every kind in every state; no links."""
        with self._connections.reading() as connection:
            return moving.count_records(connection, subject)

    def page_of_notes(self, subject: str, *, after: int, limit: int) -> list[HeldNote]:
        """The next notes, in the order in which they were stored."""
        with self._connections.reading() as connection:
            return moving.page_of_notes(connection, subject, after, limit)

    def page_of_links(self, subject: str, *, after: NoteLink | None, limit: int) -> list[NoteLink]:
        """The next links, in a fixed order."""
        with self._connections.reading() as connection:
            return moving.page_of_links(connection, subject, after, limit)

    def page_of_facts(self, subject: str, *, after: int, limit: int) -> list[HeldFact]:
        """The next facts, in the order in which they were stored."""
        with self._connections.reading() as connection:
            return fact_moving.page_of_facts(connection, subject, after, limit)

    def page_of_turns(self, subject: str, *, after: int, limit: int) -> list[TurnCopy]:
        """The next turns, in the order in which they were stored."""
        with self._connections.reading() as connection:
            return turn_moving.page_of_turns(connection, subject, after, limit)

    def copy_notes(
        self, subject: str, copies: Sequence[NoteCopy], *, aliases: MutableMapping[str, str], at: datetime
    ) -> list[CopyOutcome | CopyRefused]:
        """Store notes with their ids and states."""
        with self._connections.writing() as connection:
            answers = moving.copy_notes(connection, subject, copies, aliases=aliases)
            moving.archive_excess(connection, subject, max_notes=self._config.max_notes, at=at)
            return answers

    def copy_links(self, subject: str, links: Sequence[NoteLink]) -> list[CopyOutcome | CopyRefused]:
        """Store links between notes that are there."""
        with self._connections.writing() as connection:
            return moving.copy_links(connection, subject, links)

    def copy_facts(
        self, subject: str, copies: Sequence[FactCopy], *, aliases: MutableMapping[str, str], at: datetime
    ) -> list[CopyOutcome | CopyRefused]:
        """Store facts with their ids, states and ends."""
        with self._connections.writing() as connection:
            answers = fact_moving.copy_facts(connection, subject, copies, aliases=aliases)
            moving.archive_excess(connection, subject, max_notes=self._config.max_notes, at=at)
            return answers

    def copy_turns(
        self, subject: str, copies: Sequence[TurnCopy], *, aliases: MutableMapping[str, str]
    ) -> list[CopyOutcome | CopyRefused]:
        """Store turns with their ids."""
        with self._connections.writing() as connection:
            return turn_moving.copy_turns(connection, subject, copies, aliases=aliases)
