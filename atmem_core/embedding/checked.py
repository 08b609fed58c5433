"""Any embedder, held to its identity: right answers come through, all else is one counted error."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager

from atmem_core.embedding.protocol import Embedder, Float32Array
from atmem_core.embedding.query_cache import QueryCache, cache_key
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose

_NORM_TOLERANCE = 1e-3
_CACHED_QUERIES = 256


class CheckedEmbedder:
    """Wraps an embedder. A wrong answer or an exception is an EmbeddingUnavailable with a reason.

    The reasons: ``wrong_length`` (not one row a text), ``wrong_dimensions``, ``wrong_dtype`` (no
    float32 array), ``not_finite``, ``not_normalized`` (a norm off 1 by more than 0.001),
    ``wrong_identity``, ``timeout``, ``failed`` (any other exception), or the embedder's own.

    Vectors of recent queries are kept, so that one turn asks the model once.
    """

    def __init__(self, embedder: Embedder, *, cached_queries: int = _CACHED_QUERIES) -> None:
        self._embedder = embedder
        self._identity: EmbeddingIdentity | None = None
        self._cache = QueryCache(cached_queries)
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors mean; read from the embedder until it answers once, then kept."""
        with self._held():
            return self._known_identity()

    @property
    def counts(self) -> Mapping[str, int]:
        """Calls of the model since this was made: ``ok``, and failures by reason. A copy."""
        with self._lock:
            return dict(self._counts)

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), identity.dimensions), float32.

        Raises:
            EmbeddingUnavailable: For every fault of the embedder.
            InvalidInput: ``texts`` is one text in place of a list.
        """
        if isinstance(texts, str):
            raise InvalidInput("texts", "must be a list of texts, got one text")
        with self._held():
            if purpose is EmbedPurpose.DOCUMENT or not texts:
                return self._asked(texts, purpose)
            return self._remembered(texts, purpose)

    def clear_cache(self) -> None:
        """Forget the vectors of past queries."""
        self._cache.clear()

    def _remembered(self, texts: Sequence[str], purpose: EmbedPurpose) -> Float32Array:
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        keys = [cache_key(text, purpose) for text in texts]
        found = self._cache.get(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            rows = self._asked(list(new.values()), purpose)
            # Copies: a view would hold the whole answer, and the caller may write into its rows.
            fresh = {key: row.copy() for key, row in zip(new, rows, strict=True)}
            self._cache.put(fresh)
            found |= fresh
        return np.stack([found[key] for key in keys])

    def _asked(self, texts: Sequence[str], purpose: EmbedPurpose) -> Float32Array:
        dimensions = self._known_identity().dimensions
        rows = self._embedder.embed(texts, purpose=purpose)
        _check(rows, length=len(texts), dimensions=dimensions)
        self._count("ok")
        return rows

    def _known_identity(self) -> EmbeddingIdentity:
        if self._identity is None:
            identity: object = self._embedder.identity
            if not isinstance(identity, EmbeddingIdentity) or identity.dimensions < 1:
                raise EmbeddingUnavailable("wrong_identity", "the embedder gave no valid identity")
            self._identity = identity
        return self._identity

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            yield
        except EmbeddingUnavailable as error:
            self._count(error.reason)
            raise
        except CancelledError:  # an Exception in concurrent.futures; asyncio's is none
            raise
        except TimeoutError:
            self._count("timeout")
            raise EmbeddingUnavailable("timeout", "the embedder took too long") from None
        except Exception as error:  # noqa: BLE001 - the call goes on without a vector
            self._count("failed")
            # Type alone, and no chain: a library's message may quote the text.
            what = f"{type(error).__name__} in the embedder"
            raise EmbeddingUnavailable("failed", what) from None

    def _count(self, outcome: str) -> None:
        with self._lock:
            self._counts[outcome] += 1


def _check(rows: object, *, length: int, dimensions: int) -> None:
    """Raise EmbeddingUnavailable unless it is ``length`` unit rows of ``dimensions`` float32."""
    import numpy as np  # noqa: PLC0415 - optional, and slow to import

    if not isinstance(rows, np.ndarray) or rows.dtype != np.float32:
        kind = getattr(rows, "dtype", type(rows).__name__)
        raise EmbeddingUnavailable("wrong_dtype", f"expected a float32 array, got {kind}")
    if rows.shape[1:] != (dimensions,):
        raise EmbeddingUnavailable(
            "wrong_dimensions", f"expected rows of {dimensions} numbers, got shape {rows.shape}"
        )
    if len(rows) != length:
        raise EmbeddingUnavailable("wrong_length", f"{len(rows)} rows for {length} texts")
    if not np.isfinite(rows).all():
        raise EmbeddingUnavailable("not_finite", "a vector holds NaN or infinity")
    worst = float(np.abs(np.linalg.norm(rows, axis=1) - 1.0).max(initial=0.0))
    if worst > _NORM_TOLERANCE:
        raise EmbeddingUnavailable("not_normalized", f"a vector's length is off 1 by {worst:.4f}")
