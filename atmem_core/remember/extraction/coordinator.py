"""From a host's finished turn to a job: the history first, then the queue.

Rule: a turn is written before it is enqueued, so that no crash and no overflow loses it. Only what ended by
itself is read for facts; a refusal, a cut answer or a call of tools is history and no more.
"""

from dataclasses import dataclass, replace

from atmem_core.clock import Clock
from atmem_core.records import ExtractionJob, ExtractionState, Source, Turn
from atmem_core.remember.extraction.orchestrator import MemoryExtractionOrchestrator
from atmem_core.remember.history import MAX_TURN_CHARS, Said, SessionHistory
from atmem_core.text import digest, storable, without_fence

FINISHED = frozenset({"end_turn", "stop", "stop_sequence"})
"""What hosts call an answer that ended by itself."""
_READ = frozenset({Source.USER, Source.IMPORT})
"""Sources that tell of a person. What a tool or a page says is no fact about anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """Both sides of a turn, and how it ended."""

    said: Said
    """The user's side."""
    answer: str = ""
    stop: str = "end_turn"


class MemoryExtractionCoordinator:
    """Listens to the ends of turns. It is deaf before ``start`` and after ``stop``.

    Args:
        history: Where turns are written; None when there is no store.
        orchestrator: Who reads them.
        clock: For the id and the time of a turn that isn't written.
    """

    def __init__(
        self, history: SessionHistory | None, orchestrator: MemoryExtractionOrchestrator, clock: Clock
    ) -> None:
        self._history = history
        self._orchestrator = orchestrator
        self._clock = clock
        self._listening = False

    def start(self) -> None:
        """Listen; a second start changes nothing."""
        if not self._listening:
            self._listening = True
            self._orchestrator.start()

    def stop(self) -> None:
        """Listen no more."""
        self._listening = False

    def turn_end(self, end: TurnEnd) -> Turn | None:
        """Write the turn, then enqueue it if it ended by itself. None while deaf, or without a store.

        Raises:
            InvalidInput, WriteRefused: The turn can't be written; nothing was.
        """
        if not self._listening:
            return None
        finished = end.stop in FINISHED and end.said.source in _READ
        if self._history is None:
            if finished:
                self._orchestrator.enqueue(self._unwritten(end))
            return None
        turn = self._written(self._history, end, waits=finished)
        if turn.extraction is ExtractionState.PENDING:
            self._orchestrator.enqueue(job_of(turn, end.answer))
        return turn

    def _written(self, history: SessionHistory, end: TurnEnd, *, waits: bool) -> Turn:
        draft = history.draft(end.said, waits=waits)
        answer = without_fence(storable(end.answer)).strip()[:MAX_TURN_CHARS]
        if not answer:
            return history.append([draft])[0]
        key = end.said.idempotency_key
        said = replace(
            end.said,
            text=answer,
            role="assistant",
            speaker="assistant",
            source="assistant",
            idempotency_key=None if key is None else digest(key, "answer"),
        )
        return history.append([draft, history.draft(said, answers=draft.turn.id)])[0]

    def _unwritten(self, end: TurnEnd) -> ExtractionJob:
        return ExtractionJob(
            turn_id=self._clock.new_id("t"),
            scope=end.said.scope,
            user_text=str(end.said.text),
            assistant_text=end.answer,
            at=end.said.occurred_at or self._clock.now(),
            speaker=end.said.speaker or end.said.role,
        )


def job_of(turn: Turn, answer: str) -> ExtractionJob:
    """The job of a turn that is written."""
    return ExtractionJob(
        turn_id=turn.id,
        scope=turn.scope,
        user_text=turn.text,
        assistant_text=answer,
        at=turn.created_at,
        speaker=turn.speaker,
        source=turn.source,
    )
