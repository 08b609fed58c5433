"""``memory.sessions``: what was said, and the facts that are read out of it in the background."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from atmem_core.chat import AsyncChatModel, ChatModel
from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.events import EventStream
from atmem_core.facts import Facts
from atmem_core.records import (
    Check,
    CheckStatus,
    ExtractionHealth,
    ExtractionJob,
    ExtractionRun,
    ExtractionState,
    Scope,
    Turn,
    TurnHit,
    label,
    whole_number,
)
from atmem_core.remember.extraction import Extractor, MemoryExtractor, RuleExtractor
from atmem_core.remember.extraction.coordinator import MemoryExtractionCoordinator, TurnEnd
from atmem_core.remember.extraction.orchestrator import Keepers, MemoryExtractionOrchestrator
from atmem_core.remember.history import Said, SessionHistory
from atmem_core.remember.redaction import cleared_turn
from atmem_core.sessions.keepers import StoredFacts, StoredTurns
from atmem_core.store.protocol import Store

_CLOSE_S = 1.0
"""How long closing waits for turns under way; the others are found at the next pass."""
_PAGE = 64
_MOST = 2**31 - 1


class Sessions:
    """Sessions of one memory. Turns are history: no decision sees them, only the facts that they gave."""

    def __init__(
        self, store: Store, facts: Facts, *, events: EventStream, config: Config, clock: Clock
    ) -> None:
        self._store = store
        self._history = SessionHistory(
            store.turn_store, clock, clear=partial(cleared_turn, redaction=config.redaction)
        )
        kept = StoredFacts(store, facts)
        self._orchestrator = MemoryExtractionOrchestrator(
            RuleExtractor(),
            clock=clock,
            keepers=Keepers(facts=kept, turns=StoredTurns(store), priors=kept.prior),
            events=events,
            timeout_s=config.extraction_timeout_ms / 1000,
        )
        self._coordinator = MemoryExtractionCoordinator(self._history, self._orchestrator, clock)
        self._coordinator.start()

    def append(
        self,
        text: str,
        *,
        subject: str,
        session: str,
        role: str = "user",
        speaker: str | None = None,
        source: str = "user",
        project: str | None = None,
        agent: str | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Turn:
        """Write one side of an exchange; nothing is read out of it. Recalled blocks are taken out.

        Raises:
            WriteRefused: Nothing is left of the text, or it is no turn for its length.
        """
        said = Said(
            text=text,
            scope=Scope(subject=subject, project=project, session=session, agent=agent),
            role=role,
            speaker=speaker,
            source=source,
            occurred_at=occurred_at,
            idempotency_key=idempotency_key,
        )
        return self._history.append([self._history.draft(said)])[0]

    def finish(
        self,
        user_text: str,
        answer: str = "",
        *,
        subject: str,
        session: str,
        stop: str = "end_turn",
        speaker: str = "user",
        source: str = "user",
        project: str | None = None,
        agent: str | None = None,
        occurred_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Turn | None:
        """Write a finished turn, both sides, and have facts read out of it in the background.

        It is written when this returns; the reading waits for nobody. A turn whose ``stop`` isn't
        ``end_turn``, ``stop`` or ``stop_sequence`` is history and no more. None once the memory is closed.

        Facts come from ``user_text`` alone, and only from ``source`` user or import. They are the owner's
        when ``speaker`` is ``user``, else the named speaker's. ``idempotency_key`` stores once.

        Raises:
            WriteRefused: Nothing is left of the person's text; nothing was written.
        """
        said = Said(
            text=user_text,
            scope=Scope(subject=subject, project=project, session=session, agent=agent),
            speaker=speaker,
            source=source,
            occurred_at=occurred_at,
            idempotency_key=idempotency_key,
        )
        return self._coordinator.turn_end(TurnEnd(said=said, answer=answer, stop=stop))

    def recent(self, *, subject: str, session: str, limit: int = 50) -> list[Turn]:
        """The newest turns of a session, newest first; at most 500."""
        return self._history.recent(subject, session, limit=limit)

    def search(self, query: str, *, subject: str, session: str, limit: int = 20) -> list[TurnHit]:
        """Turns of one session that share a word with the query, best first."""
        return self._history.search(query, subject, session, limit=limit)

    def extract_with(self, extractor: Extractor | ChatModel | AsyncChatModel) -> None:
        """Let another extractor, or a model, read turns from now on. Rules read until then."""
        if isinstance(extractor, Extractor):
            self._orchestrator.extract_with(extractor)
        else:
            self._orchestrator.extract_with(MemoryExtractor(extractor))

    def extract_pending(self, *, subject: str | None = None, limit: int | None = None) -> ExtractionRun:
        """Read the turns that still wait, oldest first, in this thread.

        Turns wait after a crash, an overflow, or while the model was away. The pass ends when the model
        doesn't answer; a turn that fails three times for its own sake is given up.

        Args:
            subject: Whose; everybody's when None.
            limit: Most turns; all when None.
        """
        who = None if subject is None else label("subject", subject)
        most = _MOST if limit is None else whole_number("limit", limit, least=1, most=_MOST)
        outcomes = self._orchestrator.process_all(self._pending(who, most))
        failures = [one.failure for one in outcomes if one.failure]
        ended = bool(outcomes) and outcomes[-1].unavailable
        return ExtractionRun(
            done=len(outcomes) - len(failures),
            facts=sum(one.facts for one in outcomes),
            failed=len(failures),
            waiting=self.waiting(who),
            failure=failures[-1] if ended else "",
        )

    def _pending(self, subject: str | None, most: int) -> Iterator[ExtractionJob]:
        """Waiting turns, page by page, each once in a pass, also when it goes on waiting."""
        after, given = 0, 0
        while page := self._store.turn_store.pending(
            limit=min(_PAGE, most - given), subject=subject, after=after
        ):
            yield from (job for _, job in page)
            after = page[-1][0]
            given += len(page)

    def waiting(self, subject: str | None = None) -> int:
        """How many turns wait to be read."""
        who = None if subject is None else label("subject", subject)
        return self._store.turn_store.counts(who).get(ExtractionState.PENDING, 0)

    def drain(self, timeout_ms: float = 10_000) -> bool:
        """Wait until all that was enqueued is read. False when it took longer."""
        return self._orchestrator.drain(timeout_ms / 1000)

    def health(self) -> ExtractionHealth:
        """How extraction fares in this process."""
        return self._orchestrator.health()

    def check(self) -> Check:
        """The same, and how many turns wait in the file, as a doctor says it."""
        check = self._orchestrator.check()
        counts = self._store.turn_store.counts()
        waiting = counts.get(ExtractionState.PENDING, 0)
        given_up = counts.get(ExtractionState.FAILED, 0)
        detail = f"{check.detail}; in the file {waiting} turns wait, {given_up} were given up"
        worse = CheckStatus.WARN if given_up and check.status is CheckStatus.OK else check.status
        return Check(name=check.name, status=worse, detail=detail)

    def close(self) -> None:
        """Finish turns under way for a second; ``Memory.close`` calls it."""
        self._coordinator.stop()
        self._orchestrator.shutdown(drain_s=_CLOSE_S)
