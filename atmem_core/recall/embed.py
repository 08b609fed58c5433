"""The query's vector, or the reason why there is none.

Runs before the snapshot is opened: no read transaction stays open across a model call.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from atmem_core.embedding import Embedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.recall.in_time import Closed, NotInTime, in_time
from atmem_core.recall.scale import QueryVector
from atmem_core.records import (
    EmbeddingIdentity,
    EmbedPurpose,
    QualityClass,
    Query,
    ReasonCode,
    SemanticState,
)

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is known about the meaning of a query."""

    vector: QueryVector | None = None
    identity: EmbeddingIdentity | None = None
    """Of the profile in use, whether it answered or not."""
    state: SemanticState | None = None
    degraded: tuple[ReasonCode, ...] = ()
    configured: bool = True
    """Is there an embedder, whether it answered or not?"""

    def in_epoch(self, epoch: int | None) -> "Sight":
        """The same, with the number of the epoch that served it."""
        state = None if self.state is None else replace(self.state, epoch=epoch)
        return replace(self, state=state)


BLIND = Sight(degraded=(ReasonCode.EMBEDDER_ABSENT,), configured=False)
"""No embedder at all: keywords alone, under their own calibration."""


def look(embedder: Embedder | None, query: Query, *, pool: Executor, deadline_ms: float | None) -> Sight:
    """Embed the part of the query that asks.

    With a deadline the call runs in ``pool`` and is left behind when it is late.
    """
    if embedder is None:
        return BLIND
    known: list[EmbeddingIdentity] = []

    def work() -> "Float32Array":
        known.append(embedder.identity)
        return embedder.embed([query.focus], purpose=EmbedPurpose.QUERY)

    try:
        rows = in_time(work, pool=pool, deadline_ms=deadline_ms)
    except (EmbeddingUnavailable, Closed):
        return _failed(known, "unavailable", ReasonCode.EMBEDDING_UNAVAILABLE)
    except NotInTime:
        return _failed(known, "deadline", ReasonCode.EMBEDDING_DEADLINE)
    return _seen(known[0], rows[0])


def _failed(known: Sequence[EmbeddingIdentity], health: str, reason: ReasonCode) -> Sight:
    if not known:  # the identity itself couldn't be read, or not in time
        return Sight(degraded=(reason,))
    state = SemanticState(identity=known[0].digest, epoch=None, health=health)
    return Sight(identity=known[0], state=state, degraded=(reason,))


def _seen(identity: EmbeddingIdentity, vector: "Float32Array") -> Sight:
    health, degraded = _HEALTH[identity.quality]
    counts = identity.quality is QualityClass.PRODUCTION
    return Sight(
        vector=QueryVector(identity=identity.digest, vector=vector, counts=counts),
        identity=identity,
        state=SemanticState(identity=identity.digest, epoch=None, health=health),
        degraded=degraded,
    )


_HEALTH: dict[QualityClass, tuple[str, tuple[ReasonCode, ...]]] = {
    QualityClass.PRODUCTION: ("healthy", ()),
    QualityClass.UNVERIFIED: ("unverified", (ReasonCode.UNVERIFIED_PROFILE,)),
    QualityClass.DIAGNOSTIC: ("diagnostic", (ReasonCode.DIAGNOSTIC_VECTORS,)),
}
