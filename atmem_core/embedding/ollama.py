"""Models of an Ollama server. Its digest of the weights is the identity's revision."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.catalog import identity_of, served
from atmem_core.embedding.rows import unit_rows
from atmem_core.embedding.server import Server
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

PROVIDER = "ollama"
OLLAMA = "http://127.0.0.1:11434"
_BATCH = 32
_CHECK_MS = 60_000
_PROBE = "word"

Pulled = Callable[[int, int], None]
"""Told of a download: bytes so far, and in all."""


class OllamaEmbedder:
    """One model of an Ollama server, on this machine unless another URL is given.

    The identity is read from the server: its digest of the weights, and the length of a vector that it made.
    It is read again after a minute, so weights that were changed under a tag are a new identity.

    Args:
        model: As Ollama calls it, such as ``nomic-embed-text``.
        base_url: Of the server. Texts go to it: one elsewhere is used only when it is named here.
        dimensions: What a vector must have; whatever comes when None.
        allow_download: Have the server fetch a model that it lacks.
        pulled: Told of such a download.
        timeout_ms: For one call, all tries together.
        check_ms: How long an identity counts as read.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OLLAMA,
        dimensions: int | None = None,
        allow_download: bool = False,
        pulled: Pulled | None = None,
        timeout_ms: float = 30_000,
        check_ms: float = _CHECK_MS,
    ) -> None:
        self._server = Server(base_url, timeout_ms=timeout_ms)
        self._model = model
        self._entry = served(PROVIDER, model)
        self._dimensions = dimensions
        self._allow_download = allow_download
        self._pulled = pulled
        self._check_s = check_ms / 1000
        self._lock = threading.Lock()
        self._identity: EmbeddingIdentity | None = None
        self._read_at = 0.0

    def tell(self, pulled: Pulled) -> None:
        """Let somebody know of a download that may follow."""
        self._pulled = pulled

    @property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors mean, as the server says.

        Raises:
            EmbeddingUnavailable: It doesn't answer, or lacks the model: the message has the command.
        """
        with self._lock:
            if self._identity is None or time.monotonic() - self._read_at > self._check_s:
                self._identity = self._read()
                self._read_at = time.monotonic()
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
                raise _wrong_dimensions(found.shape[1], identity.dimensions)
            rows[start : start + len(batch)] = found
        return rows

    def _read(self) -> EmbeddingIdentity:
        digest = self._digest() or self._fetched()
        known = self._identity
        if known is not None and known.revision == digest:
            return known
        found = self._vectors([_PROBE]).shape[1]
        wanted = self._dimensions or (None if self._entry is None else self._entry.dimensions)
        if wanted not in {None, found}:
            raise _wrong_dimensions(found, wanted)
        return identity_of(
            self._entry, provider=PROVIDER, model=self._model, revision=digest, dimensions=found
        )

    def _vectors(self, texts: Sequence[str]) -> "Float32Array":
        body = {"model": self._model, "input": list(texts), "truncate": True}
        return unit_rows(self._server.post("/api/embed", body), count=len(texts))

    def _digest(self) -> str | None:
        """Of the model's weights as the server has them; None when it lacks the model."""
        answer = self._server.get("/api/tags")
        models: Any = answer.get("models") if isinstance(answer, dict) else None
        if not isinstance(models, list):
            raise EmbeddingUnavailable("bad_shape", f"{self._server.host} lists no models; is it Ollama?")
        names = {self._model, f"{self._model}:latest"}
        found = (one for one in models if isinstance(one, dict) and one.get("name") in names)
        return next((str(one.get("digest") or "") for one in found), None)

    def _fetched(self) -> str:
        """The digest of the model after a download, which is started only when it was allowed."""
        if not self._allow_download:
            raise EmbeddingUnavailable(
                "model_missing",
                f"{self._server.host} has no model {self._model!r}; run `ollama pull {self._model}`, "
                "or allow the download",
            )
        for line in self._server.lines("/api/pull", {"model": self._model, "stream": True}):
            if "error" in line:
                raise EmbeddingUnavailable("download_failed", f"Ollama couldn't fetch {self._model!r}")
            done, total = line.get("completed"), line.get("total")
            if self._pulled is not None and isinstance(done, int) and isinstance(total, int):
                self._pulled(done, total)
        digest = self._digest()
        if not digest:
            raise EmbeddingUnavailable("download_failed", f"Ollama has no {self._model!r} after fetching it")
        return digest


def _wrong_dimensions(found: int, wanted: int | None) -> EmbeddingUnavailable:
    return EmbeddingUnavailable("wrong_dimensions", f"vectors of {found} numbers, expected {wanted}")
