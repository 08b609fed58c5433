"""Stand-ins for the parts around the pipeline: an extractor that waits, facts in a list, a listener."""

import threading
from collections.abc import Sequence

from atmem_core.events import MemoryEvent
from atmem_core.records import Extraction, ExtractionJob, FactOperation, FactRef, OperationKind


class GatedExtractor:
    """Waits until its gate is opened; then each turn gives one fact, whose object is the turn's text.

    Args:
        error: Raised in place of giving anything, when there is one.
    """

    name = "gated"

    def __init__(self, error: Exception | None = None) -> None:
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.error = error
        self.turn_ids: list[str] = []

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        """One addition, once the gate is open."""
        self.turn_ids.append(job.turn_id)
        self.entered.set()
        self.gate.wait()
        if self.error is not None:
            raise self.error
        said = FactOperation(kind=OperationKind.ADD, entity="user", predicate="said", object=job.user_text)
        return Extraction(operations=(said,))


class ListedFacts:
    """Facts in a list.

    Args:
        refuses: Objects whose operation raises ``error``.
        error: What is raised then.
    """

    def __init__(self, refuses: Sequence[str] = (), error: Exception | None = None) -> None:
        self.applied: list[FactOperation] = []
        self.earlier: list[FactRef] = []
        self._refuses = refuses
        self._error = error

    def said(self, _job: ExtractionJob) -> Sequence[FactRef]:
        """What a test put into ``earlier``."""
        return self.earlier

    def apply(self, operation: FactOperation, _job: ExtractionJob) -> bool:
        """Append the operation."""
        if operation.object in self._refuses and self._error is not None:
            raise self._error
        self.applied.append(operation)
        return True


class ListSink:
    """Keeps every event."""

    def __init__(self) -> None:
        self.events: list[MemoryEvent] = []

    def record(self, event: MemoryEvent) -> None:
        """Append the event."""
        self.events.append(event)

    def kinds(self) -> list[str]:
        """Their kinds, in order."""
        return [event.kind for event in self.events]
