"""Vector search over one subject: in memory for subjects in use, inside SQLite for the others.

Three ways, one order: a matrix in memory, sqlite-vec's distance over the table, or plain numpy over its
bytes where the extension doesn't load. A subject is taken into memory at its second query.
"""

import threading
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import apsw

from atmem_core.store.sqlite.eligibility import Eligibility
from atmem_core.store.sqlite.rows import SEQUENCE_BITS

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array
    from atmem_core.store.sqlite.matrix import Matrix

STAMP = "UPDATE subjects SET revision = revision + 1 WHERE number = :number RETURNING revision"
PUT = (
    "INSERT INTO vectors (subject_number, identity, row, stamp, vector, checksum) "
    "SELECT :number, :identity, row, :stamp, :vector, :checksum FROM notes WHERE row = :row "
    "ON CONFLICT DO UPDATE SET stamp = excluded.stamp, vector = excluded.vector, checksum = excluded.checksum"
)
NOT_WAITING = "DELETE FROM waiting WHERE row = :row"
STATE = "SELECT revision, erasures FROM subjects WHERE number = :number"
NEWER = (
    "SELECT row, vector, stamp FROM vectors WHERE subject_number = :number AND identity = :identity "
    "AND stamp > :stamp ORDER BY stamp"
)
SIZE = "SELECT LENGTH(vector) FROM vectors WHERE subject_number = :number AND identity = :identity LIMIT 1"
COUNT = "SELECT COUNT(*) FROM vectors WHERE subject_number = :number AND identity = :identity"
OF_ROWS = (
    "SELECT row, vector FROM vectors WHERE subject_number = :number AND identity = :identity "
    "AND row IN (SELECT value FROM json_each(:rows))"
)
_SCAN = (
    "SELECT vectors.row, 1.0 - vec_distance_cosine(vectors.vector, :query) AS cosine FROM vectors "
    "JOIN notes ON notes.row = vectors.row WHERE vectors.subject_number = :number AND identity = :identity "
)
_BEST = " ORDER BY ROUND(cosine, 6) DESC, notes.content_hash LIMIT :k"
SCAN_OUT = _SCAN + "AND vectors.row NOT IN (SELECT value FROM json_each(:rows))" + _BEST
SCAN_IN = _SCAN + "AND vectors.row IN (SELECT value FROM json_each(:rows))" + _BEST
HASHES = "SELECT row, content_hash FROM notes WHERE row IN (SELECT value FROM json_each(:rows))"


class VectorCache:
    """Matrices of the subjects in use, least recently used dropped first."""

    def __init__(self, *, most_bytes: int, exact: int) -> None:
        self._most_bytes = most_bytes
        self._exact = exact
        self._held: OrderedDict[tuple[int, str], Matrix] = OrderedDict()
        self._seen: set[tuple[int, str]] = set()
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Drop everything, after an erase."""
        with self._lock:
            self._held.clear()
            self._seen.clear()

    def holds(self, number: int, identity: str) -> bool:
        """Is this subject in memory?"""
        return (number, identity) in self._held

    def matrix(
        self, connection: apsw.Connection, number: int, identity: str, *, at_once: bool
    ) -> "Matrix | None":
        """The subject's matrix, brought up to date; None while the subject isn't in use.

        Args:
            connection: Inside a snapshot.
            number: The subject's.
            identity: Digest of the vectors' identity.
            at_once: Load at the first query too.
        """
        key = (number, identity)
        with self._lock:
            if key not in self._held and not at_once and key not in self._seen:
                self._seen.add(key)
                return None
            fields = {"number": number, "identity": identity}
            size = connection.execute(SIZE, fields).fetchone()
            if size is None:
                return None
            if not at_once and connection.execute(COUNT, fields).fetchone()[0] * size[0] > self._room(size[0]):
                return None
            return self._fresh(connection, key, size[0] // 4)

    def _room(self, vector_bytes: int) -> int:
        """Bytes of float32 vectors that fit; four times as many when they are held as int8."""
        exact_bytes = self._exact * vector_bytes
        return self._most_bytes if exact_bytes >= self._most_bytes else 4 * self._most_bytes

    def _fresh(self, connection: apsw.Connection, key: tuple[int, str], dimensions: int) -> "Matrix":
        from atmem_core.store.sqlite.matrix import Matrix  # noqa: PLC0415 - numpy costs 50 ms

        number, identity = key
        _, erasures = connection.execute(STATE, {"number": number}).fetchone()
        matrix = self._held.get(key)
        if matrix is None or matrix.erasures != erasures:
            matrix = Matrix(dimensions, exact=self._exact)
            matrix.erasures = erasures
        fields = {"number": number, "identity": identity, "stamp": matrix.stamp}
        found = connection.execute(NEWER, fields).fetchall()
        if found:
            matrix.append([row for row, _, _ in found], [blob for _, blob, _ in found])
            matrix.stamp = found[-1][2]
        self._held[key] = matrix
        self._held.move_to_end(key)
        while len(self._held) > 1 and sum(one.nbytes for one in self._held.values()) > self._most_bytes:
            self._held.popitem(last=False)
        return matrix


def put_vectors(
    connection: apsw.Connection, identity: str, vectors: Mapping[int, "Float32Array"]
) -> None:
    """Store vectors inside the caller's transaction; rows that are gone are passed over."""
    stamps: dict[int, int] = {}
    for row, vector in vectors.items():
        number = row >> SEQUENCE_BITS
        if number not in stamps:
            found = connection.execute(STAMP, {"number": number}).fetchone()
            if found is None:
                continue
            stamps[number] = found[0]
        blob = to_blob(vector)
        fields = {
            "number": number,
            "identity": identity,
            "row": row,
            "stamp": stamps[number],
            "vector": blob,
            "checksum": zlib.crc32(blob),
        }
        connection.execute(PUT, fields)
        connection.execute(NOT_WAITING, {"row": row})


def to_blob(vector: "Float32Array") -> bytes:
    """float32, little-endian."""
    return bytes(vector.astype("<f4").tobytes())


class VectorSearch:
    """Nearest vectors in one snapshot."""

    def __init__(
        self, connection: apsw.Connection, cache: VectorCache, number: int, *, extension: bool
    ) -> None:
        self._connection = connection
        self._cache = cache
        self._number = number
        self._extension = extension

    def nearest(
        self, identity: str, vector: "Float32Array", k: int, eligible: Eligibility
    ) -> list[tuple[int, float]]:
        """The k best eligible rows; equal to six digits goes by content hash."""
        matrix = self._matrix(identity)
        if matrix is None:
            return self._scan(identity, vector, k, eligible) if self._extension else []
        found = matrix.nearest(
            vector,
            k,
            matrix.mask(eligible.rows, included=eligible.included),
            lambda rows: self._load(identity, rows),
        )
        return self._ordered(found)[:k]

    def cosines(
        self, identity: str, vector: "Float32Array", rows: Sequence[int]
    ) -> dict[int, float]:
        """Exact cosine of each row that has a vector."""
        if not rows:
            return {}
        matrix = self._matrix(identity) if self._cache.holds(self._number, identity) else None
        if matrix is not None:
            places = {row: at for row, at in zip(rows, matrix.of(rows), strict=True) if at is not None}
            found = matrix.exact_at(list(places.values()), vector)
            if found is not None:
                return dict(zip(places, map(float, found), strict=True))
        blobs = self._blobs(identity, rows)
        return {row: float(_array(blob) @ vector) for row, blob in blobs.items()}

    def _matrix(self, identity: str) -> "Matrix | None":
        return self._cache.matrix(
            self._connection, self._number, identity, at_once=not self._extension
        )

    def _scan(
        self, identity: str, vector: "Float32Array", k: int, eligible: Eligibility
    ) -> list[tuple[int, float]]:
        fields = {
            "number": self._number,
            "identity": identity,
            "query": to_blob(vector),
            "rows": eligible.as_json(),
            "k": k,
        }
        sql = SCAN_IN if eligible.included else SCAN_OUT
        return [(row, cosine) for row, cosine in self._connection.execute(sql, fields).fetchall()]

    def _ordered(self, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
        rows = str([row for row, _ in found])
        hashes = dict(self._connection.execute(HASHES, {"rows": rows}).fetchall())
        kept = [pair for pair in found if pair[0] in hashes]
        return sorted(kept, key=lambda pair: (-round(pair[1], 6), hashes[pair[0]]))

    def _load(self, identity: str, rows: list[int]) -> "Float32Array":
        import numpy as np  # noqa: PLC0415 - numpy costs 50 ms

        blobs = self._blobs(identity, rows)
        return np.stack([_array(blobs[row]) for row in rows])

    def _blobs(self, identity: str, rows: Sequence[int]) -> dict[int, bytes]:
        fields = {"number": self._number, "identity": identity, "rows": str(list(rows))}
        return dict(self._connection.execute(OF_ROWS, fields).fetchall())


def _array(blob: bytes) -> "Float32Array":
    import numpy as np  # noqa: PLC0415 - numpy costs 50 ms

    return np.frombuffer(blob, dtype="<f4")
