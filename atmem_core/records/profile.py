"""Profile facts: what is always, or by its keywords, worth knowing about a subject."""

from dataclasses import dataclass
from datetime import datetime

from atmem_core.records.note import Source
from atmem_core.records.results import Omitted


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """One version of a key's value. A value never changes; setting the key again closes it.

    It belongs to the subject as a whole: a profile has no project, session or agent.
    """

    id: str
    subject: str
    key: str
    value: str
    pinned: bool
    """Shown always; else only when a query holds one of the keywords as a whole word."""
    source: Source
    trust: float
    """0 to 1, higher is better."""
    created_at: datetime
    keywords: tuple[str, ...] = ()
    """Folded; none on a pinned fact."""
    vote_score: float = 0.0
    supersedes: str | None = None
    """Id of the version that it closed; that version may be erased since."""
    superseded_by: str | None = None
    superseded_at: datetime | None = None

    @property
    def current(self) -> bool:
        """Is it the value of its key?"""
        return self.superseded_by is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileWritten:
    """What ``profile.set`` did."""

    id: str
    fact: ProfileFact
    closed: tuple[str, ...] = ()
    """Ids of the versions that it closed."""
    dropped: tuple[str, ...] = ()
    """Ids of unpinned facts that gave way, since there were more than fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRecall:
    """Profile facts for one query: pinned first, then by key. Stored statements, not evidence."""

    facts: tuple[ProfileFact, ...]
    omitted: tuple[Omitted, ...] = ()
    """What the budget left out, with its cost."""
    voted_down: tuple[str, ...] = ()
    """Ids of facts that are hidden for their votes, pinned ones too."""
    held: tuple[str, ...] = ()
    """Ids of facts that didn't come from the user, command their reader, and wait for a person's word."""
