"""The second step of the write path: vectors, after the note is committed.

A failing embedder never loses a note: the note waits, and the next good moment makes its vector up.
"""

from collections.abc import Sequence

from atmem_core.embedding import Embedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbedPurpose, Note, attributed
from atmem_core.store.protocol import Pending, Store


class Indexer:
    """Makes vectors for notes that have none."""

    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    @property
    def able(self) -> bool:
        """Is there an embedder at all?"""
        return self._embedder is not None

    def index(self, note: Note, row: int, *, catch_up: int) -> bool:
        """Embed one new note, then up to ``catch_up`` that wait. False when the model failed.

        True without an embedder: there is nothing to wait for until one is there.
        """
        if self._embedder is None:
            return True
        if not self.embed([Pending(row=row, note=note)]):
            return False
        if catch_up:
            self.embed(self._store.awaiting_vectors(limit=catch_up))
        return True

    def embed(self, pending: Sequence[Pending]) -> bool:
        """Embed these notes in one call and store the vectors. False when the model failed."""
        if self._embedder is None or not pending:
            return True
        try:
            texts = [attributed(one.note.speaker, one.note.text) for one in pending]
            vectors = self._embedder.embed(texts, purpose=EmbedPurpose.DOCUMENT)
            digest = self._embedder.identity.digest
        except EmbeddingUnavailable:
            return False
        self._store.put_vectors(
            digest, {one.row: vector for one, vector in zip(pending, vectors, strict=True)}
        )
        return True
