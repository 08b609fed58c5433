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
