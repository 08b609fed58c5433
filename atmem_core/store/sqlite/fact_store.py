"""Facts on one SQLite file. Each method is one transaction."""

from collections.abc import Sequence
from datetime import datetime

from atmem_core.clock import to_micros
from atmem_core.config import Config
from atmem_core.records import Consolidate, Fact, FactDraft, FactStored
from atmem_core.store.fact_protocol import FactFilter
from atmem_core.store.sqlite import fact_leaving, fact_reading, fact_writing
from atmem_core.store.sqlite.connections import Connections
from atmem_core.store.sqlite.fact_rows import by_id


class SqliteFacts:
    """See ``FactStore``."""

    def __init__(self, connections: Connections, *, config: Config) -> None:
        self._connections = connections
        self._config = config

    def put(self, draft: FactDraft, consolidate: Consolidate, *, supersedes: str | None = None) -> FactStored:
        """Look up, ask, do."""
        with self._connections.writing() as connection:
            return fact_writing.put(
                connection,
                draft,
                consolidate,
                supersedes=supersedes,
                max_notes=self._config.max_notes,
            )

    def get(self, subject: str, fact_id: str) -> Fact:
        """The fact, whatever its state."""
        with self._connections.reading() as connection:
            return by_id(connection, subject, fact_id)[1]

    def facts(self, fact_filter: FactFilter, *, limit: int, offset: int = 0) -> list[Fact]:
        """Newest recorded first."""
        with self._connections.reading() as connection:
            return fact_reading.facts(connection, fact_filter, limit=limit, offset=offset)

    def of_ids(self, subject: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Facts by id."""
        with self._connections.reading() as connection:
            return fact_reading.of_ids(connection, subject, fact_ids)

    def history(self, subject: str, fact_id: str) -> list[Fact]:
        """The chain of supersession, oldest first."""
        with self._connections.reading() as connection:
            return fact_reading.history(connection, subject, fact_id)

    def forget(self, subject: str, fact_id: str, *, at: datetime) -> bool:
        """End and forget a fact that stands."""
        with self._connections.writing() as connection:
            return fact_leaving.forget_fact(connection, subject, fact_id, at=to_micros(at))

    def derived(self, subject: str, source_ids: Sequence[str]) -> list[str]:
        """Ids of the facts that these said."""
        with self._connections.reading() as connection:
            return fact_reading.derived(connection, subject, source_ids)
