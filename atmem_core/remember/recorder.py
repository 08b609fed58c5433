"""The write path, whole: draft, one transaction, then the vector."""

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.embedding import ServingFor
from atmem_core.errors import NotFound
from atmem_core.records import Note, NoteDraft, ReasonCode, Remembered
from atmem_core.remember.index import Indexer
from atmem_core.remember.ingest import Telling, draft, indexed_tokens
from atmem_core.remember.redaction import cleared_telling
from atmem_core.store.protocol import Store, Stored
from atmem_core.text import overlap
from atmem_core.text.near import SIMILAR


class Recorder:
    """Stores what is told."""

    def __init__(self, store: Store, serving_for: ServingFor, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._config = config
        self.indexer = Indexer(store, serving_for)

    def remember(self, telling: Telling, *, supersedes: str | None = None) -> Remembered:
        """Store one note, or find it stored already."""
        note = draft(cleared_telling(telling, self._config.redaction), self._clock)
        stored = self._store.add(note, supersedes=supersedes)
        embedded = not stored.created or self.indexer.index(
            stored.note, stored.row, catch_up=self._config.backfill_batch
        )
        return Remembered(
            id=stored.note.id,
            record=stored.note,
            created=stored.created,
            similar=self._similar(note, stored),
            degraded=() if embedded else (ReasonCode.EMBEDDING_UNAVAILABLE.value,),
        )

    def _similar(self, new: NoteDraft, stored: Stored) -> tuple[str, ...]:
        """Ids of stored notes that say nearly the same, nearest first."""
        words = frozenset(new.search_text.split(" "))
        near = []
        for note_id in stored.similar:
            try:
                other = self._store.get(new.scope.subject, note_id)
            except NotFound:
                continue  # erased by another process since
            share = overlap(words, _words(other))
            if share >= SIMILAR:
                near.append((-share, other.content_hash, note_id))
        return tuple(note_id for _, _, note_id in sorted(near))


def _words(note: Note) -> frozenset[str]:
    return frozenset(token.word for token in indexed_tokens(note.text, note.speaker))
