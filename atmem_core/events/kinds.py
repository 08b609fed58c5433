"""The kinds of event. Each is built in one place of the core; a test searches the code for a second one.

``subject`` is whose memory it is. ``turn_id`` names the turn that caused it, a real id or None.
``content`` is the only field that may hold text that a person wrote; a stream clears it unless it was
opened with ``content=True``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, ClassVar, Self

from atmem_core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvent:
    """What every event says."""

    kind: ClassVar[str]

    subject: str
    at: datetime
    turn_id: str | None = None
    content: str | None = None
    """Text, cleared unless the stream was opened with ``content=True``."""

    def without_content(self) -> Self:
        """The same event, ids and digests only."""
        return self if self.content is None else replace(self, content=None)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types; times in ISO 8601 with an offset."""
        said: dict[str, object] = {"kind": self.kind}
        for one in fields(self):
            value = getattr(self, one.name)
            said[one.name] = value.isoformat() if isinstance(value, datetime) else value
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAdded(MemoryEvent):
    """A new fact stands."""

    kind: ClassVar[str] = "added"

    record_id: str
    digest: str
    """SHA-256 in hex of entity, predicate and object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactUpdated(MemoryEvent):
    """A new fact stands and the one before it is closed."""

    kind: ClassVar[str] = "updated"

    record_id: str
    digest: str
    superseded_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactForgotten(MemoryEvent):
    """A fact left recall; its row stays."""

    kind: ClassVar[str] = "forgotten"

    record_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsErased(MemoryEvent):
    """The bytes of facts are gone."""

    kind: ClassVar[str] = "erased"

    record_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval(MemoryEvent):
    """A record was handed out for a model to see."""

    kind: ClassVar[str] = "retrieval"

    record_id: str
    decision_id: str
    score: float
    """Relevance in the decision, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDropped(MemoryEvent):
    """An extraction job left the queue undone. Its turn still waits in the session history."""

    kind: ClassVar[str] = "dropped"

    reason: str
    """``overflow``, ``shutdown`` or ``no_store``."""
    dropped: int
    """How many so far, this one too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded(MemoryEvent):
    """Something was not available, and the work went on without it."""

    kind: ClassVar[str] = "degraded"

    reason: str
    """One word for counters, such as ``extraction_timeout``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRetirement(MemoryEvent):
    """Alarm: one act closed unusually many facts."""

    kind: ClassVar[str] = "bulk_retirement"

    record_ids: tuple[str, ...]
    limit: int
    """Above how many the alarm is raised."""


EVENT_TYPES: Mapping[str, type[MemoryEvent]] = {
    one.kind: one
    for one in (
        FactAdded,
        FactUpdated,
        FactForgotten,
        FactsErased,
        Retrieval,
        JobDropped,
        Degraded,
        BulkRetirement,
    )
}
"""Every kind by name."""


def event_from_dict(said: object) -> MemoryEvent:
    """The event that ``to_dict`` gave.

    Raises:
        InvalidInput: It is none, or a field is missing or too many.
    """
    if not isinstance(said, Mapping) or said.get("kind") not in EVENT_TYPES:
        raise InvalidInput("event", "is no event that this atmem-core knows")
    kind = EVENT_TYPES[said["kind"]]
    values: dict[str, Any] = {key: value for key, value in said.items() if key != "kind"}
    try:
        values["at"] = datetime.fromisoformat(values["at"])
        if "record_ids" in values:
            values["record_ids"] = tuple(values["record_ids"])
        return kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("event", f"doesn't read as {kind.kind!r}: {type(error).__name__}") from None
