"""Files for the benchmarks: filled by the steps of the write path, in large transactions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from atmem_core.clock import SystemClock
from atmem_core.config import Config
from atmem_core.embedding import Float32Array
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass, Scope
from atmem_core.remember.ingest import Telling, draft
from atmem_core.store.sqlite.adding import add
from atmem_core.store.sqlite.store import SqliteStore
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
    store = SqliteStore.open(path, config=Config())
    try:
        if store.stats().notes != expected:
            for one in subjects:
                _fill(store, one)
        stats = store.stats()
    finally:
        store.close()
    if not stats.notes == stats.vectors == expected:
        raise RuntimeError(f"{path} has {stats.notes} notes and {stats.vectors} vectors, not {expected}")
    return path


def _fill(store: SqliteStore, one: Subject) -> None:
    """What ``remember`` stores, but many notes a transaction and no look at near matches."""
    clock, scope = SystemClock(), Scope(subject=one.name)
    digest = GivenVectors({}).identity.digest
    for start in range(0, len(one.notes), _BATCH):
        tellings = [
            Telling(text=text, scope=scope, speaker=texts.speaker(at))
            for at, text in enumerate(one.notes[start : start + _BATCH], start)
        ]
        drafts = [draft(telling, clock) for telling in tellings]
        with store._connections.writing() as connection:
            rows = [add(connection, new, supersedes=None, max_notes=None).row for new in drafts]
        vectors = one.vectors[start : start + _BATCH]
        store.put_vectors(digest, dict(zip(rows, vectors, strict=True)))
