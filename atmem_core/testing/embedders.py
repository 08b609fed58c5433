"""Embedders for tests, and the conformance kit that any embedder has to pass."""

import hashlib
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Self

from atmem_core.embedding import Embedder, Float32Array
from atmem_core.errors import InvalidInput
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass

_FAKE_DIMENSIONS = 64
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedCall:
    """One call that a fake received."""

    texts: tuple[str, ...]
    purpose: EmbedPurpose


class FakeEmbedder:
    """Deterministic, with the meaning that a test gives it.

    A text in ``vectors`` has that vector, normalised. Any other is the sum of its words: words of
    one group in ``synonyms`` are the same word, and two different words are nearly orthogonal.

    Args:
        vectors: Text to vector, all of one length.
        synonyms: Groups of single words, in any case.
        dimensions: Length of a vector when ``vectors`` doesn't say.
        model: Name in the identity; two fakes of one name share an identity.
        quality: Quality class in the identity.
    """

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        synonyms: Iterable[Iterable[str]] = (),
        dimensions: int = _FAKE_DIMENSIONS,
        model: str = "fake",
        quality: QualityClass = QualityClass.PRODUCTION,
    ) -> None:
        self._vectors = dict(vectors or {})
        lengths = {len(vector) for vector in self._vectors.values()}
        if len(lengths) > 1:
            raise InvalidInput("vectors", f"must be of one length, got {sorted(lengths)}")
        groups = [sorted(word.casefold() for word in group) for group in synonyms]
        self._sense = {word: group[0] for group in groups for word in group}
        self.calls: list[EmbedCall] = []
        """Every call, oldest first."""
        self._identity = EmbeddingIdentity(
            provider="fake",
            model=model,
            revision="1",
            dimensions=lengths.pop() if lengths else dimensions,
            quality=quality,
            licence="Apache-2.0",
        )

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean."""
        return self._identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), dimensions), float32."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        self.calls.append(EmbedCall(texts=tuple(texts), purpose=purpose))
        rows = np.zeros((len(texts), self._identity.dimensions), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = self._vectors.get(text) or self._summed(text)
        unit: Float32Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _summed(self, text: str) -> list[float]:
        words = _WORD.findall(text.casefold()) or [""]
        parts = [self._word(self._sense.get(word, word)) for word in words]
        return [sum(column) for column in zip(*parts, strict=True)]

    def _word(self, word: str) -> list[float]:
        data = word.encode("utf-8", "surrogatepass")
        drawn = hashlib.shake_128(data).digest(self._identity.dimensions)
        # Odd whole numbers: never 0, so that no single word is the zero vector.
        return [2.0 * byte - 255.0 for byte in drawn]


class Fault(StrEnum):
    """What is wrong with a BrokenEmbedder."""

    RAISES = "raises"
    """An error of its own, whose message quotes the text, as careless libraries do."""
    TIMES_OUT = "times_out"
    HANGS = "hangs"
    """Waits until ``release()``, then answers rightly."""
    NO_IDENTITY = "no_identity"
    """Reading the identity raises."""
    NOT_FINITE = "not_finite"
    NOT_NORMALIZED = "not_normalized"
    WRONG_DIMENSIONS = "wrong_dimensions"
    WRONG_DTYPE = "wrong_dtype"
    WRONG_LENGTH = "wrong_length"


class BrokenEmbedder:
    """A FakeEmbedder with a fault. ``fault = None`` mends it; leaving ``with`` releases it."""

    def __init__(self, fault: Fault | None, *, healthy: FakeEmbedder | None = None) -> None:
        self.fault = fault
        self.healthy = healthy or FakeEmbedder()
        self.entered = threading.Event()
        """Set when a call hangs."""
        self._released = threading.Event()

    @property
    def identity(self) -> EmbeddingIdentity:
        """The fake's."""
        if self.fault is Fault.NO_IDENTITY:
            raise RuntimeError("no identity")
        return self.healthy.identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """The fake's rows, spoilt."""
        if self.fault is Fault.RAISES:
            raise RuntimeError(f"can't embed {list(texts)}")
        if self.fault is Fault.TIMES_OUT:
            raise TimeoutError
        if self.fault is Fault.HANGS:
            self.entered.set()
            self._released.wait()
        return _spoilt(self.healthy.embed(texts, purpose=purpose), self.fault)

    def release(self) -> None:
        """Let calls that hang go on, and all later ones."""
        self._released.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _spoilt(rows: Float32Array, fault: Fault | None) -> Float32Array:
    match fault:
        case Fault.NOT_FINITE:
            return rows * float("nan")
        case Fault.NOT_NORMALIZED:
            return rows * 1.01
        case Fault.WRONG_DIMENSIONS:
            return rows[:, 1:]
        case Fault.WRONG_DTYPE:
            return rows.astype("float64")
        case Fault.WRONG_LENGTH:
            return rows[1:]
        case _:
            return rows


_TEXTS = (
    "My sister keeps bees behind the old mill.",
    "The quarterly tax form is due on Friday.",
    "rain",
    "She asked whether the train to Porto still leaves at six, and nobody at the desk could say.",
)
_ODD_TEXTS = {
    "an empty text": "",
    "white space": " \t\n ",
    "punctuation": "?!... --",
    "a lone surrogate": "half \ud83d emoji",
    "a NUL": "before\0after",
    "emoji": "\U0001f41d\u200d\U0001f9d1",
    "Arabic and Chinese": "\u0645\u0631\u062d\u0628\u0627 \u4f60\u597d",
    "a special token": "[SEP] [CLS] [MASK] </s>",
    "a very long text": "word " * 5_000,
    "a very long word": "x" * 5_000,
}


def check_embedder(embedder: Embedder, *, tolerance: float = 1e-5) -> None:
    """Hold an embedder to the protocol's promises.

    Args:
        embedder: The one under test; the check calls it some dozens of times.
        tolerance: Largest difference of a vector's number between two ways to ask for it.

    Raises:
        AssertionError: The embedder breaks a promise; the message names it.
    """
    _check_identity(embedder)
    for purpose in EmbedPurpose:
        _check_rows(embedder, _TEXTS, purpose=purpose, what=f"purpose {purpose}")
        _check_rows(embedder, (), purpose=purpose, what="an empty list")
    for what, text in _ODD_TEXTS.items():
        _check_rows(embedder, (text,), purpose=EmbedPurpose.DOCUMENT, what=what)
    _check_same(embedder, tolerance)


def _check_identity(embedder: Embedder) -> None:
    first, second = embedder.identity, embedder.identity
    _expect(isinstance(first, EmbeddingIdentity), "identity is no EmbeddingIdentity")
    _expect(first.dimensions >= 1, f"identity has {first.dimensions} dimensions")
    _expect(first.digest == second.digest, "the identity's digest changes between two reads")


def _check_rows(embedder: Embedder, texts: Sequence[str], *, purpose: EmbedPurpose, what: str) -> None:
    import numpy as np  # noqa: PLC0415 - optional, and slow to import

    rows = embedder.embed(texts, purpose=purpose)
    _expect(isinstance(rows, np.ndarray), f"{what}: no numpy array but {type(rows).__name__}")
    expected = (len(texts), embedder.identity.dimensions)
    _expect(rows.dtype == np.float32, f"{what}: expected float32, got {rows.dtype}")
    _expect(rows.shape == expected, f"{what}: expected shape {expected}, got {rows.shape}")
    _expect(bool(np.isfinite(rows).all()), f"{what}: a number isn't finite")
    off = float(np.abs(np.linalg.norm(rows, axis=1) - 1.0).max(initial=0.0))
    _expect(off <= 1e-3, f"{what}: a row's length is off 1 by {off:.4f}")  # noqa: PLR2004 - as said


def _check_same(embedder: Embedder, tolerance: float) -> None:
    import numpy as np  # noqa: PLC0415 - optional, and slow to import

    def ask(*texts: str) -> Float32Array:
        return embedder.embed(texts, purpose=EmbedPurpose.DOCUMENT)

    def expect_same(one: Float32Array, other: Float32Array, way: str) -> None:
        off = float(np.abs(one - other).max())
        _expect(off <= tolerance, f"{way} changes a vector by {off:.2e}, at most {tolerance:.0e} may")

    together = ask(*_TEXTS)
    expect_same(together, ask(*_TEXTS), "asking again")
    expect_same(together, np.vstack([ask(text) for text in _TEXTS]), "asking alone")
    expect_same(together, ask(*reversed(_TEXTS))[::-1], "another order")
    with ThreadPoolExecutor(len(_TEXTS)) as pool:
        expect_same(together, np.vstack(list(pool.map(ask, _TEXTS))), "asking from several threads")
    _expect(not np.allclose(together[0], together[1]), "two different texts have one vector")


def _expect(kept: bool, otherwise: str) -> None:  # noqa: FBT001 - a condition is what it takes
    if not kept:
        raise AssertionError(otherwise)
