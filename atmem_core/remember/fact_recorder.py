"""A fact's way in, whole: draft, one transaction with what it touches, then the vector."""

from collections.abc import Callable
from dataclasses import replace

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import NotFound
from atmem_core.policy.consolidate import consolidate
from atmem_core.records import FactWritten, ReasonCode
from atmem_core.remember.fact_draft import Statement, draft_fact
from atmem_core.remember.index import Indexer
from atmem_core.remember.redaction import cleared_statement
from atmem_core.store.protocol import Store

Heard = Callable[[FactWritten, Statement], None]
"""Told of every statement that changed something, after it is committed."""


class FactRecorder:
    """Stores what is stated."""

    def __init__(self, store: Store, indexer: Indexer, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._indexer = indexer
        self._config = config
        self._clock = clock
        self.heard: Heard | None = None

    def state(self, statement: Statement, *, supersedes: str | None = None) -> FactWritten:
        """Store one fact, close what it contradicts, or find it stored already.

        Raises:
            NotFound: ``source_id`` is the id of a note that this subject doesn't have.
        """
        statement = cleared_statement(statement, self._config.redaction)
        draft = draft_fact(statement, self._clock)
        self._check_source(statement)
        stored = self._store.fact_store.put(draft, consolidate, supersedes=supersedes)
        written = stored.written
        if written.created:
            embedded = self._indexer.index(stored.record, stored.row, catch_up=self._config.backfill_batch)
            if not embedded:
                written = replace(written, degraded=(ReasonCode.EMBEDDING_UNAVAILABLE.value,))
        if self.heard is not None and (written.created or written.closed):
            self.heard(written, statement)
        return written

    def _check_source(self, statement: Statement) -> None:
        """A note as source must be there; the ids of turns are the session history's."""
        source = statement.source_id
        if source is not None and source.startswith("n"):
            try:
                self._store.get(statement.scope.subject, source)
            except NotFound:
                raise NotFound(f"source_id: this subject has no note {source!r}") from None
