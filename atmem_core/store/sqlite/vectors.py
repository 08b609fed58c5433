"""Vector search over one subject: in memory for subjects in use, from the file for the others.

Four ways, one order: a matrix in memory as float32 or int8, sqlite-vec's distance over the table, or
numpy over its bytes where the extension doesn't load. A subject is taken into memory at its second query.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import apsw

from atmem_core.store.sqlite.asking import every, first, sole
from atmem_core.store.sqlite.eligibility import Eligibility
from atmem_core.store.sqlite.rows import SEQUENCE_BITS
from atmem_core.store.sqlite.vector_cache import NEWER, VectorCache, batches

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

STAMP = "UPDATE subjects SET revision = revision + 1 WHERE number = :number RETURNING revision"
PUT = (
    "INSERT INTO vectors (subject_number, identity, row, stamp, vector, checksum) "
    "SELECT :number, :identity, row, :stamp, :vector, :checksum FROM notes WHERE row = :row "
    "ON CONFLICT DO UPDATE SET stamp = excluded.stamp, vector = excluded.vector, "
    "checksum = excluded.checksum"
)
# A vector of a model that serves the subject no more, or not yet, is not what the note waits for.
NOT_WAITING = (
    "DELETE FROM waiting WHERE row = :row AND :identity = COALESCE("
    "(SELECT identity FROM epochs WHERE owner = :number AND active_from IS NOT NULL AND active_to IS NULL), "
    "(SELECT identity FROM epochs WHERE owner = 0 AND active_from IS NOT NULL AND active_to IS NULL), "
    ":identity)"
)
WRITE_STATEMENTS = {"stamp": STAMP, "put": PUT, "not waiting": NOT_WAITING}
"""What a vector's write runs; a test reads the query plan of each."""

# Vectors of another length can't be compared: they are passed over, never an error.
_OWN = "vectors.subject_number = :number AND vectors.identity = :identity AND LENGTH(vectors.vector) = :size "
OF_ROWS = "SELECT row, vector FROM vectors WHERE " + _OWN + "AND row IN (SELECT value FROM json_each(:rows))"
# A vector of zeros has no direction: the extension says NULL, a dot product 0.
_NEWEST = "AND vectors.row > :above "
_SCAN = (
    "SELECT vectors.row, COALESCE(1.0 - vec_distance_cosine(vectors.vector, :query), 0.0) AS cosine "
    "FROM vectors CROSS JOIN notes ON notes.row = vectors.row WHERE " + _OWN + _NEWEST
)
# The row below which a scan doesn't look, and how many there are.
ABOVE = "SELECT row FROM vectors WHERE " + _OWN + "ORDER BY row DESC LIMIT 1 OFFSET :ceiling"
BELOW = "SELECT COUNT(*) FROM vectors WHERE " + _OWN + "AND row <= :above"
_BEST = " ORDER BY ROUND(cosine, 6) DESC, notes.content_hash LIMIT :k"
SCAN_OUT = _SCAN + "AND vectors.row NOT IN (SELECT value FROM json_each(:rows))" + _BEST
SCAN_IN = _SCAN + "AND vectors.row IN (SELECT value FROM json_each(:rows))" + _BEST
_SPARE = 16
"""Rows that the extension gives beyond k: its own rounding may have put them behind."""
HASHES = "SELECT row, content_hash FROM notes WHERE row IN (SELECT value FROM json_each(:rows))"


def put_vectors(connection: apsw.Connection, identity: str, vectors: Mapping[int, "Float32Array"]) -> None:
    """Store vectors inside the caller's transaction; rows that are gone are passed over."""
    stamps: dict[int, int] = {}
    for row, vector in vectors.items():
        number = row >> SEQUENCE_BITS
        if number not in stamps:
            found = first(connection, STAMP, {"number": number})
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
        connection.execute(NOT_WAITING, {"row": row, "identity": identity, "number": number})


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
        self.unscanned = 0
        """Vectors that the last search passed over, since a scan of the file is bounded."""

    def nearest(
        self, identity: str, vector: "Float32Array", k: int, eligible: Eligibility
    ) -> list[tuple[int, float]]:
        """The k best eligible rows; equal to six digits goes by content hash."""
        if not self._number or k < 1:
            return []
        query = vector.astype("float32", copy=False)
        matrix = self._cache.matrix(self._connection, self._number, identity, len(query))
        self.unscanned = 0
        if matrix is None:
            way = self._scan if self._extension else self._stream
            found = list(self._settled(identity, query, way(identity, query, k, eligible)).items())
            return self._ordered(found)[:k]
        mask = matrix.mask(eligible.rows, included=eligible.included)
        found = matrix.nearest(query, k, mask, lambda rows: self._load(identity, query, rows))
        return self._ordered(found)[:k]

    def cosines(self, identity: str, vector: "Float32Array", rows: Sequence[int]) -> dict[int, float]:
        """Exact cosine of each row that has a vector."""
        if not rows or not self._number:
            return {}
        query = vector.astype("float32", copy=False)
        found = self._from_memory(identity, query, rows)
        if found is not None:
            return found
        return self._settled(identity, query, rows)

    def _settled(self, identity: str, query: "Float32Array", rows: Sequence[int]) -> dict[int, float]:
        """Exact cosines of those rows that have a vector, from the file."""
        from atmem_core.store.sqlite.matrix import settled  # noqa: PLC0415 - numpy costs 50 ms

        blobs = self._blobs(identity, query, rows)
        if not blobs:
            return {}
        vectors = _array(b"".join(blobs.values())).reshape(len(blobs), len(query))
        return dict(zip(blobs, settled(vectors, query), strict=True))

    def _from_memory(
        self, identity: str, query: "Float32Array", rows: Sequence[int]
    ) -> dict[int, float] | None:
        if not self._cache.holds(self._number, identity, len(query)):
            return None
        matrix = self._cache.matrix(self._connection, self._number, identity, len(query))
        if matrix is None:
            return None
        places = {row: at for row, at in zip(rows, matrix.of(rows), strict=True) if at is not None}
        found = matrix.exact_at(list(places.values()), query)
        return None if found is None else dict(zip(places, found, strict=True))

    def _scan(self, identity: str, query: "Float32Array", k: int, eligible: Eligibility) -> list[int]:
        fields = {
            **self._own(identity, query),
            "query": to_blob(query),
            "rows": eligible.as_json(),
            "above": self._above(identity, query),
            "k": k + _SPARE,
        }
        sql = SCAN_IN if eligible.included else SCAN_OUT
        return [row for row, _ in every(self._connection, sql, fields)]

    def _stream(self, identity: str, query: "Float32Array", k: int, eligible: Eligibility) -> list[int]:
        from atmem_core.store.sqlite.matrix import streamed  # noqa: PLC0415 - numpy costs 50 ms

        cursor = self._connection.execute(NEWER, {**self._own(identity, query), "stamp": -1})
        pairs: Iterator[list[tuple[int, bytes]]] = (
            [(row, blob) for row, blob, _ in batch] for batch in batches(cursor)
        )
        above = self._above(identity, query)
        return streamed(
            pairs, query, k, lambda row: row > above and (row in eligible.rows) is eligible.included
        )

    def _above(self, identity: str, query: "Float32Array") -> int:
        """The row below which a scan doesn't look; what lies there is counted."""
        own = self._own(identity, query)
        found = first(self._connection, ABOVE, {**own, "ceiling": self._cache.ceiling})
        if found is None:
            return 0
        self.unscanned = sole(self._connection, BELOW, {**own, "above": found[0]})[0]
        return int(found[0])

    def _ordered(self, found: list[tuple[int, float]]) -> list[tuple[int, float]]:
        rows = json.dumps([row for row, _ in found])
        hashes: dict[int, str] = dict(every(self._connection, HASHES, {"rows": rows}))
        return sorted(found, key=lambda pair: (-round(pair[1], 6), hashes[pair[0]]))

    def _load(self, identity: str, query: "Float32Array", rows: list[int]) -> "Float32Array":
        import numpy as np  # noqa: PLC0415 - numpy costs 50 ms

        blobs = self._blobs(identity, query, rows)
        return np.stack([_array(blobs[row]) for row in rows])

    def _blobs(self, identity: str, query: "Float32Array", rows: Sequence[int]) -> dict[int, bytes]:
        fields = {**self._own(identity, query), "rows": json.dumps(list(rows))}
        return dict(every(self._connection, OF_ROWS, fields))

    def _own(self, identity: str, query: "Float32Array") -> Mapping[str, object]:
        return {"number": self._number, "identity": identity, "size": 4 * len(query)}


def _array(blob: bytes) -> "Float32Array":
    import numpy as np  # noqa: PLC0415 - numpy costs 50 ms

    return np.frombuffer(blob, dtype="<f4")
