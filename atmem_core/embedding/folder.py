"""Any encoder as a folder on this machine: ``model.onnx`` and ``tokenizer.json``."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.installed import require, sha256_of
from atmem_core.embedding.onnx import session_of
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from atmem_core.embedding.protocol import Float32Array

PROVIDER = "onnx"
RUNTIME = ("onnxruntime", "tokenizers", "numpy")
_MODELS = ("model.onnx", "onnx/model.onnx")
_MAX_TOKENS = 512
_MAX_CHARS = 16_384
_TOKENS_RANK = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    identity: EmbeddingIdentity
    session: Any
    tokenizer: "Tokenizer"
    inputs: frozenset[str]


class OnnxFolderEmbedder:
    """An encoder from a folder, loaded at the first use, once. Nothing is fetched.

    The first output is taken: vectors of tokens are averaged over them, one vector a text is taken as it is.
    The digests of both files are the identity's; no gate has passed on it.

    Args:
        folder: With ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json``.
        prefixes: Text to put before, by purpose.
        threads: Threads that one text's run may use.

    Raises:
        MissingExtra: The packages of the extra ``local`` aren't installed.
        InvalidInput: One of the files isn't there.
    """

    def __init__(
        self, folder: Path, *, prefixes: Mapping[EmbedPurpose, str] | None = None, threads: int = 1
    ) -> None:
        require(RUNTIME)
        self._folder = Path(folder)
        found = [self._folder / name for name in _MODELS if (self._folder / name).is_file()]
        if not found:
            raise InvalidInput("folder", f"{folder} holds no {' and no '.join(_MODELS)}")
        self._weights, self._words = found[0], self._folder / "tokenizer.json"
        if not self._words.is_file():
            raise InvalidInput("folder", f"{folder} holds no tokenizer.json")
        self._prefixes = {purpose.value: prefix for purpose, prefix in (prefixes or {}).items()}
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean; reading it loads the model."""
        return self._loaded().identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> "Float32Array":
        """One L2-normalised row a text: shape (len(texts), dimensions), float32.

        Raises:
            EmbeddingUnavailable: The files didn't load or run.
        """
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        model = self._loaded()
        prefix = model.identity.prefixes.get(purpose.value, "")
        rows = np.empty((len(texts), model.identity.dimensions), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = _vector(model, storable((prefix + text)[:_MAX_CHARS]))
        return rows

    def _loaded(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> _Model:
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional

        try:
            session = session_of(self._weights, self._threads)
            tokenizer = Tokenizer.from_file(str(self._words))
            tokenizer.enable_truncation(_MAX_TOKENS)
            tokenizer.no_padding()
        except Exception as error:
            raise EmbeddingUnavailable("failed", f"{self._folder} didn't load: {error}") from error
        length = session.get_outputs()[0].shape[-1]
        if not isinstance(length, int):
            raise EmbeddingUnavailable("wrong_dimensions", f"{self._weights} declares no fixed vector length")
        identity = EmbeddingIdentity(
            provider=PROVIDER,
            model=self._folder.name,
            revision=sha256_of(self._weights),
            dimensions=length,
            prefixes=self._prefixes,
            preprocessing=f"tokenizer {sha256_of(self._words)[:12]}, {_MAX_TOKENS} tokens, mean pooling",
        )
        inputs = frozenset(one.name for one in session.get_inputs())
        return _Model(identity=identity, session=session, tokenizer=tokenizer, inputs=inputs)


def _vector(model: _Model, text: str) -> "Float32Array":
    import numpy as np  # noqa: PLC0415 - optional, and slow to import

    try:
        found = model.tokenizer.encode(text)
        ids = np.array([found.ids], dtype=np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([found.type_ids], dtype=np.int64),
        }
        taken = {name: value for name, value in given.items() if name in model.inputs}
        output = model.session.run(None, taken)[0]
        row = output[0].mean(axis=0) if output.ndim == _TOKENS_RANK else output[0]
        unit: Float32Array = (row / np.linalg.norm(row)).astype(np.float32)
    except Exception as error:  # noqa: BLE001 - the port has one error
        # The type alone: the library's message may quote the text.
        raise EmbeddingUnavailable("failed", f"{type(error).__name__} in the model") from None
    return unit
