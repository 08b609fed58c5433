"""Epochs: which embedding identity a subject, or the file as default, uses, and from when to when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from atmem_core.records.embedding import EmbeddingIdentity


class EpochState(StrEnum):
    """Where an epoch is in its life, in this order."""

    STAGED = "staged"
    """Being built beside the active one; no query sees it."""
    VERIFIED = "verified"
    """The gate passed; not in use yet."""
    ACTIVE = "active"
    RETIRED = "retired"
    """Another one took its place; its vectors stay until they are pruned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineScale:
    """What a model's cosines mean, measured on the calibration part of the gate."""

    null_median: float
    """Cosine of a question with a note that has nothing to do with it."""
    null_deviation: float
    """Standard deviation of those cosines."""
    null_high: float
    """Their 99th percentile."""
    right_median: float
    """Cosine of a paraphrase with its note."""
    unrelated: float
    """As in a calibration: the cosine that means as little as 0 does to the bundled model."""
    stretch: float
    """As in a calibration; above 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What the gate found, kept with the epoch."""

    gate: Mapping[str, object]
    """The report, in plain JSON types; without any text."""
    scale: CosineScale | None
    """None where a calibration ships for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One identity in use by one owner, over one span."""

    number: int
    subject: str | None
    """None is the file's default."""
    identity: EmbeddingIdentity
    choice: Mapping[str, object]
    """How its embedder is made, in plain JSON types; empty for the bundled model of a file without setup."""
    verification: Verification | None
    staged_at: datetime
    verified_at: datetime | None = None
    active_from: datetime | None = None
    active_to: datetime | None = None
    pruned: bool = False
    """Were its vectors deleted since?"""

    @property
    def state(self) -> EpochState:
        """Read from its times."""
        if self.active_to is not None:
            return EpochState.RETIRED
        if self.active_from is not None:
            return EpochState.ACTIVE
        return EpochState.STAGED if self.verified_at is None else EpochState.VERIFIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many records of an owner have a vector of one identity. Forgotten records need none."""

    records: int
    vectors: int

    @property
    def missing(self) -> int:
        """Records without one."""
        return self.records - self.vectors
