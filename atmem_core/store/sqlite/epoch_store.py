"""Epochs on one SQLite file. Each method is one transaction."""

from collections.abc import Mapping
from datetime import datetime

from atmem_core.clock import to_micros
from atmem_core.errors import ProfileRefused
from atmem_core.records import Coverage, EmbeddingIdentity, Epoch, Verification
from atmem_core.store.protocol import Pending
from atmem_core.store.sqlite import coverage, epochs
from atmem_core.store.sqlite.asking import every, sole
from atmem_core.store.sqlite.connections import Connections


class SqliteEpochs:
    """See ``EpochStore``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def serving(self, subject: str | None) -> Epoch | None:
        """The active epoch that serves a subject."""
        with self._connections.reading() as connection:
            return epochs.serving(connection, subject)

    def epochs(self, owner: str | None) -> list[Epoch]:
        """Newest first."""
        with self._connections.reading() as connection:
            return epochs.epochs(connection, owner)

    def stage(
        self,
        owner: str | None,
        identity: EmbeddingIdentity,
        choice: Mapping[str, object],
        *,
        at: datetime,
    ) -> Epoch:
        """Begin, or go on."""
        with self._connections.writing() as connection:
            return epochs.stage(connection, owner, identity, choice, at=to_micros(at))

    def adopt(
        self,
        owner: str | None,
        identity: EmbeddingIdentity,
        choice: Mapping[str, object],
        verification: Verification | None = None,
        *,
        at: datetime,
    ) -> None:
        """Record what served."""
        with self._connections.writing() as connection:
            number = epochs.adopt(connection, owner, identity, choice, at=to_micros(at))
            if number is not None and verification is not None:
                epochs.verify(connection, number, verification, to_micros(at))

    def verify_epoch(self, number: int, verification: Verification, *, at: datetime) -> Epoch:
        """Keep what the gate found."""
        with self._connections.writing() as connection:
            return epochs.verify(connection, number, verification, to_micros(at))

    def give_up(self, number: int) -> None:
        """Drop one that never was active."""
        with self._connections.writing() as connection:
            connection.execute(epochs.GIVE_UP_ONE, {"number": number})

    def missing(
        self, owner: str | None, identity_digest: str, *, limit: int, before: int | None = None
    ) -> list[Pending]:
        """Newest row first."""
        with self._connections.reading() as connection:
            number = epochs.owner_number(connection, owner)
            if number is None:
                return []
            return coverage.missing(connection, number, identity_digest, limit=limit, before=before)

    def coverage(self, owner: str | None, identity_digest: str) -> Coverage:
        """Records, and those that have a vector."""
        with self._connections.reading() as connection:
            number = epochs.owner_number(connection, owner)
            if number is None:
                return Coverage(records=0, vectors=0)
            return coverage.coverage(connection, number, identity_digest)

    def activate(self, number: int, *, at: datetime) -> Epoch:
        """Let it serve; what it replaces is retired in the same transaction."""
        with self._connections.writing() as connection:
            epoch = epochs.by_number(connection, number)
            if epoch.active_from is not None:
                return epoch
            if epoch.verified_at is None:
                raise ProfileRefused("not_verified", f"epoch {number} hasn't passed the gate")
            owner = int(sole(connection, epochs.OWNER, {"number": number})[0])
            left = coverage.coverage(connection, owner, epoch.identity.digest).missing
            if left:
                raise ProfileRefused("records_left", f"{left} records have no vector of this model yet")
            moment = {"owner": owner, "number": number, "at": to_micros(at)}
            connection.execute(epochs.RETIRE, moment)
            connection.execute(epochs.BEGIN, moment)
            coverage.wait_for(connection, owner, epoch.identity.digest)
            return epochs.by_number(connection, number)

    def roll_back(self, owner: str | None, *, at: datetime) -> Epoch:
        """Return to the epoch before; what was stored since waits."""
        with self._connections.writing() as connection:
            number = epochs.owner_number(connection, owner)
            epoch = epochs.return_to_earlier(connection, -1 if number is None else number, to_micros(at))
            coverage.wait_for(connection, number or epochs.DEFAULT, epoch.identity.digest)
            return epoch

    def prune(self, subject: str, identity_digest: str) -> int:
        """All or none."""
        with self._connections.writing() as connection:
            return coverage.prune(connection, subject, identity_digest)

    def subjects(self) -> dict[str, int]:
        """Sorted by name."""
        with self._connections.reading() as connection:
            return dict(every(connection, coverage.SUBJECTS))
