"""The facade: remember, decide, recall, forget. Both paths read as sentences here."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from atmem_core.clock import Clock, SystemClock
from atmem_core.config import Config
from atmem_core.doctor import FileVerbs, diagnose
from atmem_core.embedding import Embedder, Resolution, resolve
from atmem_core.events import EventStream
from atmem_core.facts import Facts
from atmem_core.facts.announcing import Announcer
from atmem_core.judge import Judge, bundled_judge
from atmem_core.recall.reader import CalibrationFor, Reader
from atmem_core.recall.render import render_notes
from atmem_core.recall.request import checked_k, checked_text, request
from atmem_core.recall.search import Searcher
from atmem_core.records import (
    ContextBlock,
    Decision,
    DoctorReport,
    EraseReceipt,
    Forgotten,
    Hit,
    Note,
    Recall,
    RecordKind,
    Remembered,
    Scope,
    Selector,
    label,
    whole_number,
)
from atmem_core.remember.ingest import Telling
from atmem_core.remember.recorder import Recorder
from atmem_core.semantic.calibrations import calibration_for
from atmem_core.sessions import Sessions
from atmem_core.store import Store, open_store
from atmem_core.text import forget_stems
from atmem_core.transfer.verbs import TransferVerbs

_MOST = 2**31 - 1
"""Largest limit, offset and budget: what SQLite and a sane host can hold."""


class Memory(TransferVerbs, FileVerbs):
    """Long-term memory in one file. Safe for threads and for several processes on one file."""

    def __init__(
        self,
        store: Store,
        found: Resolution,
        *,
        config: Config,
        clock: Clock,
        judge: Judge | None = None,
        calibration_for: CalibrationFor = calibration_for,
    ) -> None:
        embedder = found.embedder
        if judge is None and config.judge and embedder is not None:
            judge = bundled_judge()
        self._store = store
        self._found = found
        self._config = config
        self._clock = clock
        self._recorder = Recorder(store, embedder, config=config, clock=clock)
        self._judge = judge
        self._reader = Reader(
            store, embedder, judge, config=config, clock=clock, calibration_for=calibration_for
        )
        self.events = EventStream(content=config.event_content)
        self._announcer = Announcer(self.events, clock)
        self.facts = Facts(store, embedder, announcer=self._announcer, config=config, clock=clock)
        self.sessions = Sessions(store, self.facts, events=self.events, config=config, clock=clock)
        self._searcher = Searcher(store, self._reader, config=config, clock=clock)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | str | None = "auto",
        config: Config | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Open the file, making it when it isn't there; ``":memory:"`` keeps all in this process.

        Args:
            path: One SQLite file.
            embedder: ``"auto"`` takes the bundled local model when its extra is installed, else
                keywords alone; None is keywords alone; or an Embedder.
            config: Settings; the defaults when None.
            clock: Time and ids; the machine's when None.

        Raises:
            NotADatabase, SchemaTooNew, StoreReadOnly, StoreBusy, StoreCorrupt: What the file is.
        """
        config, clock = config or Config(), clock or SystemClock()
        return cls(open_store(path, config=config), resolve(embedder), config=config, clock=clock)

    # -- write

    def remember(
        self,
        text: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        speaker: str = "user",
        source: str = "user",
        trust: float | None = None,
        tags: Iterable[str] = (),
        kind: str = "note",
        occurred_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        idempotency_key: str | None = None,
        supersedes: str | None = None,
    ) -> Remembered:
        """Store a text as it is. It can be recalled as soon as this returns.

        The same text again, in the same scope, by the same speaker and for the same interval, gives the
        stored note with ``created=False``. Near matches are named in ``similar`` and never merged.
        Raises WriteRefused with a ``code``, NotFound for a ``supersedes`` that isn't current, InvalidInput.
        """
        telling = Telling(
            text=text,
            scope=Scope(subject=subject, project=project, session=session, agent=agent),
            speaker=speaker,
            source=source,
            trust=trust,
            tags=tags,
            kind=kind,
            occurred_at=occurred_at,
            valid_from=valid_from,
            valid_to=valid_to,
            idempotency_key=idempotency_key,
        )
        return self._recorder.remember(telling, supersedes=supersedes)

    def supersede(self, note_id: str, text: str, *, subject: str) -> Remembered:
        """Close a note and store what takes its place, in one transaction.

        The new note takes over project, session, agent, speaker, source, trust and tags.

        Raises:
            NotFound: The subject has no such current note.
        """
        old = self._store.get(label("subject", subject), label("note_id", note_id))
        telling = Telling(
            text=text,
            scope=old.scope,
            speaker=old.speaker,
            source=old.source.value,
            trust=old.trust,
            tags=old.tags,
            kind=old.kind.value,
        )
        return self._recorder.remember(telling, supersedes=note_id)

    def forget(
        self,
        note_id: str | None = None,
        *,
        subject: str,
        session: str | None = None,
        project: str | None = None,
        older_than: datetime | None = None,
        everything: bool = False,
    ) -> Forgotten:
        """Take notes out of recall at once; their history is kept. Exactly one selector.

        Raises:
            InvalidInput: None or several selectors were given.
            NotFound: The subject has no such note.
        """
        chosen = Selector(
            note_id=note_id,
            session=session,
            project=project,
            older_than=older_than,
            everything=everything,
        )
        done = self._store.forget(label("subject", subject), chosen, at=self._clock.now())
        self._announcer.forgotten(subject, done.ids)
        return done

    def erase(
        self,
        note_id: str | None = None,
        *,
        subject: str,
        session: str | None = None,
        project: str | None = None,
        older_than: datetime | None = None,
        everything: bool = False,
    ) -> EraseReceipt:
        """Remove the bytes of notes from every table, index, vector, cache and log. Exactly one selector.

        Raises:
            InvalidInput: None or several selectors were given.
            NotFound: The subject has no such note.
        """
        chosen = Selector(
            note_id=note_id,
            session=session,
            project=project,
            older_than=older_than,
            everything=everything,
        )
        receipt = self._store.erase(label("subject", subject), chosen, at=self._clock.now())
        self._announcer.erased(subject, receipt.ids)
        # No word of it may stay in this process either.
        forget_stems()
        if self._found.embedder is not None:
            self._found.embedder.clear_cache()
        return receipt

    # -- read

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
        return self._reader.decide(checked_text(query), asked).decision

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
    ) -> ContextBlock:
        """The text to put before the model: fenced, escaped, within the budget, or empty."""
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = request(scope, tags=tags, kinds=kinds, as_of=as_of, deadline_ms=deadline_ms)
        budget = (
            self._config.budget_tokens
            if budget_tokens is None
            else whole_number("budget_tokens", budget_tokens, least=1, most=_MOST)
        )
        answer = self._reader.decide(checked_text(query), asked, allow_background=allow_background)
        rendered = render_notes(answer.released, budget_tokens=budget)
        self._announcer.retrieved(answer.decision, rendered.record_ids)
        return ContextBlock(
            text=rendered.text,
            decision=answer.decision,
            record_ids=rendered.record_ids,
            omitted=rendered.omitted,
            tokens=rendered.tokens,
        )

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

    def mark_used(self, note_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each note; a host calls it once a turn, reads never do."""
        ids = [label("note_ids", one) for one in note_ids]
        self._store.mark_used(label("subject", subject), ids, at=self._clock.now())

    # -- the file

    def doctor(self) -> DoctorReport:
        """Health of file, driver and model; embeds one word to see that the model answers."""
        found = diagnose(self._store, self._found.embedder, self._judge, absent=self._found.reason)
        return DoctorReport(checks=(*found.checks, self.sessions.check()))

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self.sessions.close()
        self._reader.close()
        self.facts.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
