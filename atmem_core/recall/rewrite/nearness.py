"""The embedding gate: is a message near in meaning to one that needs what was said before it?"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from atmem_core.embedding import Embedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbedPurpose

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array

_LARGEST = 1.01


class Nearness:
    """Messages against exemplars, by cosine.

    Exemplars are embedded at the first message, in one call; a failure is tried again at the next one.

    Args:
        embedder: None: nothing can be compared.
        exemplars: One or more.
        threshold: Least cosine that is near, -1 to 1.
    """

    def __init__(self, embedder: Embedder | None, exemplars: Sequence[str], *, threshold: float) -> None:
        self._embedder = embedder
        self._exemplars = tuple(exemplars)
        self._threshold = threshold
        self._lock = threading.Lock()
        self._known: Float32Array | None = None

    def reaches(self, message: str) -> bool:
        """Does the highest cosine to an exemplar reach the threshold?

        Raises:
            EmbeddingUnavailable: There is no embedder, or its rows can't be used; an embedder may raise more.
        """
        known = self._exemplar_rows()
        (row,) = self._rows([message])
        return bool((known @ row).max() >= self._threshold)

    def _exemplar_rows(self) -> "Float32Array":
        with self._lock:
            if self._known is None:
                self._known = self._rows(self._exemplars)
            return self._known

    def _rows(self, texts: Sequence[str]) -> "Float32Array":
        if self._embedder is None:
            raise EmbeddingUnavailable("absent", "the embedding gate has no embedder")
        rows = self._embedder.embed(texts, purpose=EmbedPurpose.SIMILARITY)
        # Checked before exemplars are kept. NaN is below nothing, and a unit row's numbers are 1 at most.
        if len(rows) != len(texts) or not bool((abs(rows) <= _LARGEST).all()):
            raise EmbeddingUnavailable("bad_shape", f"{len(rows)} usable rows at most for {len(texts)} texts")
        return rows
