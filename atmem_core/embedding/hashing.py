"""A diagnostic embedder: words and character trigrams hashed into a vector. It knows no meaning."""

import hashlib
import re
from collections.abc import Iterator, Sequence

from atmem_core.embedding.installed import require
from atmem_core.embedding.protocol import Float32Array
from atmem_core.errors import InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass

DEFAULT_DIMENSIONS = 256
_WORD = re.compile(r"\w+")
_TRIGRAM_WEIGHT = 0.5
"""A word has several trigrams; together they shouldn't drown the word itself."""


class HashingEmbedder:
    """Needs numpy alone; a text has the same vector in every process and on every machine.

    Its vectors are reported and never make a record eligible: like spelling isn't like meaning.

    Raises:
        MissingExtra: numpy isn't installed.
        InvalidInput: ``dimensions`` is below 1.
    """

    def __init__(self, dimensions: int = DEFAULT_DIMENSIONS) -> None:
        require(("numpy",))
        if isinstance(dimensions, bool) or dimensions < 1:
            raise InvalidInput("dimensions", f"must be 1 or more, got {dimensions!r}")
        self._identity = EmbeddingIdentity(
            provider="hashing",
            model="words-and-trigrams",
            revision="1",
            dimensions=dimensions,
            preprocessing="case folded, signed blake2b",
            quality=QualityClass.DIAGNOSTIC,
            licence="Apache-2.0",
        )

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean."""
        return self._identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), dimensions), float32."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        rows = np.zeros((len(texts), self._identity.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, weight in _features(text):
                slot, sign = _place(feature, len(row))
                row[slot] += sign * weight
            if not row.any():  # no words, or words that cancel each other out
                row[0] = 1.0
        unit: Float32Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, 1.0
        edged = f"^{word}$"
        for start in range(len(edged) - 2):
            yield edged[start : start + 3], _TRIGRAM_WEIGHT


def _place(feature: str, dimensions: int) -> tuple[int, int]:
    """Slot and sign. Signs make features that share a slot cancel on average (Weinberger 2009)."""
    data = feature.encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    return (number >> 1) % dimensions, 1 if number & 1 else -1
