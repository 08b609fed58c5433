"""What a store can do with lessons and procedures. Nothing of them is deleted but by an erase."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from atmem_core.records import Advice, AdviceStatus, CopyOutcome, RecordKind, Vote
from atmem_core.store.profile_protocol import VoteRule


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAdvice:
    """A lesson or a procedure and the tokens that find it."""

    advice: Advice
    search_text: str
    """Folded tokens joined by a space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """As much of one as its place in a recall needs."""

    id: str
    search_text: str
    vote_score: float
    success_count: int
    failure_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """When advice is deprecated."""

    unused_before: datetime
    """Advice from before this instant that never helped: no success, and no use of a procedure."""
    most: int
    """Of each kind; above it the ones that were touched longest ago go."""


class AdviceStore(Protocol):
    """Lessons and procedures of every subject; each call names one."""

    def put(self, subject: str, advice: Sequence[HeldAdvice]) -> list[CopyOutcome | None]:
        """Store each with its parents, in one transaction; None for an id of somebody else.

        One that is there and active, and was deprecated elsewhere, is deprecated here.
        """
        ...

    def get(self, subject: str, advice_id: str, kind: RecordKind) -> Advice:
        """One of them, whatever its state. Raises NotFound."""
        ...

    def advice(
        self,
        subject: str,
        kind: RecordKind,
        *,
        project: str | None,
        status: AdviceStatus | None,
        limit: int,
        offset: int = 0,
    ) -> list[Advice]:
        """Best votes first, then the newest."""
        ...

    def standing(self, subject: str, kind: RecordKind, *, project: str | None) -> Sequence[Standing]:
        """Active advice none of whose parents was superseded, forgotten, deprecated or lost."""
        ...

    def deprecate(self, subject: str, advice_id: str, kind: RecordKind, *, at: datetime) -> list[str]:
        """Take it out of recall; a lesson takes its procedures along. Ids that changed. Raises NotFound."""
        ...

    def count_outcome(
        self, subject: str, advice_id: str, kind: RecordKind, *, success: bool, at: datetime
    ) -> None:
        """Count a success or a failure. Raises NotFound."""
        ...

    def count_uses(self, subject: str, advice_ids: Sequence[str], kind: RecordKind, *, at: datetime) -> None:
        """Count one use of each; ids of others are passed over."""
        ...

    def vote(
        self, subject: str, advice_id: str, kind: RecordKind, vote: Vote, *, rule: VoteRule, most: int
    ) -> float:
        """Count a vote and log it; the new score. Raises NotFound."""
        ...

    def deprecate_stale(self, subject: str, stale: Staleness, *, at: datetime) -> list[str]:
        """Deprecate by age, by votes, by overflow; ids that changed."""
        ...

    def every(
        self, subject: str, kind: RecordKind, *, after: int, limit: int
    ) -> list[tuple[int, HeldAdvice]]:
        """All of a kind with their rows, for an export, from behind a row."""
        ...
