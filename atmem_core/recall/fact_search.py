"""Fact search: keywords and meaning, fused by reciprocal rank. It ranks; it is no permission to inject.

Only facts that hold pass the filter, inside both arms; each arm is ordered before its limit.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.embedding import ServingFor
from atmem_core.errors import InvalidInput
from atmem_core.policy.question import read_query
from atmem_core.recall.embed import BLIND, Sight, look
from atmem_core.recall.keyword import keyword_pool, lexicals
from atmem_core.recall.request import Request
from atmem_core.recall.search import MODES
from atmem_core.records import FactHit, FactHits, Query
from atmem_core.store.protocol import Document, ReadView, Store

RANK_CONSTANT = 60
"""Cormack, Clarke and Büttcher (2009): how little the first places differ."""


class FactSearcher:
    """Searches the facts of one store."""

    def __init__(self, store: Store, serving_for: ServingFor, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._serving_for = serving_for
        self._config = config
        self._clock = clock
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="atmem-embed-fact")

    def search(self, text: str, request: Request, *, k: int, mode: str) -> FactHits:
        """The k best facts. Without a query's vector: keywords alone, and ``degraded`` says why.

        Args:
            text: The query; blank finds nothing and embeds nothing.
            request: Whose facts, which part of them, at what time; its kinds must be facts alone.
            k: 1 or more; each arm gives so many.
            mode: ``hybrid`` or ``keyword``.

        Raises:
            InvalidInput: An unknown mode.
        """
        if mode not in MODES:
            raise InvalidInput("mode", f"{mode!r} is none of {', '.join(MODES)}")
        if not text.strip():
            return FactHits(hits=())
        query = read_query(text, max_chars=self._config.query_max_chars)
        sight = self._look(query, request) if mode == "hybrid" else Sight()
        with self._store.read(request.filter(self._clock.now())) as view:
            keyword = self._keyword(view, query, k)
            vector = _nearest(view, sight, k)
            found = view.documents(list(dict.fromkeys([*keyword, *vector])))
        hits = self._hits(request.scope.subject, fused(keyword, vector, found)[:k])
        return FactHits(hits=hits, degraded=tuple(code.value for code in sight.degraded))

    def _look(self, query: Query, request: Request) -> Sight:
        embedder = self._serving_for(request.scope.subject).embedder
        if embedder is None:
            return BLIND
        return look(embedder, query, pool=self._pool, deadline_ms=request.deadline_ms)

    def _keyword(self, view: ReadView, query: Query, k: int) -> list[int]:
        """Rows by BM25 over the subject's own statistics; any word may match."""
        pool = keyword_pool(view, query.terms, limit=max(k, self._config.keyword_pool))
        texts = view.search_texts(pool.rows)
        scores = {row: match.bm25 for row, match in lexicals(texts, pool.wording).items() if match.bm25 > 0}
        return sorted(scores, key=lambda row: (-round(scores[row], 6), texts[row], row))[:k]

    def _hits(
        self, subject: str, ranked: Sequence[tuple[str, float, int | None, int | None]]
    ) -> tuple[FactHit, ...]:
        facts = self._store.fact_store.of_ids(subject, [fact_id for fact_id, *_ in ranked])
        return tuple(
            FactHit(fact=facts[fact_id], score=score, keyword_rank=keyword, vector_rank=vector)
            for fact_id, score, keyword, vector in ranked
            if fact_id in facts  # erased by another process since
        )

    def close(self) -> None:
        """Let late embedding calls end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _nearest(view: ReadView, sight: Sight, k: int) -> list[int]:
    if sight.vector is None:
        return []
    return [row for row, _ in view.nearest(sight.vector.identity, sight.vector.vector, k)]


def fused(
    keyword: Sequence[int], vector: Sequence[int], found: Mapping[int, Document]
) -> list[tuple[str, float, int | None, int | None]]:
    """Id, score, and the rank in each arm; best first, ties by content hash.

    The score is the sum over the arms of 1 / (60 + rank), ranks from 1: 0.0328 for the first of both.
    """
    by_word = {row: rank for rank, row in enumerate(keyword, start=1)}
    by_meaning = {row: rank for rank, row in enumerate(vector, start=1)}
    scored = [
        (
            document.note,
            round(
                sum(1 / (RANK_CONSTANT + ranks[row]) for ranks in (by_word, by_meaning) if row in ranks), 6
            ),
            by_word.get(row),
            by_meaning.get(row),
        )
        for row, document in found.items()
    ]
    scored.sort(key=lambda one: (-one[1], one[0].content_hash, one[0].id))
    return [(note.id, score, keyword_rank, vector_rank) for note, score, keyword_rank, vector_rank in scored]
