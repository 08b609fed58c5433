"""Where the pipeline's facts and turns go: the store, by way of ``memory.facts``."""

from collections.abc import Sequence

from atmem_core.facts import Facts
from atmem_core.records import ExtractionJob, ExtractionState, Fact, FactOperation, FactRef, Selector
from atmem_core.remember.extraction.prompts import listed
from atmem_core.remember.extraction.telling import told
from atmem_core.store.protocol import Store

_RECENT = 50
_FOUND = 10
_ATTEMPTS = 3
"""Attempts after which a turn is given up, if the failures are its own."""


class StoredFacts:
    """Operations as facts, and the stored facts that a turn may touch."""

    def __init__(self, store: Store, facts: Facts) -> None:
        self._store = store
        self._facts = facts

    def prior(self, job: ExtractionJob) -> Sequence[FactRef]:
        """The newest facts that hold, and those that share words with what the turn tells."""
        sentences = told(job)
        if not sentences:
            return ()
        scope = job.scope
        recent = self._facts.list(subject=scope.subject, project=scope.project, limit=_RECENT)
        found = self._facts.search(
            " ".join(sentences), subject=scope.subject, project=scope.project, k=_FOUND, mode="keyword"
        )
        return listed([_ref(one) for one in recent], [_ref(one.fact) for one in found.hits])

    def said(self, job: ExtractionJob) -> Sequence[FactRef]:
        """What the turn gave before; forgotten facts too, which no second reading brings back."""
        subject = job.scope.subject
        ids = self._store.fact_store.derived(subject, [job.turn_id])
        return [_ref(one) for one in self._store.fact_store.of_ids(subject, ids).values()]

    def apply(self, operation: FactOperation, job: ExtractionJob) -> bool:
        """State the fact, as of when it was said."""
        scope = job.scope
        written = self._facts.add(
            operation.entity,
            operation.predicate,
            operation.object,
            subject=scope.subject,
            project=scope.project,
            session=scope.session,
            agent=scope.agent,
            speaker=job.speaker,
            source=job.source.value,
            confidence=operation.confidence,
            occurred_at=job.at,
            source_id=job.turn_id,
            supersedes=self._superseded(operation, job),
        )
        if written.created and not self._store.turn_store.of_ids(scope.subject, [job.turn_id]):
            # The turn was erased since it was last looked for; what it said goes with it.
            self._store.erase(scope.subject, Selector(note_id=written.id), at=job.at)
            return False
        return written.created

    def _superseded(self, operation: FactOperation, job: ExtractionJob) -> str | None:
        """The fact to close, unless it began after this turn: a turn that is read late knows less."""
        if operation.supersedes is None:
            return None
        known = self._store.fact_store.of_ids(job.scope.subject, [operation.supersedes])
        prior = known.get(operation.supersedes)
        return None if prior is None or prior.valid_from > job.at else prior.id


class StoredTurns:
    """What became of a turn, in its row."""

    def __init__(self, store: Store) -> None:
        self._turns = store.turn_store

    def waits(self, job: ExtractionJob) -> bool:
        """Is it there and pending?"""
        turn = self._turns.of_ids(job.scope.subject, [job.turn_id]).get(job.turn_id)
        return turn is not None and turn.extraction is ExtractionState.PENDING

    def done(self, job: ExtractionJob) -> None:
        """It needs no further reading."""
        self._turns.settle(job.turn_id, ExtractionState.DONE)

    def failed(self, job: ExtractionJob) -> None:
        """One attempt more."""
        self._turns.attempted(job.turn_id, most=_ATTEMPTS)


def _ref(fact: Fact) -> FactRef:
    return FactRef(id=fact.id, entity=fact.entity, predicate=fact.predicate, object=fact.object)
