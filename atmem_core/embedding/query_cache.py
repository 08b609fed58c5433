"""Vectors of recent queries, by digest: neither the text nor the subject is kept."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from atmem_core.embedding.protocol import Float32Array
from atmem_core.records import EmbedPurpose


class QueryCache:
    """At most ``capacity`` rows, the least recently used dropped first. Safe for threads."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._rows: OrderedDict[bytes, Float32Array] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Float32Array]:
        """The rows that are there, by key."""
        found: dict[bytes, Float32Array] = {}
        with self._lock:
            for key in keys:
                if key in self._rows:
                    self._rows.move_to_end(key)
                    found[key] = self._rows[key]
        return found

    def put(self, rows: Mapping[bytes, Float32Array]) -> None:
        """Keep these rows; the caller doesn't change them afterwards."""
        with self._lock:
            for key, row in rows.items():
                self._rows[key] = row
                self._rows.move_to_end(key)
            while len(self._rows) > self._capacity:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Drop every row."""
        with self._lock:
            self._rows.clear()

    def __len__(self) -> int:
        return len(self._rows)


def cache_key(text: str, purpose: EmbedPurpose) -> bytes:
    """SHA-256 over purpose and text."""
    return hashlib.sha256(f"{purpose.value}:{text}".encode("utf-8", "surrogatepass")).digest()
