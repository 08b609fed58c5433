"""Models of the library sentence-transformers, at a pinned revision. Nothing is fetched unasked."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.catalog import identity_of, served
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

PROVIDER = "sentence-transformers"


class SentenceTransformersEmbedder:
    """A model of the hub, loaded at the first use, from this machine's copy.

    The library brings torch and is in no extra of this package: ``pip install sentence-transformers``.

    Args:
        model: Its name on the hub, or a folder.
        revision: Commit of the model's repository: what a branch's name points to may change.
        allow_download: Fetch what isn't on this machine.
        load: What loads it; the library's ``SentenceTransformer`` when None.
    """

    def __init__(
        self,
        model: str,
        *,
        revision: str,
        allow_download: bool = False,
        load: Callable[..., Any] | None = None,
    ) -> None:
        if not revision:
            raise InvalidInput("version", "must name the commit of the model's repository to load")
        self._model = model
        self._revision = revision
        self._allow_download = allow_download
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean; reading it loads the model."""
        return identity_of(
            served(PROVIDER, self._model),
            provider=PROVIDER,
            model=self._model,
            revision=self._revision,
            dimensions=int(self._encoder().get_sentence_embedding_dimension()),
        )

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> "Float32Array":
        """One L2-normalised row a text: shape (len(texts), dimensions), float32.

        Raises:
            EmbeddingUnavailable: The model isn't on this machine, or didn't load or run.
        """
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        prefix = self.identity.prefixes.get(purpose.value, "")
        if not texts:
            return np.empty((0, self.identity.dimensions), dtype=np.float32)
        try:
            rows = self._encoder().encode(
                [storable(prefix + text) for text in texts],
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        except Exception as error:  # noqa: BLE001 - the port has one error
            raise EmbeddingUnavailable("failed", f"{type(error).__name__} in the model") from None
        return np.asarray(rows, dtype=np.float32)

    def _encoder(self) -> Any:  # noqa: ANN401 - the library's
        with self._lock:
            if self._loaded is None:
                load = self._load or _library()
                try:
                    self._loaded = load(
                        self._model,
                        revision=self._revision,
                        local_files_only=not self._allow_download,
                        trust_remote_code=False,
                        device="cpu",
                    )
                except OSError as error:
                    raise EmbeddingUnavailable(
                        "model_missing",
                        f"{self._model} at {self._revision} isn't on this machine ({type(error).__name__}); "
                        "allow the download once",
                    ) from None
            return self._loaded


def _library() -> Callable[..., Any]:
    try:
        from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        raise EmbeddingUnavailable(
            "not_available", "sentence-transformers isn't installed; run: pip install sentence-transformers"
        ) from None
    return SentenceTransformer  # type: ignore[no-any-return]
