"""Vectors of one subject in memory, scanned exactly. Imported only when a vector is needed.

Up to ``exact`` rows they stand as float32. Above, as int8 with one scale a row, and every row whose
approximate cosine could still be among the best is scored again from its float32 bytes: the order is that
of the exact scan, at a quarter of the memory.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_CHUNK = 16_384
_LEVELS = 127
_GROWTH = 1.25


class Matrix:
    """Rows and their unit vectors, growing at the end."""

    def __init__(self, dimensions: int, *, exact: int) -> None:
        self.dimensions = dimensions
        self.count = 0
        self.stamp = -1
        """Highest stamp that is loaded."""
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
        return held + self._rows.nbytes + self._scales.nbytes + 100 * self.count

    def append(self, rows: Sequence[int], blobs: Sequence[bytes]) -> None:
        """Add vectors; a row that is there already is replaced in place."""
        new = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), self.dimensions)
        fresh = [at for at, row in enumerate(rows) if row not in self._places]
        for at, row in enumerate(rows):
            if row in self._places:
                self._put(slice(self._places[row], self._places[row] + 1), new[at : at + 1])
        self._reserve(self.count + len(fresh))
        end = self.count + len(fresh)
        self._rows[self.count : end] = [rows[at] for at in fresh]
        self._put(slice(self.count, end), new[fresh])
        self._places.update({rows[at]: self.count + place for place, at in enumerate(fresh)})
        self.count = end

    def _reserve(self, count: int) -> None:
        if count <= len(self._rows):
            return
        size = max(count, int(len(self._rows) * _GROWTH) + 64)
        self._rows = _grown(self._rows, size)
        if self._floats is not None and count <= self._exact:
            self._floats = _grown(self._floats, size)
            return
        self._bytes, self._scales = _grown(self._bytes, size), _grown(self._scales, size)
        if self._floats is not None:
            held, self._floats = self._floats, None
            self._put(slice(0, self.count), held[: self.count])

    def _put(self, where: slice, vectors: Floats) -> None:
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
            return self._floats[: self.count] @ query
        found = np.empty(self.count, np.float32)
        for start in range(0, self.count, _CHUNK):
            end = min(start + _CHUNK, self.count)
            found[start:end] = self._bytes[start:end].astype(np.float32) @ query
        return found * self._scales[: self.count]

    def nearest(
        self, query: Floats, k: int, allowed: NDArray[np.bool_] | None, load: Callable[[list[int]], Floats]
    ) -> list[tuple[int, float]]:
        """At least the k best allowed rows with exact cosines: all that tie with the last one too.

        Args:
            query: A unit vector.
            k: 1 or more.
            allowed: Which places may be given; None for all.
            load: Gives the float32 vectors of rows, for the exact second look.
        """
        scores = self.cosines(query)
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf)
        live = int(self.count if allowed is None else np.count_nonzero(allowed))
        if live == 0:
            return []
        k = min(k, live)
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= last - self._slack(query))
        rows = [int(row) for row in self._rows[places]]
        if self._floats is None:
            scores = load(rows) @ query
            return list(zip(rows, map(float, scores), strict=True))
        return list(zip(rows, map(float, scores[places]), strict=True))

    def _slack(self, query: Floats) -> float:
        """Twice the most that rounding may have changed a cosine, plus what ties at six digits need."""
        if self._floats is not None:
            return 2e-6
        worst = float(self._scales[: self.count].max(initial=0.0)) / 2
        return 2 * worst * float(np.abs(query).sum()) + 2e-6

    def of(self, rows: Sequence[int]) -> list[int | None]:
        """Place of each row, None where it has no vector."""
        return [self._places.get(row) for row in rows]

    def exact_at(self, places: Sequence[int], query: Floats) -> Floats | None:
        """Exact cosines at these places; None when only int8 is held."""
        return None if self._floats is None else self._floats[list(places)] @ query

    def mask(self, rows: frozenset[int], *, included: bool) -> NDArray[np.bool_] | None:
        """Which places are allowed; None when all are."""
        if not rows and not included:
            return None
        allowed = np.full(self.count, not included)
        places = [self._places[row] for row in rows if row in self._places]
        allowed[places] = included
        return allowed


def _grown(array: NDArray[np.generic], size: int) -> NDArray[np.generic]:
    larger = np.zeros((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
