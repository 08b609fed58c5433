"""Stores that take one way to the nearest vectors, and the plain scan that all must equal."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from atmem_core.records import Note
from atmem_core.store.protocol import ReadFilter
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import IDENTITY, SteppingClock, drafted, opened, reading, unit

Floats = NDArray[np.float32]
DIMENSIONS = 32
WAYS = ("float32", "int8", "extension", "numpy")


@cache
def has_extension() -> bool:
    store = opened()
    found = store._connections.vector_extension
    store.close()
    return found


def store_of(way: str, path: object = ":memory:") -> SqliteStore:
    """A store that goes this way only."""
    match way:
        case "float32":
            store = opened(path)
        case "int8":
            store = opened(path, exact_vectors=4)
        case _:
            store = opened(path, vector_cache_bytes=1)  # nothing fits in memory
    if way == "extension" and not has_extension():
        pytest.skip("sqlite-vec isn't installed")
    if way == "numpy":
        store._connections.vector_extension = False
    return store


def fill(store: SqliteStore, vectors: Floats) -> list[Note]:
    clock = SteppingClock()
    notes = []
    rows = {}
    for at, vector in enumerate(vectors):
        stored = store.add(drafted(f"note {at}", clock, project=f"p{at % 3}", tags=(f"t{at % 2}",)))
        rows[stored.row] = vector
        notes.append(stored.note)
    store.put_vectors(IDENTITY, rows)
    return notes


def nearest(
    store: SqliteStore, query: Floats, k: int, read_filter: ReadFilter | None = None
) -> list[tuple[str, float]]:
    """Asked twice: at the second time what is used is in memory."""
    for _ in range(2):
        with store.read(read_filter or reading()) as view:
            found = view.nearest(IDENTITY, query, k)
            documents = view.documents([row for row, _ in found])
    return [(documents[row].note.content_hash, cosine) for row, cosine in found]


def brute(vectors: Floats, notes: list[Note], query: Floats, k: int) -> list[tuple[str, float]]:
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    pairs = [(note.content_hash, float(one)) for note, one in zip(notes, cosines, strict=True)]
    return sorted(pairs, key=lambda pair: (-round(pair[1], 6), pair[0]))[:k]


def same_order(found: list[tuple[str, float]], wanted: list[tuple[str, float]]) -> None:
    """Equal where cosines differ by more than 1e-5."""
    assert [one for _, one in found] == pytest.approx([one for _, one in wanted], abs=1e-5)
    for (one, _), (other, cosine) in zip(found, wanted, strict=True):
        if one != other:
            close = [note for note, near in wanted if abs(near - cosine) <= 1e-5]
            assert one in close or abs(cosine - wanted[-1][1]) <= 1e-5


def vectors_of(seed: int, count: int, *, near: bool = False) -> Floats:
    found = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    if near:  # a crowd around one point: the hardest case for int8
        found = unit(seed, DIMENSIONS) + found * 0.01
    scaled: Floats = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return scaled
