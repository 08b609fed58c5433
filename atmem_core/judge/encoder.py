"""The bundled judge: a cross-encoder as an int8 ONNX file, run in this process and offline.

It reads question and text together, which no comparison of vectors does: "what make is our boiler?"
beside who services the boiler. ``atmem_core.evaluation.answerability`` trained it on pairs that were made
from frames written for this package.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.installed import require, sha256_of
from atmem_core.embedding.onnx import session_of, wordpiece
from atmem_core.errors import EmbeddingUnavailable, InvalidInput, JudgeUnavailable
from atmem_core.text import storable

if TYPE_CHECKING:
    from tokenizers import BertWordPieceTokenizer

RUNTIME = ("onnxruntime", "tokenizers", "numpy")
"""Import names of what runs it."""
MODEL = Path(__file__).parent / "data" / "answerability.onnx"
SHA256 = "ce6492575157448303677cdf317332382c713b3ec3d479e3950c1d4aeab07689"
VERSION = "answerability-1"
_MAX_TOKENS = 128
_MAX_CHARS = 2_000
"""Of each text. The tokenizer reads a whole text before it cuts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """What was loaded. Several threads may use it at once."""

    session: Any
    """An onnxruntime.InferenceSession, which ships no types."""
    tokenizer: "BertWordPieceTokenizer"

    def answered(self, question: str, text: str) -> float:
        """One pair, alone: padding to the longest of a batch would cost more than it saves."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        pair = self.tokenizer.encode(question, text)
        ids = np.array([pair.ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([pair.type_ids], dtype=np.int64),
        }
        (logits,) = self.session.run(None, inputs)
        return float(1 / (1 + np.exp(-np.float64(logits[0]))))


class EncoderJudge:
    """The bundled judge, for English, loaded at the first use, once.

    Args:
        path: Another ONNX file with the same inputs; its version is its digest's start.
        threads: Threads that one pair's run may use.

    Raises:
        MissingExtra: The packages of the extra ``local`` aren't installed.
        InvalidInput: ``path`` is no file.
    """

    def __init__(self, path: Path | None = None, *, threads: int = 1) -> None:
        require(RUNTIME)
        if path is not None and not Path(path).is_file():
            raise InvalidInput("path", f"there is no file {path}")
        self._path = Path(path or MODEL)
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._version = VERSION if path is None else sha256_of(self._path)[:16]

    @property
    def version(self) -> str:
        """Which judge."""
        return self._version

    def answered(self, question: str, texts: Sequence[str]) -> list[float]:
        """How sure it is that each text states the answer; 0 to 1, one a text.

        Raises:
            JudgeUnavailable: The file is missing, is another one, or didn't load or run.
        """
        model = self._loaded()
        asked = storable(question[-_MAX_CHARS:])
        return [model.answered(asked, storable(text[:_MAX_CHARS])) for text in texts]

    def _loaded(self) -> _Model:
        # A failure isn't kept: the next call looks again, so a mended installation works at once.
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load()
        return self._model

    def _load(self) -> _Model:
        try:
            if self._path == MODEL and (found := sha256_of(MODEL)) != SHA256:
                raise JudgeUnavailable(
                    "wrong_model_file", f"{MODEL} has SHA-256 {found}; install atmem-core again"
                )
            return _Model(session=session_of(self._path, self._threads), tokenizer=wordpiece(_MAX_TOKENS))
        except EmbeddingUnavailable as error:
            raise JudgeUnavailable(error.reason, str(error)) from error
