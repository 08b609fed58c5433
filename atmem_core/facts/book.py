"""``memory.facts``: state, look up, search, forget. A fact's statement never changes."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Unpack

from atmem_core.clock import Clock, to_micros
from atmem_core.config import Config
from atmem_core.embedding import ServingFor
from atmem_core.errors import InvalidInput, NotFound
from atmem_core.facts.announcing import Announcer
from atmem_core.facts.told import Told
from atmem_core.policy.predicates import folded, predicate_key
from atmem_core.recall.fact_search import FactSearcher
from atmem_core.recall.request import checked_k, request
from atmem_core.records import (
    Fact,
    FactHits,
    FactWritten,
    RecordKind,
    Scope,
    label,
    whole_number,
)
from atmem_core.remember.fact_draft import Statement, whose
from atmem_core.remember.fact_recorder import FactRecorder
from atmem_core.remember.index import Indexer
from atmem_core.store.fact_protocol import FactFilter
from atmem_core.store.protocol import Store

_MOST = 2**31 - 1
_EVER = datetime.max.replace(tzinfo=UTC)
"""All that is known: no clock that goes back hides a fact that was just stated."""


class Facts:
    """Facts of one memory: statements with the time they hold and the time they were known."""

    def __init__(
        self, store: Store, serving_for: ServingFor, *, announcer: Announcer, config: Config, clock: Clock
    ) -> None:
        self._store = store
        self._clock = clock
        self._announcer = announcer
        self.recorder = FactRecorder(store, Indexer(store, serving_for), config=config, clock=clock)
        self.recorder.heard = announcer.heard
        self._searcher = FactSearcher(store, serving_for, config=config, clock=clock)

    def add(
        self,
        entity: str,
        predicate: str,
        object: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        supersedes: str | None = None,
        **told: Unpack[Told],
    ) -> FactWritten:
        """State a fact, as ``Told`` says. What it contradicts ends where it begins; nothing is deleted.

        The same statement again is a no-op. Another value of a predicate that has one value at a time
        (``lives in``, ``name``, ``favourite ...``; or ``single=True``) closes the one before. A
        ``supersedes`` that is made up, stale, another subject's or about something else closes nothing,
        loses nothing, and is said in ``notes``. So is a contradiction of what is more trusted.
        ``I``, ``me`` and ``my ...`` are the speaker's; the owner is ``user``. Statements of two projects
        don't contradict each other.

        Raises:
            WriteRefused: A part is empty or too long.
            NotFound: ``source_id`` names a note that isn't there.
            InvalidInput: An argument is wrong.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        statement = Statement(entity=entity, predicate=predicate, object=object, scope=scope, **told)
        return self.recorder.state(statement, supersedes=supersedes)

    def update(
        self,
        fact_id: str,
        object: str,
        *,
        subject: str,
        confidence: float = 1.0,
        occurred_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        source_id: str | None = None,
    ) -> FactWritten:
        """Close a fact and state its new value, in one transaction.

        The new fact takes over entity, predicate, scope, speaker, source and trust.

        Raises:
            NotFound: The subject has no such fact that stands.
        """
        old = self.get(fact_id, subject=subject)
        if old.superseded_by is not None or old.forgotten_at is not None:
            raise NotFound(f"fact {fact_id!r} doesn't stand any more; update its newest version")
        statement = Statement(
            entity=old.entity,
            predicate=old.predicate,
            object=object,
            scope=old.scope,
            speaker=old.speaker,
            source=old.source.value,
            trust=old.trust,
            confidence=confidence,
            occurred_at=occurred_at,
            valid_from=valid_from,
            valid_to=valid_to,
            source_id=source_id,
        )
        return self.recorder.state(statement, supersedes=fact_id)

    def get(self, fact_id: str, *, subject: str) -> Fact:
        """One fact, whatever its state. Raises NotFound, also for another subject's id."""
        return self._store.fact_store.get(label("subject", subject), label("fact_id", fact_id))

    def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        limit: int = 50,
        offset: int = 0,
        all_states: bool = False,
    ) -> tuple[Fact, ...]:
        """Facts that hold now, newest recorded first; ``all_states`` gives all that are stored."""
        wanted = FactFilter(
            scope=Scope(subject=subject, project=project, session=session, agent=agent),
            at=self._clock.now(),
            entity=_entity(entity),
            predicate=_predicate(predicate),
            all_states=all_states,
        )
        return self._page(wanted, limit, offset)

    def as_of(
        self,
        at: datetime,
        *,
        subject: str,
        known_at: datetime | None = None,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[Fact, ...]:
        """Facts that held at ``at``, as far as was known at ``known_at``; None is all that is known now.

        World time and our time are two: "where did she live in May, as far as we knew in June?" What
        was forgotten since isn't shown.
        """
        to_micros(at, "at")
        if known_at is not None:
            to_micros(known_at, "known_at")
        wanted = FactFilter(
            scope=Scope(subject=subject, project=project, session=session, agent=agent),
            at=at,
            known_at=known_at or _EVER,
            entity=_entity(entity),
            predicate=_predicate(predicate),
        )
        return self._page(wanted, limit, offset)

    def _page(self, wanted: FactFilter, limit: object, offset: object) -> tuple[Fact, ...]:
        found = self._store.fact_store.facts(
            wanted,
            limit=whole_number("limit", limit, least=1, most=_MOST),
            offset=whole_number("offset", offset, least=0, most=_MOST),
        )
        return tuple(found)

    def search(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        k: int = 10,
        mode: str = "hybrid",
    ) -> FactHits:
        """Rank the facts that hold, 1 to 50 of them, by words and meaning. For looking, not for injecting.

        Without an embedder that answers, by words alone: ``degraded`` says so. A blank query finds nothing.
        """
        if not isinstance(query, str):
            raise InvalidInput("query", f"must be a text, got {type(query).__name__}")
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        kinds = (RecordKind.FACT.value,)
        asked = request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms)
        return self._searcher.search(query, asked, k=checked_k(k), mode=mode)

    def history(self, fact_id: str, *, subject: str) -> tuple[Fact, ...]:
        """The chain of supersession that this fact is in, oldest first. Raises NotFound."""
        found = self._store.fact_store.history(label("subject", subject), label("fact_id", fact_id))
        return tuple(found)

    def forget(self, fact_id: str, *, subject: str) -> bool:
        """End a fact that stands and take it out of recall; its row is kept.

        False when nothing changed: forgotten already, superseded, unknown or another subject's. To remove
        the bytes, ``memory.erase`` takes the id of a fact as well.
        """
        done = self._store.fact_store.forget(
            label("subject", subject), label("fact_id", fact_id), at=self._clock.now()
        )
        if done:
            self._announcer.forgotten(subject, [fact_id])
        return done

    def close(self) -> None:
        """Let late embedding calls end; ``Memory.close`` calls it."""
        self._searcher.close()


def _entity(entity: str | None) -> str | None:
    return None if entity is None else folded(whose(label("entity", entity), "user"))


def _predicate(predicate: str | None) -> str | None:
    return None if predicate is None else predicate_key(label("predicate", predicate))
