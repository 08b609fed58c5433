"""The embedding model of a run: a note is embedded once for a store and its copies, a question each time."""

from collections.abc import Sequence

from atmem_core.embedding import CheckedEmbedder, Embedder, EmbeddingIdentity, Float32Array, resolve
from atmem_core.records import EmbedPurpose

_MOST_KEPT = 20_000
"""Vectors; beyond it all are dropped. A store and its copies come one after another."""


class Model:
    """What a run gives to every memory that it opens.

    Args:
        embedder: ``"auto"``, None or an embedder, as ``Memory.open`` takes it.
    """

    def __init__(self, embedder: Embedder | str | None) -> None:
        found = resolve(embedder)
        self._inner = found.embedder
        self.absent = found.reason
        """Why words alone are compared; empty when there is a model."""
        self.embedder = None if self._inner is None else CheckedEmbedder(_EmbedsNotesOnce(self._inner))

    @property
    def identity(self) -> EmbeddingIdentity | None:
        """What the vectors mean."""
        return None if self.embedder is None else self.embedder.identity

    def forget_queries(self) -> None:
        """So that each decision pays for its own vector."""
        for one in (self._inner, self.embedder):
            if one is not None:
                one.clear_cache()


class _EmbedsNotesOnce:
    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._rows: dict[str, Float32Array] = {}

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        if purpose is not EmbedPurpose.DOCUMENT or not texts:
            return self._inner.embed(texts, purpose=purpose)
        import numpy as np  # noqa: PLC0415 - only a model needs it

        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            if len(self._rows) > _MOST_KEPT:
                self._rows, new = {}, list(dict.fromkeys(texts))
            rows = self._inner.embed(new, purpose=purpose)
            self._rows |= {text: row.copy() for text, row in zip(new, rows, strict=True)}
        return np.stack([self._rows[text] for text in texts])
