"""The read path, whole: query, vector, candidates, decision. Writes nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.embedding import Embedder
from atmem_core.policy.calibration import Calibration
from atmem_core.policy.decide import Situation, decide
from atmem_core.policy.question import read_query
from atmem_core.recall.candidates import Found, Pools, find
from atmem_core.recall.embed import Sight, look
from atmem_core.recall.request import Request
from atmem_core.records import Decision, EmbeddingIdentity, Note, Query, ReasonCode
from atmem_core.store.protocol import Store

_NOTHING = Found(candidates=(), notes={}, pool_cut=False, vectors_missing=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A decision and the notes of its candidates."""

    decision: Decision
    notes: dict[str, Note]

    @property
    def released(self) -> tuple[Note, ...]:
        """The notes that may be injected, best first."""
        return tuple(self.notes[record_id] for record_id in self.decision.ranked_record_ids)


class Reader:
    """Answers queries over one store."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        *,
        config: Config,
        clock: Clock,
        calibration_for: Callable[[EmbeddingIdentity | None, bool], Calibration],
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._config = config
        self._clock = clock
        self._calibration_for = calibration_for
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="atmem-embed")

    def decide(self, text: str, request: Request, *, allow_background: bool = False) -> Answer:
        """The decision on one query."""
        query = read_query(text, max_chars=self._config.query_max_chars)
        if query.refusal is not None:
            return self._judge(query, Sight(), _NOTHING, request, allow_background=allow_background)
        sight, found = self._look_up(query, request, limit=self._config.judged_candidates)
        return self._judge(query, sight, found, request, allow_background=allow_background)

    def rank(self, text: str, request: Request, *, k: int) -> Answer:
        """All that was found, judged but not refused: for a search, which injects nothing."""
        query = replace(read_query(text, max_chars=self._config.query_max_chars), refusal=None)
        sight, found = self._look_up(query, request, limit=k)
        return self._judge(query, sight, found, request, listed=max(k, len(found.candidates)))

    def _look_up(self, query: Query, request: Request, *, limit: int) -> tuple[Sight, Found]:
        sight = look(self._embedder, query, pool=self._pool, deadline_ms=request.deadline_ms)
        with self._store.read(request.filter(self._clock.now())) as view:
            found = find(
                view,
                query,
                sight.vector,
                calibration=self._calibration_for(sight.identity, sight.configured),
                pools=Pools(keyword=self._config.keyword_pool, vector=self._config.vector_pool, judged=limit),
            )
        return sight, found

    def _judge(
        self,
        query: Query,
        sight: Sight,
        found: Found,
        request: Request,
        *,
        allow_background: bool = False,
        listed: int | None = None,
    ) -> Answer:
        situation = Situation(
            now=self._clock.now(),
            scope=request.scope,
            calibration=self._calibration_for(sight.identity, sight.configured),
            semantic=sight.state,
            semantic_counts=sight.vector is not None and sight.vector.counts,
            failing=sight.configured and sight.vector is None,
            degraded=_degraded(sight, found),
            allow_background=allow_background,
            max_released=self._config.max_released,
            max_listed=listed or self._config.judged_candidates,
        )
        return Answer(decision=decide(query, found.candidates, situation), notes=found.notes)

    def close(self) -> None:
        """Let late embedding calls end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _degraded(sight: Sight, found: Found) -> tuple[ReasonCode, ...]:
    codes = list(sight.degraded)
    if found.vectors_missing:
        codes.append(ReasonCode.VECTORS_MISSING)
    if found.pool_cut:
        codes.append(ReasonCode.KEYWORD_POOL_CUT)
    return tuple(codes)
