"""When a model is asked to make a message whole."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from atmem_core.embedding import Embedder
from atmem_core.policy.referring import points_back
from atmem_core.records import EmbedPurpose

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array

THRESHOLD = 0.65
"""Least cosine to the nearest exemplar."""
EXEMPLARS = (
    "and what about the other one?",
    "does that still hold?",
    "can you tell me more about it?",
    "who told me that?",
    "is hers the same?",
    "how much was it again?",
    "so which of the two did I pick?",
    "what did he say to that?",
    "do they have one as well?",
    "no, the one before",
    "same place as last time?",
    "why did we drop it?",
    "what changed after we talked about it?",
    "which came first, that or the move?",
    "what was I doing before then?",
    "how long after that did it happen?",
    "did I say so before or after the trip?",
    "where was she when that happened?",
    "who was there at the time?",
)
"""Follow-ups, and questions of time or of several steps, that mean nothing without what was said before."""


class Gate(Protocol):
    """Whoever says whether a message needs rewriting."""

    def opens(self, message: str) -> bool:
        """Should a model be asked? Never raises."""
        ...


class HeuristicGate:
    """By the message's words."""

    def opens(self, message: str) -> bool:
        """Short, pointing back, or begun with a conjunction."""
        return points_back(message)


class AlwaysGate:
    """Whenever there is a history."""

    def opens(self, message: str) -> bool:
        """Yes, unless nothing was said."""
        return bool(message.strip())


class EmbeddingGate:
    """By the nearest of some exemplars, which are embedded once, when first needed."""

    def __init__(
        self, embedder: Embedder, exemplars: Sequence[str] = EXEMPLARS, *, threshold: float = THRESHOLD
    ) -> None:
        self._embedder = embedder
        self._exemplars = tuple(exemplars)
        self._threshold = threshold
        self._rows: Float32Array | None = None
        self._lock = threading.Lock()

    def opens(self, message: str) -> bool:
        """Is it near enough to one? No, when it can't be embedded."""
        if not message.strip() or not self._exemplars:
            return False
        try:
            rows = self._embedded()
            vector = self._embedder.embed([message], purpose=EmbedPurpose.SIMILARITY)[0]
            return float((rows @ vector).max()) >= self._threshold
        except Exception:  # noqa: BLE001 - a gate that fails stays shut; the message is searched for as it is
            return False

    def _embedded(self) -> "Float32Array":
        with self._lock:
            if self._rows is None:
                self._rows = self._embedder.embed(self._exemplars, purpose=EmbedPurpose.SIMILARITY)
            return self._rows
