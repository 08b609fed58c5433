"""What a store can do with facts. The record of a fact, its words and its vector are in ``Store``."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from atmem_core.records import Consolidate, Fact, FactDraft, FactStored, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """Which facts a listing shows; an omitted part doesn't filter, a given one is exact equality."""

    scope: Scope
    at: datetime
    """Facts that hold at this instant."""
    known_at: datetime | None = None
    """As far as was known at this instant; None is now."""
    entity: str | None = None
    """As ``FactDraft.entity_key``."""
    predicate: str | None = None
    """As ``FactDraft.predicate_key``."""
    all_states: bool = False
    """Superseded, ended and forgotten ones too; without ``known_at`` only."""


class FactStore(Protocol):
    """Facts of every subject; each call names one."""

    def put(self, draft: FactDraft, consolidate: Consolidate, *, supersedes: str | None = None) -> FactStored:
        """Look up what the statement may touch, ask ``consolidate``, do what it says; one transaction.

        ``consolidate`` runs inside the transaction: it must be quick and pure.
        """
        ...

    def get(self, subject: str, fact_id: str) -> Fact:
        """The fact, whatever its state. Raises NotFound for a missing or a foreign id."""
        ...

    def facts(self, fact_filter: FactFilter, *, limit: int, offset: int = 0) -> list[Fact]:
        """Newest recorded first."""
        ...

    def of_ids(self, subject: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Facts by id; ids that this subject doesn't have are missing."""
        ...

    def history(self, subject: str, fact_id: str) -> list[Fact]:
        """The chain of supersession that this fact is in, oldest first."""
        ...

    def forget(self, subject: str, fact_id: str, *, at: datetime) -> bool:
        """End and forget a fact that stands. False when it doesn't, or isn't this subject's."""
        ...

    def derived(self, subject: str, source_ids: Sequence[str]) -> list[str]:
        """Ids of the facts that these turns or notes said."""
        ...
