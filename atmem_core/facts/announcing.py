"""What happened to facts, said to whoever listens: each kind of event is built here and nowhere else."""

from collections.abc import Iterable

from atmem_core.clock import Clock
from atmem_core.events import (
    BulkRetirement,
    EventStream,
    FactAdded,
    FactForgotten,
    FactsErased,
    FactUpdated,
    Retrieval,
)
from atmem_core.records import Decision, FactWritten, ReasonCode
from atmem_core.remember.fact_draft import Statement
from atmem_core.text import digest

MOST_CLOSED = 4
"""One statement that closes more facts than this raises the alarm."""

_CHOSEN = frozenset(
    {ReasonCode.EMBEDDER_ABSENT, ReasonCode.DIAGNOSTIC_VECTORS, ReasonCode.UNVERIFIED_PROFILE}
)
"""How the memory was opened: each decision says so, but nothing happened."""


class Announcer:
    """Says on a stream what was done; after the commit, never before."""

    def __init__(self, stream: EventStream, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock

    def heard(self, written: FactWritten, statement: Statement) -> None:
        """A statement changed something: one event, and the alarm when it closed very much."""
        fact, closed = written.fact, written.closed
        self.did_without(fact.scope.subject, written.degraded)
        said = {
            "subject": fact.scope.subject,
            "at": self._clock.now(),
            "turn_id": statement.source_id,
            "content": fact.text,
        }
        mark = digest(fact.entity, fact.predicate, fact.object)
        if closed:
            self._stream.emit(
                FactUpdated(**said, record_id=fact.id, digest=mark, superseded_id=closed[0])  # type: ignore[arg-type]
            )
        else:
            self._stream.emit(FactAdded(**said, record_id=fact.id, digest=mark))  # type: ignore[arg-type]
        if len(closed) > MOST_CLOSED:
            subject, turn_id = fact.scope.subject, statement.source_id
            self._stream.emit(
                BulkRetirement(
                    subject=subject,
                    at=self._clock.now(),
                    turn_id=turn_id,
                    record_ids=closed,
                    limit=MOST_CLOSED,
                )
            )

    def forgotten(self, subject: str, record_ids: Iterable[str]) -> None:
        """Facts left recall; ids of other records are passed over."""
        for fact_id in _facts(record_ids):
            self._stream.emit(FactForgotten(subject=subject, at=self._clock.now(), record_id=fact_id))

    def erased(self, subject: str, record_ids: Iterable[str]) -> None:
        """The bytes of facts are gone; ids of other records are passed over."""
        ids = _facts(record_ids)
        if ids:
            self._stream.emit(FactsErased(subject=subject, at=self._clock.now(), record_ids=ids))

    def did_without(self, subject: str, reasons: Iterable[str]) -> None:
        """A read or a write did without something that it should have had."""
        happened = [one for one in reasons if one not in _CHOSEN]
        self._stream.degraded(happened, subject=subject, at=self._clock.now())

    def retrieved(self, decision: Decision, record_ids: Iterable[str]) -> None:
        """Records were handed out: one event each, best first."""
        scores = {one.record_id: one.relevance_score for one in decision.candidates}
        for record_id in record_ids:
            self._stream.emit(
                Retrieval(
                    subject=decision.scope.subject,
                    at=self._clock.now(),
                    record_id=record_id,
                    decision_id=decision.decision_id,
                    score=scores.get(record_id, 0.0),
                )
            )


def _facts(record_ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in record_ids if one.startswith("f"))
