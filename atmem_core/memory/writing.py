"""The part of ``Memory`` that writes notes: remember, supersede, forget, erase."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from atmem_core.clock import Clock
from atmem_core.facts.announcing import Announcer
from atmem_core.records import EraseReceipt, Forgotten, Remembered, Scope, Selector, label
from atmem_core.remember.ingest import Telling
from atmem_core.remember.recorder import Recorder
from atmem_core.semantic.profiles import Profiles
from atmem_core.store import Store
from atmem_core.text import forget_stems


class WriteVerbs:
    """Mixed into ``Memory``."""

    _store: Store
    _profiles: Profiles
    _clock: Clock
    _recorder: Recorder
    _announcer: Announcer

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
        return self._remembered(telling, supersedes)

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
        return self._remembered(telling, note_id)

    def _remembered(self, telling: Telling, supersedes: str | None) -> Remembered:
        done = self._recorder.remember(telling, supersedes=supersedes)
        self._announcer.did_without(telling.scope.subject, done.degraded)
        return done

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
        self._profiles.clear_caches()
        return receipt

    def mark_used(self, note_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each note; a host calls it once a turn, reads never do."""
        ids = [label("note_ids", one) for one in note_ids]
        self._store.mark_used(label("subject", subject), ids, at=self._clock.now())
