"""The store on one SQLite file. Each method is one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import apsw

from atmem_core.clock import to_micros
from atmem_core.config import Config
from atmem_core.errors import StoreBusy, StoreError, StoreFull
from atmem_core.records import (
    EraseReceipt,
    Forgotten,
    Note,
    NoteDraft,
    Selector,
    StoreStats,
)
from atmem_core.store.protocol import Pending, ReadFilter, Stored
from atmem_core.store.sqlite import listing, upkeep
from atmem_core.store.sqlite.adding import add
from atmem_core.store.sqlite.advice import SqliteAdvice
from atmem_core.store.sqlite.asking import first, sole
from atmem_core.store.sqlite.connections import MEMORY, Connections, retry
from atmem_core.store.sqlite.context_leaving import erase_all, forget_all
from atmem_core.store.sqlite.encryption import described
from atmem_core.store.sqlite.epoch_store import SqliteEpochs
from atmem_core.store.sqlite.fact_store import SqliteFacts
from atmem_core.store.sqlite.links import SqliteLinks
from atmem_core.store.sqlite.mover import SqliteMover
from atmem_core.store.sqlite.opening import SCHEMA_VERSION, connect
from atmem_core.store.sqlite.profile import SqliteProfile
from atmem_core.store.sqlite.rows import by_id
from atmem_core.store.sqlite.turns import SqliteTurns
from atmem_core.store.sqlite.vector_cache import VectorCache
from atmem_core.store.sqlite.vectors import put_vectors
from atmem_core.store.sqlite.view import SqliteView

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

# With its value: an erase that another process did meanwhile still waits.
_NO_LONGER_PENDING = "DELETE FROM file_state WHERE name = 'pending_checkpoint' AND value = :erasure"
_PENDING = "SELECT value FROM file_state WHERE name = 'pending_checkpoint'"
_ERASE_WAIT_MS = 500
"""How long an erase waits for readers to let go of the log. A read takes a few milliseconds."""


_MOST_IN_MEMORY = 256 * 1024 * 1024
"""Bytes of a file that is written anew by way of memory. A larger one goes by way of a temporary file, which
holds nothing that was erased. That of an encrypted file would be in the clear: it always stays in memory."""
_BYTES = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"


def _write_anew(connection: apsw.Connection, connections: Connections) -> None:
    by_file = not connections.keyed and sole(connection, _BYTES)[0] > _MOST_IN_MEMORY
    if by_file:
        connection.execute("PRAGMA temp_store = FILE")
    try:
        connection.execute("VACUUM")
    finally:
        if by_file:
            connection.execute("PRAGMA temp_store = MEMORY")


class SqliteStore(SqliteMover):
    """See ``Store``. Safe for threads, and for several processes on one file."""

    def __init__(self, connections: Connections, *, config: Config) -> None:
        self._connections = connections
        self._config = config
        self._cache = VectorCache(
            most_bytes=config.vector_cache_bytes,
            exact=config.exact_vectors,
            ceiling=config.brute_force_ceiling,
        )
        self._facts = SqliteFacts(connections, config=config)
        self._turns = SqliteTurns(connections)
        self._links = SqliteLinks(connections)
        self._profile = SqliteProfile(connections)
        self._advice = SqliteAdvice(connections)
        self._epochs = SqliteEpochs(connections)

    @classmethod
    def open(cls, path: str | Path, *, config: Config, create: bool = True, read_only: bool = False) -> Self:
        """Open the file, making it when it isn't there; finishes an erase that a reader held up."""
        connections = connect(path, config=config, create=create, read_only=read_only)
        connections.looked_through = upkeep.damaged
        store = cls(connections, config=config)
        try:
            store.finish_erase()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def fact_store(self) -> SqliteFacts:
        """Facts, over the same connections."""
        return self._facts

    @property
    def turn_store(self) -> SqliteTurns:
        """Session history, over the same connections."""
        return self._turns

    @property
    def link_store(self) -> SqliteLinks:
        """Links, over the same connections."""
        return self._links

    @property
    def profile_store(self) -> SqliteProfile:
        """Profile facts, over the same connections."""
        return self._profile

    @property
    def advice_store(self) -> SqliteAdvice:
        """Lessons and procedures, over the same connections."""
        return self._advice

    @property
    def epoch_store(self) -> SqliteEpochs:
        """Epochs, over the same connections."""
        return self._epochs

    @contextmanager
    def read(self, read_filter: ReadFilter) -> Iterator[SqliteView]:
        """A snapshot."""
        with self._connections.reading() as connection:
            yield SqliteView(
                connection, read_filter, self._cache, extension=self._connections.vector_extension
            )

    def add(self, draft: NoteDraft, *, supersedes: str | None = None) -> Stored:
        """Store a note, or find the same one."""
        with self._connections.writing() as connection:
            return add(connection, draft, supersedes=supersedes, max_notes=self._config.max_notes)

    def get(self, subject: str, note_id: str) -> Note:
        """The note, whatever its state."""
        with self._connections.reading() as connection:
            return by_id(connection, subject, note_id)[1]

    def notes(
        self, read_filter: ReadFilter, *, limit: int, offset: int = 0, all_states: bool = False
    ) -> list[Note]:
        """Newest first."""
        with self._connections.reading() as connection:
            return listing.notes(connection, read_filter, limit=limit, offset=offset, all_states=all_states)

    def versions(self, subject: str, note_id: str) -> list[Note]:
        """The chain of supersession, oldest first."""
        with self._connections.reading() as connection:
            return listing.versions(connection, subject, note_id)

    def forget(self, subject: str, selector: Selector, *, at: datetime) -> Forgotten:
        """Take notes out of recall; their rows stay."""
        with self._connections.writing() as connection:
            return forget_all(connection, subject, selector, to_micros(at))

    def erase(self, subject: str, selector: Selector, *, at: datetime) -> EraseReceipt:
        """Remove the bytes."""
        to_micros(at)
        with self._connections.writing() as connection:
            receipt = erase_all(connection, subject, selector)
        self._cache.clear()
        done = self.finish_erase(wait_ms=_ERASE_WAIT_MS)
        return EraseReceipt(ids=receipt.ids, counts=receipt.counts, pending_checkpoint=not done)

    def finish_erase(self, *, wait_ms: int = 0) -> bool:
        """Empty the log after an erase. False while a reader holds it open."""
        if self._connections.read_only or self._connections.path == MEMORY:
            return True
        with self._connections.reading() as connection:
            pending = first(connection, _PENDING)
        if pending is None:
            return True
        try:
            with self._connections.outside() as connection:
                # Moving rows between pages leaves stale copies that secure_delete doesn't reach: only a
                # file written anew is proven to hold nothing of what was erased.
                retry(partial(_write_anew, connection, self._connections), wait_ms, self._connections.path)
                checkpoint = partial(connection.wal_checkpoint, mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                retry(checkpoint, wait_ms, self._connections.path)
            with self._connections.writing() as connection:
                connection.execute(_NO_LONGER_PENDING, {"erasure": pending[0]})
        except (StoreBusy, StoreFull):
            return False
        return True

    def mark_used(self, subject: str, note_ids: Sequence[str], *, at: datetime) -> None:
        """Count one use of each note."""
        with self._connections.writing() as connection:
            listing.mark_used(connection, subject, note_ids, to_micros(at))

    def vouch(self, subject: str, note_id: str, *, trust: float) -> None:
        """Give a current note this trust."""
        with self._connections.writing() as connection:
            listing.vouch(connection, subject, note_id, trust=trust)

    def set_archived(self, subject: str, note_ids: Sequence[str], *, at: datetime) -> int:
        """Archive notes; how many changed."""
        with self._connections.writing() as connection:
            return listing.archive(connection, subject, note_ids, to_micros(at))

    def put_vectors(self, identity_digest: str, vectors: Mapping[int, "Float32Array"]) -> None:
        """Store vectors by row."""
        with self._connections.writing() as connection:
            put_vectors(connection, identity_digest, vectors)

    def awaiting_vectors(self, *, limit: int, subject: str | None = None) -> list[Pending]:
        """Notes without a vector yet, newest first."""
        with self._connections.reading() as connection:
            return listing.awaiting(connection, subject, limit)

    def stats(self, subject: str | None = None) -> StoreStats:
        """Counts."""
        with self._connections.reading() as connection:
            return upkeep.stats(connection, self._connections.path, subject)

    def facts(self) -> Mapping[str, str]:
        """File and driver, by name."""
        with self._connections.reading() as connection:
            journal = str(sole(connection, "PRAGMA journal_mode")[0])
        return {
            "file": self._connections.path,
            "access": "read-only" if self._connections.read_only else "read and write",
            "schema": str(SCHEMA_VERSION),
            "encryption": described(keyed=self._connections.keyed),
            "SQLite": f"{apsw.sqlite_lib_version()}, journal {journal}",
            "vector scan": "sqlite-vec" if self._connections.vector_extension else "numpy",
        }

    def verify(self) -> list[str]:
        """What is wrong, one finding a line."""
        with self._connections.outside() as connection:
            return upkeep.verify(connection, self._connections.path, timeout_ms=self._config.write_timeout_ms)

    def repair(self) -> list[str]:
        """Build again what is derived."""
        with self._connections.writing() as connection:
            done = upkeep.repair(connection)
        self._cache.clear()
        return done

    def backup(self, path: str | Path) -> None:
        """Copy the file."""
        with self._connections.outside() as connection:
            if self._config.key is not None and not self._connections.keyed:
                raise StoreError(
                    "a memory in this process has no key, nor would its backup; export it instead"
                )
            upkeep.backup(connection, path, unlock=self._connections.unlock)

    def close(self) -> None:
        """Close every connection; finishes an erase that a reader held up."""
        try:
            # What can't be done now stays marked in the file: the next open does it.
            with suppress(StoreError):
                if not self._connections.closed:
                    self.finish_erase()
        finally:
            self._connections.close()
