"""One job from turn to facts: stored facts looked up, extractor asked within its time, operations applied.

Rule: whatever goes wrong stays inside and is one word in the outcome; a turn that failed still waits.
"""

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from atmem_core.errors import AtmemError, ChatUnavailable, ExtractionFailed, StoreError
from atmem_core.policy.predicates import folded, predicate_key
from atmem_core.records import Extraction, ExtractionJob, FactOperation, FactRef
from atmem_core.remember.extraction.extractor import Extractor
from atmem_core.remember.extraction.ports import FactKeeper, PriorFactsLookup, TurnKeeper

_LOG = logging.getLogger(__name__)
_PASSES_BY_ITSELF = ("transport", "status_429", "status_5", "store")
"""Failures that aren't the turn's: it isn't given up for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """What became of a job."""

    facts: int = 0
    """Facts stored."""
    entries_dropped: int = 0
    failure: str = ""
    """One word; empty when nothing went wrong."""
    skipped: bool = False
    """The turn didn't wait any more."""
    unavailable: bool = False
    """The failure isn't the turn's: the next one would fail as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReader:
    """The parts that read a turn."""

    extractor: Extractor
    facts: FactKeeper
    turns: TurnKeeper | None
    priors: PriorFactsLookup
    timeout_s: float

    def read(self, job: ExtractionJob, *, still_wanted: Callable[[], bool] = lambda: True) -> JobOutcome:
        """Read one turn; never raises but for what ends a process.

        Args:
            job: The turn.
            still_wanted: Asked before anything is stored.
        """
        try:
            if self.turns is not None and not self.turns.waits(job):
                return JobOutcome(skipped=True)
            found = self._extracted(job)
            return self._applied(job, found, still_wanted)
        except (ExtractionFailed, ChatUnavailable) as error:
            return self._failed(job, error.reason)
        except StoreError as error:
            return self._failed(job, f"store_{type(error).__name__}")
        except Exception as error:  # noqa: BLE001 - an extractor is foreign code; its fault is the outcome
            return self._failed(job, type(error).__name__)

    def _extracted(self, job: ExtractionJob) -> Extraction:
        try:
            priors = self.priors(job)
        except AtmemError as error:
            _LOG.warning("stored facts for turn %s not found: %s", job.turn_id, type(error).__name__)
            priors = ()
        return _within(self.timeout_s, lambda: self.extractor.extract(job, priors))

    def _applied(self, job: ExtractionJob, found: Extraction, wanted: Callable[[], bool]) -> JobOutcome:
        said = {_key(one) for one in self.facts.said(job)}
        facts, refused = 0, 0
        for operation in found.operations:
            # The turn may have been erased while a model thought about it.
            if not wanted() or (self.turns is not None and not self.turns.waits(job)):
                return JobOutcome(facts=facts, skipped=True)
            if _key(operation) in said:
                continue
            try:
                facts += self.facts.apply(operation, job)
            except StoreError:
                raise
            except AtmemError as error:
                refused += 1
                _LOG.warning("a fact of turn %s was refused: %s", job.turn_id, type(error).__name__)
        if wanted() and self.turns is not None:
            self.turns.done(job)
        return JobOutcome(facts=facts, entries_dropped=sum(found.dropped.values()) + refused)

    def _failed(self, job: ExtractionJob, reason: str) -> JobOutcome:
        _LOG.warning("turn %s gave no facts: %s", job.turn_id, reason)
        unavailable = reason.startswith(_PASSES_BY_ITSELF)
        if self.turns is not None and not unavailable:
            try:
                self.turns.failed(job)
            except AtmemError as error:
                _LOG.warning("turn %s: attempt not counted: %s", job.turn_id, type(error).__name__)
        return JobOutcome(failure=reason, unavailable=unavailable)


def _key(one: FactRef | FactOperation) -> tuple[str, str, str]:
    return folded(one.entity), predicate_key(one.predicate), folded(one.object)


def _within(timeout_s: float, act: Callable[[], Extraction]) -> Extraction:
    """What ``act`` gives, if it gives it in time. A call that hangs is left behind in its thread."""
    box: queue.SimpleQueue[Extraction | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            box.put(act())
        except Exception as error:  # noqa: BLE001 - raised again where it was asked for
            box.put(error)

    threading.Thread(target=run, name="atmem-extractor", daemon=True).start()
    try:
        found = box.get(timeout=timeout_s)
    except queue.Empty:
        raise ExtractionFailed("extraction_timeout", f"no answer within {timeout_s:g} s") from None
    if isinstance(found, Exception):
        raise found
    return found
