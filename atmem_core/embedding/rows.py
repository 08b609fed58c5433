"""Numbers that a server sent as unit rows, whichever of the known shapes they came in."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from atmem_core.errors import EmbeddingUnavailable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array


def unit_rows(answer: object, *, count: int) -> "Float32Array":
    """L2-normalised rows, shape (count, dimensions), float32.

    Known are ``{"embeddings": [row, ...]}``, ``{"embedding": row}`` or ``{"embedding": [row]}``,
    ``{"data": [{"embedding": row, "index": n}, ...]}``, and a list of ``{"embedding": row or [row]}``.

    Raises:
        EmbeddingUnavailable: ``bad_shape``, ``wrong_length``, ``not_finite`` or ``not_normalized``.
    """
    import numpy as np  # noqa: PLC0415 - optional, and slow to import

    found = _rows(answer)
    if len(found) != count:
        raise EmbeddingUnavailable("wrong_length", f"{len(found)} vectors for {count} texts")
    try:
        rows = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise _bad_shape() from None
    if rows.ndim != 2 or not rows.shape[1]:  # noqa: PLR2004 - a table
        raise _bad_shape()
    if not np.isfinite(rows).all():
        raise EmbeddingUnavailable("not_finite", "a vector holds NaN or infinity")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise EmbeddingUnavailable("not_normalized", "a vector has no direction: all its numbers are 0")
    unit: Float32Array = (rows / lengths).astype(np.float32)
    return unit


def _rows(answer: object) -> list[Any]:
    if isinstance(answer, Mapping):
        if isinstance(answer.get("data"), list):
            return [_row(item) for item in _in_order(answer["data"])]
        if isinstance(answer.get("embeddings"), list):
            return list(answer["embeddings"])
        return [_row(answer)]
    if isinstance(answer, list) and answer:
        return [_row(item) for item in answer]
    raise _bad_shape()


def _row(item: object) -> Any:  # noqa: ANN401 - numbers or not: numpy says
    """The vector of one item, flat or as the only one of a list."""
    row = item.get("embedding") if isinstance(item, Mapping) else None
    if not isinstance(row, list) or not row:
        raise _bad_shape()
    return row[0] if len(row) == 1 and isinstance(row[0], list) else row


def _in_order(items: Sequence[Any]) -> list[Any]:
    """By ``index`` where each has one: a server may answer in any order."""
    if all(isinstance(item, Mapping) and isinstance(item.get("index"), int) for item in items):
        return sorted(items, key=lambda item: int(item["index"]))
    return list(items)


def _bad_shape() -> EmbeddingUnavailable:
    return EmbeddingUnavailable("bad_shape", "the answer holds no vectors in a shape that is known")
