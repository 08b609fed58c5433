"""Files for the benchmarks: filled through the public write path, vectors put in bulk after it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from atmem_core import Memory
from atmem_core.embedding import Float32Array
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass
from tests.benchmarks import texts

DIMENSIONS: Final = 384
_CLUSTERS = 200
_BATCH = 2_000


class GivenVectors:
    """A production embedder whose vectors were made before: embedding costs a look-up."""

    def __init__(self, vectors: Mapping[str, Float32Array]) -> None:
        self._vectors = vectors
        self.identity: Final = EmbeddingIdentity(
            provider="benchmark",
            model="given",
            revision="1",
            dimensions=DIMENSIONS,
            quality=QualityClass.PRODUCTION,
        )

    def embed(self, wanted: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """The vectors of known texts; KeyError for others."""
        return np.stack([self._vectors[text] for text in wanted])


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One subject's notes and their vectors, in one order."""

    name: str
    notes: Sequence[str]
    vectors: Float32Array

    def near(self, asked: texts.Asked, *, seed: int) -> Float32Array:
        """A query's vector: that of its note, pulled away by noise to a cosine of about 0.6."""
        rng = np.random.default_rng(seed)
        return _unit(self.vectors[asked.note] + 1.3 * _unit(_normal(rng, DIMENSIONS)))


def subject(name: str, count: int, *, seed: int) -> Subject:
    """Notes and vectors of one subject; the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    centres = _normal(np.random.default_rng(0), _CLUSTERS, DIMENSIONS)
    vectors = _unit(centres[rng.integers(_CLUSTERS, size=count)] + _normal(rng, count, DIMENSIONS))
    return Subject(name=name, notes=texts.notes(count, seed=seed), vectors=vectors)


def _normal(rng: np.random.Generator, *shape: int) -> Float32Array:
    return rng.standard_normal(shape, dtype=np.float32)


def _unit(vectors: Float32Array) -> Float32Array:
    unit: Float32Array = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit


def filled(path: Path, subjects: Sequence[Subject]) -> Path:
    """The file with all these notes; one that is there already with as many is taken as it is."""
    expected = sum(len(one.notes) for one in subjects)
    with Memory.open(path, embedder=None) as memory:
        stats = memory.stats()
        if stats.notes == stats.vectors == expected:
            return path
        for one in subjects:
            _fill(memory, one)
        stats = memory.stats()
    if not stats.notes == stats.vectors == expected:
        raise RuntimeError(f"{path} has {stats.notes} notes and {stats.vectors} vectors, not {expected}")
    return path


def _fill(memory: Memory, one: Subject) -> None:
    digest = GivenVectors({}).identity.digest
    for texts_, vectors in _batches(one):
        for text in texts_:
            memory.remember(text, subject=one.name)
        # Newest first; a new file has no other note that waits.
        waiting = memory._store.awaiting_vectors(limit=_BATCH, subject=one.name)
        by_text = dict(zip(texts_, vectors, strict=True))
        memory._store.put_vectors(digest, {pending.row: by_text[pending.note.text] for pending in waiting})


def _batches(one: Subject) -> Iterator[tuple[Sequence[str], Float32Array]]:
    for start in range(0, len(one.notes), _BATCH):
        yield one.notes[start : start + _BATCH], one.vectors[start : start + _BATCH]
