"""The second step of the write path: vectors, after the note is committed.

A failing embedder never loses a note: the note waits, and the next good moment makes its vector up.
"""

from collections.abc import Sequence

from atmem_core.embedding import Embedder, ServingFor
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbedPurpose, Note, attributed
from atmem_core.store.protocol import Pending, Store


class Indexer:
    """Makes vectors for notes that have none, each by the model that serves its subject."""

    def __init__(self, store: Store, serving_for: ServingFor) -> None:
        self._store = store
        self._serving_for = serving_for

    def able(self, subject: str) -> bool:
        """Is there an embedder at all?"""
        return self._serving_for(subject).embedder is not None

    def index(self, note: Note, row: int, *, catch_up: int) -> bool:
        """Embed one new note, then up to ``catch_up`` that wait. False when the model failed.

        True without an embedder: there is nothing to wait for until one is there.
        """
        if not self.able(note.scope.subject):
            return True
        if not self.embed([Pending(row=row, note=note)]):
            return False
        waiting = self._store.awaiting_vectors(limit=catch_up) if catch_up else []
        # While this very note still waits, it is for another model than the one that was given.
        if all(one.row != row for one in waiting):
            self.embed(waiting)
        return True

    def embed(self, pending: Sequence[Pending]) -> bool:
        """Embed these notes, in one call for each model, and store the vectors. False when one failed."""
        done = True
        for embedder, group in self._by_model(pending):
            try:
                embed_records(self._store, embedder, group)
            except EmbeddingUnavailable:
                done = False
        return done

    def _by_model(self, pending: Sequence[Pending]) -> list[tuple[Embedder, list[Pending]]]:
        found: dict[int, tuple[Embedder, list[Pending]]] = {}
        serving = {one: self._serving_for(one) for one in {each.note.scope.subject for each in pending}}
        for one in pending:
            embedder = serving[one.note.scope.subject].embedder
            if embedder is not None:
                found.setdefault(id(embedder), (embedder, []))[1].append(one)
        return list(found.values())


def embed_records(store: Store, embedder: Embedder, pending: Sequence[Pending]) -> None:
    """Embed these records in one call, then store their vectors in one transaction.

    Raises:
        EmbeddingUnavailable: The model failed; nothing was stored.
    """
    texts = [attributed(one.note.speaker, one.note.text) for one in pending]
    vectors = embedder.embed(texts, purpose=EmbedPurpose.DOCUMENT)
    digest = embedder.identity.digest
    store.put_vectors(digest, {one.row: vector for one, vector in zip(pending, vectors, strict=True)})
