"""What a store can do with profile facts."""

from collections.abc import Callable, Sequence
from typing import Protocol

from atmem_core.records import CopyOutcome, ProfileFact, ProfileWritten, Vote

VoteRule = Callable[[float, int], float]
"""The new score, from the old one and a vote. Called inside a transaction: it must be quick and pure."""


class ProfileStore(Protocol):
    """Profile facts of every subject; each call names one."""

    def put(self, fact: ProfileFact, *, supersedes_key: str | None, most: int) -> ProfileWritten:
        """Close the key's current version and store this one; one transaction.

        The current version of ``supersedes_key`` is closed too. Of more than ``most`` unpinned current facts
        the least are deleted: by votes, then by age; never a pinned one and never this one.
        """
        ...

    def current(self, subject: str) -> Sequence[ProfileFact]:
        """The current version of each key, by key."""
        ...

    def get(self, subject: str, key: str) -> ProfileFact:
        """The current version. Raises NotFound."""
        ...

    def history(self, subject: str, key: str) -> list[ProfileFact]:
        """All versions of a key, oldest first."""
        ...

    def remove(self, subject: str, key: str) -> str | None:
        """Delete the current version; its id, or None when there is none. Earlier versions stay."""
        ...

    def vote(self, subject: str, key: str, vote: Vote, *, rule: VoteRule, most: int) -> ProfileFact:
        """Count a vote on the current version, and log it; ``most`` stay logged. Raises NotFound."""
        ...

    def every(self, subject: str, *, after: int, limit: int) -> list[tuple[int, ProfileFact]]:
        """All versions of all keys with their rows, for an export, from behind a row."""
        ...

    def bring(self, subject: str, facts: Sequence[ProfileFact]) -> list[CopyOutcome | None]:
        """Store versions as they are, for an import, in one transaction; None for an id of somebody else.

        A current version whose key has one already comes in as superseded by that one. One that is there and
        is current, and was superseded elsewhere, is superseded here.
        """
        ...
