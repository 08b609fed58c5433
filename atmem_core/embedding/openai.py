"""Models behind ``/v1/embeddings``: hosted ones, vLLM, llama.cpp, text-embeddings-inference."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from atmem_core.embedding.catalog import identity_of, served
from atmem_core.embedding.rows import unit_rows
from atmem_core.embedding.server import Server
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

PROVIDER = "openai"
_BATCH = 64
_PROBE = "word"


class OpenAIEmbedder:
    """One model of an OpenAI-compatible server.

    Such a server tells no digest of its weights: the identity's revision is what you say, and its host is
    part of what a vector means.

    Args:
        model: As the server calls it.
        base_url: Up to and with ``/v1``. Texts go to it.
        version: The revision in the identity; ``unversioned`` when None.
        dimensions: Asked of the server, for models that can shorten their vectors; whatever comes when None.
        api_key: Asked at each request.
        timeout_ms: For one call, all tries together.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        version: str | None = None,
        dimensions: int | None = None,
        api_key: Callable[[], str | None] | None = None,
        timeout_ms: float = 30_000,
    ) -> None:
        self._server = Server(base_url, timeout_ms=timeout_ms, api_key=api_key)
        self._model = model
        self._version = version or "unversioned"
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._identity: EmbeddingIdentity | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors mean; their length is that of one that the server made."""
        with self._lock:
            if self._identity is None:
                found = self._vectors([_PROBE]).shape[1]
                if self._dimensions not in {None, found}:
                    raise EmbeddingUnavailable(
                        "wrong_dimensions", f"vectors of {found} numbers, expected {self._dimensions}"
                    )
                self._identity = identity_of(
                    served(PROVIDER, self._model),
                    provider=PROVIDER,
                    model=self._model,
                    revision=self._version,
                    dimensions=found,
                    preprocessing=f"by {self._server.host}",
                )
            return self._identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> "Float32Array":
        """One L2-normalised row a text: shape (len(texts), dimensions), float32.

        Raises:
            EmbeddingUnavailable: For every fault of server and answer.
        """
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        identity = self.identity
        prefix = identity.prefixes.get(purpose.value, "")
        rows = np.empty((len(texts), identity.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [storable(prefix + text) for text in texts[start : start + _BATCH]]
            found = self._vectors(batch)
            if found.shape[1] != identity.dimensions:
                raise EmbeddingUnavailable(
                    "wrong_dimensions", f"vectors of {found.shape[1]} numbers, not {identity.dimensions}"
                )
            rows[start : start + len(batch)] = found
        return rows

    def _vectors(self, texts: Sequence[str]) -> "Float32Array":
        body: dict[str, object] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        return unit_rows(self._server.post("/embeddings", body), count=len(texts))
