"""What the pipeline needs of whoever keeps facts and turns."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from atmem_core.records import ExtractionJob, FactOperation, FactRef

PriorFactsLookup: TypeAlias = Callable[[ExtractionJob], Sequence[FactRef]]
"""The stored facts that a turn may touch, in the order in which an extractor lists them."""


def no_prior_facts(_job: ExtractionJob) -> Sequence[FactRef]:
    """The lookup of a pipeline without a store."""
    return ()


class FactKeeper(Protocol):
    """Where operations go."""

    def said(self, job: ExtractionJob) -> Sequence[FactRef]:
        """The facts that this very turn gave before, whatever became of them since."""
        ...

    def apply(self, operation: FactOperation, job: ExtractionJob) -> bool:
        """Carry out one operation. Was a fact stored?"""
        ...


class TurnKeeper(Protocol):
    """Where it is noted what became of a turn."""

    def waits(self, job: ExtractionJob) -> bool:
        """Is the turn still there, and neither done, given up nor forgotten?"""
        ...

    def done(self, job: ExtractionJob) -> None:
        """The turn's facts are stored."""
        ...

    def failed(self, job: ExtractionJob) -> None:
        """An attempt failed for the turn's own sake; after several it is given up."""
        ...
