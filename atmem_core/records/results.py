"""What the read path gives back."""

from dataclasses import dataclass

from atmem_core.records.decision import Decision
from atmem_core.records.note import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One row of a diagnostic search. It ranks; it is no permission to inject."""

    record_id: str
    score: float
    """Higher is better; comparable within one search only."""
    record: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The decision and the records that it released, best first."""

    decision: Decision
    records: tuple[Note, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A released record that did not fit the budget."""

    record_id: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The bounded text that a host puts before the model; ``str(block)`` is that text.

    ``text`` is empty when nothing may be injected. Byte for byte the same for the same records.
    """

    text: str
    decision: Decision
    record_ids: tuple[str, ...]
    """Ids of the records that stand in ``text``, in their order there."""
    omitted: tuple[Omitted, ...] = ()
    tokens: int = 0
    """Estimated size of ``text`` in tokens, rounded up."""

    def __str__(self) -> str:
        return self.text
