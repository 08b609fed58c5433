"""The pipeline: a bounded queue, one drain, and nothing that a host ever waits for.

At most 32 jobs wait and one runs. A job that gives way for a newer one is counted and announced; its turn
stays in the session history and is found there later. The drain's thread lives while there is work.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from atmem_core.clock import Clock
from atmem_core.events import EventStream, JobDropped
from atmem_core.records import Check, CheckStatus, ExtractionHealth, ExtractionJob
from atmem_core.remember.extraction.channel import BoundedChannel
from atmem_core.remember.extraction.extractor import Extractor
from atmem_core.remember.extraction.ports import (
    FactKeeper,
    PriorFactsLookup,
    TurnKeeper,
    no_prior_facts,
)
from atmem_core.remember.extraction.reading_turn import JobOutcome, TurnReader

CAPACITY = 32
"""Most jobs that wait."""


@dataclass(slots=True)
class _Tally:
    done: int = 0
    facts: int = 0
    entries_dropped: int = 0
    dropped: int = 0
    refused: int = 0
    failed: int = 0
    last_failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keepers:
    """Where facts and turns are kept."""

    facts: FactKeeper
    turns: TurnKeeper | None = None
    priors: PriorFactsLookup = field(default=no_prior_facts)


class MemoryExtractionOrchestrator:
    """Takes jobs without waiting and reads them one at a time. Safe for threads.

    Args:
        extractor: Who reads.
        clock: For the times of events.
        keepers: Where facts go. None: there is no store; every job is refused, counted and announced.
        events: Who is told of jobs that were dropped or failed.
        timeout_s: How long an extractor may take for one turn.
        capacity: Most jobs that wait.
    """

    def __init__(
        self,
        extractor: Extractor,
        *,
        clock: Clock,
        keepers: Keepers | None = None,
        events: EventStream | None = None,
        timeout_s: float = 60.0,
        capacity: int = CAPACITY,
    ) -> None:
        self._extractor = extractor
        self._clock = clock
        self._keepers = keepers
        self._events = EventStream() if events is None else events
        self._timeout_s = timeout_s
        self._waiting: BoundedChannel[ExtractionJob] = BoundedChannel(capacity)
        self._changed = threading.Condition()
        self._one_at_a_time = threading.Lock()
        self._tally = _Tally()
        self._started = False
        self._stopped = False
        self._starts = 0
        self._drain: threading.Thread | None = None

    def extract_with(self, extractor: Extractor) -> None:
        """Let another extractor read from the next job on."""
        with self._changed:
            self._extractor = extractor

    def start(self) -> None:
        """Begin to work, also after a shutdown; a second start changes nothing."""
        with self._changed:
            self._started, self._stopped = True, False
            self._starts += 1
            self._work()

    def enqueue(self, job: ExtractionJob) -> bool:
        """Take a job; never waits for one, and raises nothing. False when it was refused or dropped."""
        gone: ExtractionJob | None = job
        with self._changed:
            if self._keepers is None:
                self._tally.refused += 1
                reason = "no_store"
            elif self._stopped:
                reason = "shutdown"
            else:
                gone, reason = self._waiting.send(job), "overflow"
                self._work()
        if gone is not None:
            self._dropped(gone, reason)
        return gone is not job

    def drain(self, timeout_s: float) -> bool:
        """Wait until nothing waits and nothing runs. False when it took longer."""
        with self._changed:
            return self._changed.wait_for(self._idle, timeout_s)

    def shutdown(self, *, drain_s: float = 0.0) -> None:
        """Finish what is there within ``drain_s`` seconds, then take no more; what is left is dropped.

        A job that still runs stores nothing any more.
        """
        if drain_s > 0:
            self.drain(drain_s)
        with self._changed:
            self._stopped = True
            self._starts += 1
            left = self._waiting.clear()
        for job in left:
            self._dropped(job, "shutdown")

    def process(self, job: ExtractionJob) -> JobOutcome:
        """Read one turn now, in this thread; one at a time with the drain."""
        with self._changed:
            keepers, extractor, start = self._keepers, self._extractor, self._starts
        if keepers is None:
            return JobOutcome(failure="no_store", unavailable=True)
        reader = TurnReader(
            extractor=extractor,
            facts=keepers.facts,
            turns=keepers.turns,
            priors=keepers.priors,
            timeout_s=self._timeout_s,
        )
        with self._one_at_a_time:
            outcome = reader.read(job, still_wanted=lambda: self._starts == start)
        self._count(job, outcome)
        return outcome

    def process_all(self, jobs: Iterable[ExtractionJob]) -> list[JobOutcome]:
        """Read turns now, in this thread; ends when the failure of one would be that of the next too."""
        outcomes: list[JobOutcome] = []
        for job in jobs:
            outcomes.append(self.process(job))
            if outcomes[-1].unavailable:
                break
        return outcomes

    def health(self) -> ExtractionHealth:
        """How it fares."""
        with self._changed:
            tally = replace(self._tally)
            return ExtractionHealth(
                extractor=self._extractor.name,
                stored=self._keepers is not None,
                running=self._running(),
                queued=len(self._waiting),
                done=tally.done,
                facts=tally.facts,
                entries_dropped=tally.entries_dropped,
                dropped=tally.dropped,
                refused=tally.refused,
                failed=tally.failed,
                last_failure=tally.last_failure,
            )

    def check(self) -> Check:
        """Its health, as a doctor says it."""
        now = self.health()
        if not now.stored:
            detail = f"{now.extractor}; there is no store: {now.refused} jobs refused"
            return Check(name="extraction", status=CheckStatus.FAIL, detail=detail)
        detail = f"{now.extractor}; {now.done} turns read, {now.facts} facts, {now.queued} turns queued"
        if not (now.dropped or now.failed):
            return Check(name="extraction", status=CheckStatus.OK, detail=detail)
        faults = f"{now.dropped} dropped, {now.failed} failed ({now.last_failure or 'none'})"
        return Check(name="extraction", status=CheckStatus.WARN, detail=f"{detail}; in this process {faults}")

    def _idle(self) -> bool:
        return not self._running() and (not len(self._waiting) or self._stopped)

    def _running(self) -> bool:
        # Not alive: this is a forked child, and the thread is its parent's.
        return self._drain is not None and self._drain.is_alive()

    def _work(self) -> None:
        """Have the drain run if there is work; the caller holds the lock."""
        if self._started and not self._stopped and len(self._waiting) and not self._running():
            self._drain = threading.Thread(target=self._run, name="atmem-extraction", daemon=True)
            self._drain.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                job = None if self._stopped else self._waiting.take()
                if job is None:
                    self._drain = None
                    self._changed.notify_all()
                    return
            self.process(job)

    def _count(self, job: ExtractionJob, outcome: JobOutcome) -> None:
        with self._changed:
            self._tally.facts += outcome.facts
            self._tally.entries_dropped += outcome.entries_dropped
            if not outcome.failure:
                self._tally.done += not outcome.skipped
                return
            self._tally.failed += 1
            self._tally.last_failure = outcome.failure
        self._events.degraded(
            (f"extraction: {outcome.failure}",),
            subject=job.scope.subject,
            at=self._clock.now(),
            turn_id=job.turn_id,
        )

    def _dropped(self, job: ExtractionJob, reason: str) -> None:
        with self._changed:
            self._tally.dropped += reason != "no_store"
            dropped = self._tally.dropped + self._tally.refused
        self._events.emit(
            JobDropped(
                subject=job.scope.subject,
                at=self._clock.now(),
                turn_id=job.turn_id,
                reason=reason,
                dropped=dropped,
            )
        )
