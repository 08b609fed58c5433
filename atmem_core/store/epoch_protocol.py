"""What a store can do with epochs. Nothing here touches a canonical record.

An *owner* is a subject by name, or None: the file's default, which serves every subject that has no active
epoch of its own.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from atmem_core.records import Coverage, EmbeddingIdentity, Epoch, Verification

if TYPE_CHECKING:
    from atmem_core.store.protocol import Pending


class EpochStore(Protocol):
    """Epochs of every owner. Each method is one transaction."""

    def serving(self, subject: str | None) -> Epoch | None:
        """The active epoch that serves a subject: its own, else the file's default, else None."""
        ...

    def epochs(self, owner: str | None) -> list[Epoch]:
        """All epochs of one owner, newest first."""
        ...

    def stage(
        self,
        owner: str | None,
        identity: EmbeddingIdentity,
        choice: Mapping[str, object],
        *,
        at: datetime,
    ) -> Epoch:
        """Begin an epoch beside the active one, or go on with the one that was begun for this identity.

        A begun one of another identity is given up; its vectors stay.
        """
        ...

    def adopt(
        self,
        owner: str | None,
        identity: EmbeddingIdentity,
        choice: Mapping[str, object],
        verification: Verification | None = None,
        *,
        at: datetime,
    ) -> None:
        """Make what serves the owner without an epoch of its own one, so that a rollback can return to it.

        Does nothing when the owner has an active epoch.
        """
        ...

    def verify_epoch(self, number: int, verification: Verification, *, at: datetime) -> Epoch:
        """Keep what the gate found. Raises NotFound when the epoch is gone."""
        ...

    def give_up(self, number: int) -> None:
        """Drop an epoch that never was active; any other stays."""
        ...

    def missing(
        self, owner: str | None, identity_digest: str, *, limit: int, before: int | None = None
    ) -> "list[Pending]":
        """Records of the owner without a vector of this identity, newest row first, below row ``before``."""
        ...

    def coverage(self, owner: str | None, identity_digest: str) -> Coverage:
        """How many of the owner's records have one."""
        ...

    def activate(self, number: int, *, at: datetime) -> Epoch:
        """Let an epoch serve and retire the one before it.

        Raises:
            ProfileRefused: ``not_verified``, or ``records_left``: a record has no vector of it yet.
            NotFound: The epoch is gone.
        """
        ...

    def roll_back(self, owner: str | None, *, at: datetime) -> Epoch:
        """Return to the verified epoch before the active one, in a new epoch of its identity.

        Records that were stored since wait for their vectors.

        Raises:
            ProfileRefused: ``no_earlier_epoch``, or ``vectors_pruned``.
        """
        ...

    def prune(self, subject: str, identity_digest: str) -> int:
        """Delete a subject's vectors of other identities; how many. Those of a begun epoch stay.

        Raises:
            ProfileRefused: ``records_left``: a record has no vector of ``identity_digest``.
        """
        ...

    def subjects(self) -> Mapping[str, int]:
        """Every subject with a record, sorted, with the row that its next record will have."""
        ...
