"""Vectors of one subject in memory, scanned exactly. Imported only when a vector is needed.

Up to ``exact`` rows they stand as float32. Above, as int8 with one scale a row, and every row whose
approximate cosine could still be among the best is scored again from its float32 bytes: the order is that
of the exact scan, at a quarter of the memory.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_Number = TypeVar("_Number", bound=np.generic)
_CHUNK = 512
"""Rows of int8 that are widened at a time: they fit the processor's cache. 16,384 take four times as long."""
_LEVELS = 127
_GROWTH = 1.25
_TIES = 2e-6
"""Cosines that round to the same six digits differ by less."""
PLACE_BYTES = 100
"""Of the dict that finds a row's place, measured."""


class Matrix:
    """Rows and their unit vectors, growing at the end.

    A snapshot is a shallow copy: what it sees is never written again.
    """

    def __init__(self, dimensions: int, *, exact: int) -> None:
        self.dimensions = dimensions
        self.count = 0
        self.stamp = -1
        """Highest stamp that is loaded."""
        self.revision = -1
        """The subject's revision that was loaded."""
        self.erasures = -1
        self._exact = exact
        self._rows = np.zeros(0, np.int64)
        self._floats: Floats | None = np.zeros((0, dimensions), np.float32)
        self._bytes: NDArray[np.int8] = np.zeros((0, dimensions), np.int8)
        self._scales: Floats = np.zeros(0, np.float32)
        self._places: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        held = self._bytes.nbytes if self._floats is None else self._floats.nbytes
        return held + self._rows.nbytes + self._scales.nbytes + PLACE_BYTES * self.count

    def snapshot(self) -> "Matrix":
        """What is there now, whatever is appended afterwards."""
        return copy.copy(self)

    def append(self, rows: Sequence[int], blobs: Sequence[bytes]) -> None:
        """Add vectors; a row that is there already gets its new one."""
        new = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), self.dimensions)
        known = [at for at, row in enumerate(rows) if row in self._places]
        if known:
            self._replace([self._places[rows[at]] for at in known], new[known])
        fresh = [at for at, row in enumerate(rows) if row not in self._places]
        end = self.count + len(fresh)
        self.reserve(end)
        self._rows[self.count : end] = [rows[at] for at in fresh]
        self._put(slice(self.count, end), new[fresh])
        self._places.update({rows[at]: self.count + place for place, at in enumerate(fresh)})
        self.count = end

    def _replace(self, places: list[int], vectors: Floats) -> None:
        """In new arrays: a snapshot may be reading the old ones."""
        if self._floats is not None:
            self._floats = self._floats.copy()
        else:
            self._bytes, self._scales = self._bytes.copy(), self._scales.copy()
        self._put(places, vectors)

    def reserve(self, count: int) -> None:
        """Make room for so many rows in all."""
        exact = self._floats is not None and count <= self._exact
        if self._floats is not None and not exact:
            held, self._floats = self._floats[: self.count], None
            self._bytes = np.zeros((len(self._rows), self.dimensions), np.int8)
            self._scales = np.zeros(len(self._rows), np.float32)
            self._put(slice(0, self.count), held)
        if count <= len(self._rows):
            return
        size = max(count, int(len(self._rows) * _GROWTH) + 64)
        self._rows = _grown(self._rows, size)
        if self._floats is not None:
            self._floats = _grown(self._floats, size)
        else:
            self._bytes, self._scales = _grown(self._bytes, size), _grown(self._scales, size)

    def _put(self, where: slice | list[int], vectors: Floats) -> None:
        if self._floats is not None:
            self._floats[where] = vectors
            return
        scales = np.abs(vectors).max(axis=1, initial=0.0) / _LEVELS
        scales[scales == 0] = 1.0
        self._bytes[where] = np.rint(vectors / scales[:, None]).astype(np.int8)
        self._scales[where] = scales

    def cosines(self, query: Floats) -> Floats:
        """Cosine of every row, approximate above ``exact`` rows; -1 to 1."""
        if self._floats is not None:
            exact: Floats = self._floats[: self.count] @ query
            return exact
        found = np.empty(self.count, np.float32)
        for start in range(0, self.count, _CHUNK):
            end = min(start + _CHUNK, self.count)
            found[start:end] = self._bytes[start:end].astype(np.float32) @ query
        return found * self._scales[: self.count]

    def nearest(
        self,
        query: Floats,
        k: int,
        allowed: NDArray[np.bool_] | None,
        load: Callable[[list[int]], Floats],
    ) -> list[tuple[int, float]]:
        """At least the k best allowed rows with exact cosines: all that tie with the last one too.

        Args:
            query: A unit vector.
            k: 1 or more.
            allowed: Which places may be given; None for all.
            load: Gives the float32 vectors of rows, for the exact second look.
        """
        places = best(self.cosines(query), k, allowed, self._slack(query))
        if not len(places):
            return []
        rows = [int(row) for row in self._rows[places]]
        held = load(rows) if self._floats is None else self._floats[places]
        return list(zip(rows, settled(held, query), strict=True))

    def _slack(self, query: Floats) -> float:
        """Twice the most that rounding may have changed a cosine, plus what ties at six digits need."""
        if self._floats is not None:
            return _TIES
        worst = float(self._scales[: self.count].max(initial=0.0)) / 2
        return 2 * worst * float(np.abs(query).sum()) + _TIES

    def of(self, rows: Sequence[int]) -> list[int | None]:
        """Place of each row, None where it has no vector."""
        places = [self._places.get(row) for row in rows]
        return [None if place is None or place >= self.count else place for place in places]

    def exact_at(self, places: Sequence[int], query: Floats) -> list[float] | None:
        """Exact cosines at these places; None when only int8 is held."""
        return None if self._floats is None else settled(self._floats[list(places)], query)

    def mask(self, rows: frozenset[int], *, included: bool) -> NDArray[np.bool_] | None:
        """Which places are allowed; None when all are."""
        if not rows and not included:
            return None
        allowed = np.full(self.count, not included)
        allowed[[place for place in self.of(list(rows)) if place is not None]] = included
        return allowed


def best(scores: Floats, k: int, allowed: NDArray[np.bool_] | None, slack: float) -> NDArray[np.intp]:
    """Places of the k best allowed scores, and of all within ``slack`` of the last of them."""
    if allowed is not None:
        scores = np.where(allowed, scores, np.float32(-np.inf))
    live = len(scores) if allowed is None else int(np.count_nonzero(allowed))
    if live == 0:
        return np.zeros(0, np.intp)
    k = min(k, live)
    last = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.flatnonzero(scores >= last - slack)


def settled(vectors: Floats, query: Floats) -> list[float]:
    """Cosines of unit vectors in float64: what is given out, whatever way the vectors were found.

    Sums in float32 differ between libraries and shapes in the seventh digit; a decision rounds to six, and
    must be the same for a subject in memory and for one in the file.
    """
    found: list[float] = (vectors.astype(np.float64) @ query.astype(np.float64)).tolist()
    return found


def streamed(
    batches: Iterable[list[tuple[int, bytes]]], query: Floats, k: int, allow: Callable[[int], bool]
) -> list[int]:
    """Rows as ``Matrix.nearest`` gives them, of vectors that pass by once and are not kept."""
    rows: list[int] = []
    scores = np.zeros(0, np.float32)
    for batch in batches:
        kept = [(row, blob) for row, blob in batch if allow(row)]
        if kept:
            blobs = np.frombuffer(b"".join([blob for _, blob in kept]), dtype="<f4")
            scores = np.concatenate([scores, blobs.reshape(len(kept), len(query)) @ query])
            rows += [row for row, _ in kept]
            places = best(scores, k, None, _TIES)
            rows, scores = [rows[place] for place in places], scores[places]
    return rows


def _grown(array: NDArray[_Number], size: int) -> NDArray[_Number]:
    larger = np.zeros((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
