"""The embedding gate: is a message near in meaning to one that needs what was said before it?"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from atmem_core.embedding import Embedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbedPurpose

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array


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
        """Does the highest cosine to an exemplar reach the threshold? One that is no number doesn't.

        Raises:
            EmbeddingUnavailable: There is no embedder, or it gives nothing; an embedder may raise more.
        """
        if self._embedder is None:
            raise EmbeddingUnavailable("absent", "the embedding gate has no embedder")
        known = self._exemplar_rows(self._embedder)
        (row,) = self._embedder.embed([message], purpose=EmbedPurpose.SIMILARITY)
        return bool((known @ row).max() >= self._threshold)

    def _exemplar_rows(self, embedder: Embedder) -> "Float32Array":
        with self._lock:
            if self._known is None:
                self._known = embedder.embed(self._exemplars, purpose=EmbedPurpose.SIMILARITY)
            return self._known
