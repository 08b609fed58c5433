"""Matrices of the subjects in use, within a bound of memory."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import apsw

from atmem_core.store.sqlite.asking import first, sole

if TYPE_CHECKING:
    from atmem_core.store.sqlite.matrix import Matrix

STATE = "SELECT revision, erasures FROM subjects WHERE number = :number"
ERASURES = "SELECT value FROM file_state WHERE name = 'erasures'"
COUNT = "SELECT COUNT(*) FROM vectors WHERE subject_number = :number AND identity = :identity"
NEWER = (
    "SELECT row, vector, stamp FROM vectors WHERE subject_number = :number AND identity = :identity "
    "AND stamp > :stamp AND LENGTH(vector) = :size ORDER BY stamp"
)
_BATCH = 4_096
_MOST_SEEN = 1_000
"""Subjects remembered as seen once; an older one is read from the file once more."""
_BOOKKEEPING_BYTES = 112
"""Of a row beside its vector: number, scale and place."""

_Key = tuple[int, str, int]
"""Subject number, digest of the vectors' identity, dimensions."""


class VectorCache:
    """Matrices of the subjects in use, least recently used dropped first."""

    def __init__(self, *, most_bytes: int, exact: int, ceiling: int) -> None:
        self._most_bytes = most_bytes
        self._exact = exact
        self.ceiling = ceiling
        """Most vectors that are scanned in the file."""
        self._fresh()

    def _fresh(self) -> None:
        self._pid = os.getpid()
        self._held: OrderedDict[_Key, Matrix] = OrderedDict()
        self._seen: OrderedDict[_Key, None] = OrderedDict()
        """Subjects that were asked for once and are not held, the last one last."""
        self._erasures = -1
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Drop everything, after an erase."""
        with self._lock:
            self._held.clear()
            self._seen.clear()

    @property
    def nbytes(self) -> int:
        """Memory of all matrices."""
        return sum(one.nbytes for one in self._held.values())

    def holds(self, number: int, identity: str, dimensions: int) -> bool:
        """Is this subject in memory?"""
        return (number, identity, dimensions) in self._held

    def matrix(
        self, connection: apsw.Connection, number: int, identity: str, dimensions: int
    ) -> "Matrix | None":
        """The subject's vectors as this snapshot sees them.

        None where they must be read from the file: at the first query of a subject that isn't above the
        ceiling, when they don't fit in memory, and for a snapshot that is older than what is in memory.
        """
        if self._pid != os.getpid():  # a fork may have copied the lock while it was held
            self._fresh()
        key = (number, identity, dimensions)
        with self._lock:
            self._drop_erased(connection)
            if key not in self._held:
                if key not in self._seen and self._count(connection, key) <= self.ceiling:
                    self._see(key)
                    return None
                if not self._fits(connection, key):
                    return None
            return self._current(connection, key)

    def _see(self, key: _Key) -> None:
        self._seen[key] = None
        if len(self._seen) > _MOST_SEEN:
            self._seen.popitem(last=False)

    def _drop_erased(self, connection: apsw.Connection) -> None:
        """What any process erased leaves this one's memory, at its next look at any subject."""
        found = first(connection, ERASURES)
        erasures = found[0] if found else 0
        if erasures <= self._erasures:
            return
        self._erasures = erasures
        for key in list(self._held):
            state = first(connection, STATE, {"number": key[0]})
            if state is None or state[1] != self._held[key].erasures:
                del self._held[key]

    def _fits(self, connection: apsw.Connection, key: _Key) -> bool:
        count = self._count(connection, key)
        vector_bytes = key[2] * (4 if count <= self._exact else 1)
        fits: bool = 0 < count * (vector_bytes + _BOOKKEEPING_BYTES) <= self._most_bytes
        return fits

    def _count(self, connection: apsw.Connection, key: _Key) -> int:
        count: int = sole(connection, COUNT, {"number": key[0], "identity": key[1]})[0]
        return count

    def _current(self, connection: apsw.Connection, key: _Key) -> "Matrix | None":
        from atmem_core.store.sqlite.matrix import Matrix  # noqa: PLC0415 - numpy costs 50 ms

        number, identity, dimensions = key
        revision, erasures = sole(connection, STATE, {"number": number})
        matrix = self._held.get(key)
        if matrix is not None and revision < matrix.revision:
            return None
        if matrix is None or matrix.erasures != erasures:
            matrix = Matrix(dimensions, exact=self._exact)
            matrix.erasures = erasures
            matrix.reserve(sole(connection, COUNT, {"number": number, "identity": identity})[0])
        if revision != matrix.revision:
            fields = {"number": number, "identity": identity, "size": 4 * dimensions}
            for batch in batches(connection.execute(NEWER, {**fields, "stamp": matrix.stamp})):
                matrix.append([row for row, _, _ in batch], [blob for _, blob, _ in batch])
                matrix.stamp = batch[-1][2]
            matrix.revision = revision
        self._keep(key, matrix)
        return matrix.snapshot()

    def _keep(self, key: _Key, matrix: "Matrix") -> None:
        self._held[key] = matrix
        self._held.move_to_end(key)
        while self._held and self.nbytes > self._most_bytes:
            self._held.popitem(last=False)


def batches(cursor: apsw.Cursor) -> Iterator[list[tuple[int, bytes, int]]]:
    """Rows of a cursor, a few thousand at a time, and the cursor drained at the end."""
    while batch := list(islice(cursor, _BATCH)):
        yield batch
