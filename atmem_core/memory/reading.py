"""The part of ``Memory`` that reads: decide, recall, context, search, and the notes. Writes nothing."""

from collections.abc import Iterable
from datetime import datetime

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.context.composer import JUDGED_OR_PINNED, Asked, Composer
from atmem_core.context.provider import channels_of
from atmem_core.facts.announcing import Announcer
from atmem_core.recall.reader import Reader
from atmem_core.recall.render import render_notes
from atmem_core.recall.request import checked_k, checked_text, request
from atmem_core.recall.search import Searcher
from atmem_core.records import (
    ContextBlock,
    Decision,
    Hit,
    Note,
    Recall,
    RecordKind,
    Scope,
    label,
    whole_number,
)
from atmem_core.store import Store

_MOST = 2**31 - 1
"""Largest limit, offset and budget: what SQLite and a sane host can hold."""


class ReadVerbs:
    """Mixed into ``Memory``."""

    _store: Store
    _config: Config
    _clock: Clock
    _reader: Reader
    _searcher: Searcher
    _announcer: Announcer
    _composer: Composer

    def decide(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
    ) -> Decision:
        """Judge what is stored against the query. Writes nothing and holds no content.

        An omitted part of the scope doesn't filter. After ``deadline_ms`` the decision does without the
        query's vector and says so in ``degraded``.

        Raises:
            InvalidInput: An argument is wrong.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms)
        decision = self._reader.decide(checked_text(query), asked).decision
        self._announcer.did_without(subject, decision.degraded)
        return decision

    def recall(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        allow_background: bool = False,
        budget_tokens: int | None = None,
    ) -> Recall:
        """The decision, and the notes that may be injected, best first.

        With ``budget_tokens`` notes that a rendered block of that size can't hold are left out.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms)
        answer = self._reader.decide(checked_text(query), asked, allow_background=allow_background)
        records = answer.released
        if budget_tokens is not None:
            budget = whole_number("budget_tokens", budget_tokens, least=1, most=_MOST)
            fit = set(render_notes(records, budget_tokens=budget).record_ids)
            records = tuple(note for note in records if note.id in fit)
        self._announcer.did_without(subject, answer.decision.degraded)
        self._announcer.retrieved(answer.decision, [note.id for note in records])
        return Recall(decision=answer.decision, records=records)

    def context(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        allow_background: bool = False,
        budget_tokens: int | None = None,
        channels: Iterable[str] | None = None,
    ) -> ContextBlock:
        """What to put before the model for one query: fenced, escaped, within the budgets, or empty.

        ``budget_tokens`` holds for all channels together; each has its own limit in ``Config``. ``channels``
        names some of ``Channel``; None is all but ``memory-index``: a list of what merely exists belongs
        before a turn whose conversation is known.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        if budget_tokens is not None:
            whole_number("budget_tokens", budget_tokens, least=1, most=_MOST)
        asked = Asked(
            text=checked_text(query),
            request=request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms),
            channels=JUDGED_OR_PINNED if channels is None else channels_of(channels),
            budget_tokens=budget_tokens,
            allow_background=allow_background,
        )
        return self._composer.block(asked)

    def search(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] = (),
        as_of: datetime | None = None,
        deadline_ms: float | None = None,
        k: int = 10,
        mode: str = "hybrid",
    ) -> list[Hit]:
        """Rank what is stored, 1 to 50 records. For looking: the order is no permission to inject."""
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms)
        return self._searcher.search(checked_text(query), asked, k=checked_k(k), mode=mode)

    def notes(
        self,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        limit: int = 50,
        offset: int = 0,
        all_states: bool = False,
    ) -> list[Note]:
        """Stored notes, newest first; ``all_states`` also gives superseded, expired and forgotten ones."""
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = request(scope, tags=tags, kinds=(RecordKind.NOTE.value,))
        return self._store.notes(
            asked.filter(self._clock.now()),
            limit=whole_number("limit", limit, least=1, most=_MOST),
            offset=whole_number("offset", offset, least=0, most=_MOST),
            all_states=all_states,
        )

    def get(self, note_id: str, *, subject: str) -> Note:
        """One note, whatever its state. Raises NotFound, also for another subject's id."""
        return self._store.get(label("subject", subject), label("note_id", note_id))

    def versions(self, note_id: str, *, subject: str) -> list[Note]:
        """The chain of supersession that this note is in, oldest first."""
        return self._store.versions(label("subject", subject), label("note_id", note_id))
