"""A diagnostic search: it ranks what is there and gives no permission to inject."""

from collections.abc import Callable

from atmem_core.clock import Clock
from atmem_core.config import Config, Ranking
from atmem_core.errors import InvalidInput
from atmem_core.policy.question import read_query
from atmem_core.recall.fuse import HybridV1, hybrid_v1
from atmem_core.recall.keyword import keyword_pool, lexical
from atmem_core.recall.reader import Reader
from atmem_core.recall.request import Request
from atmem_core.records import Hit, JudgedCandidate
from atmem_core.store.protocol import Store

MODES = ("hybrid", "keyword")
_ALL_TIES = 4
_POOL_OF_SLOTS = 4
"""Keyword hits that hybrid-v1 ranks, for each slot."""


class Searcher:
    """Searches one store."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        *,
        config: Config,
        clock: Clock,
        floor_for: Callable[[str], float],
    ) -> None:
        self._store = store
        self._reader = reader
        self._config = config
        self._clock = clock
        self._floor_for = floor_for

    def search(self, text: str, request: Request, *, k: int, mode: str) -> list[Hit]:
        """The k best records, best first.

        Raises:
            InvalidInput: An unknown mode.
        """
        if mode not in MODES:
            raise InvalidInput("mode", f"{mode!r} is none of {', '.join(MODES)}")
        return self._keyword(text, request, k) if mode == "keyword" else self._hybrid(text, request, k)

    def _hybrid(self, text: str, request: Request, k: int) -> list[Hit]:
        if self._config.ranking is Ranking.HYBRID_V1:
            return self._hybrid_v1(text, request, k)
        answer = self._reader.rank(text, request, k=k, judged=self._config.searched_answers)
        ranked = sorted(answer.verdicts, key=lambda one: -one.rank_score)
        return [
            Hit(record_id=one.record_id, score=one.rank_score, record=answer.notes[one.record_id])
            for one in ranked[:k]
        ]

    def _hybrid_v1(self, text: str, request: Request, k: int) -> list[Hit]:
        """The named rule over everything that was found."""
        everything = self._config.keyword_pool * _ALL_TIES + self._config.vector_pool
        answer = self._reader.rank(text, request, k=everything)
        judged = answer.verdicts
        keyword = [(one.record_id, one.signals["bm25"]) for one in judged if one.signals["bm25"] > 0]
        keyword.sort(key=lambda pair: -pair[1])
        raw = {one.record_id: _cosine(one) for one in judged}
        cosines = {record_id: cosine for record_id, cosine in raw.items() if cosine is not None}
        rule = HybridV1(min_cosine=self._floor_for(request.scope.subject))
        ranked = hybrid_v1(keyword[: _POOL_OF_SLOTS * k], cosines, k=k, rule=rule)
        return [
            Hit(record_id=record_id, score=round(score, 6), record=answer.notes[record_id])
            for record_id, score in ranked
        ]

    def _keyword(self, text: str, request: Request, k: int) -> list[Hit]:
        query = read_query(text, max_chars=self._config.query_max_chars)
        with self._store.read(request.filter(self._clock.now())) as view:
            pool = keyword_pool(view, query.terms, limit=max(k, self._config.keyword_pool))
            scores = {
                row: lexical(search_text, length, pool.wording).bm25
                for row, (search_text, length) in view.search_texts(pool.rows).items()
            }
            found = view.documents(list(scores))
        hits = [
            Hit(record_id=one.note.id, score=round(scores[row], 6), record=one.note)
            for row, one in found.items()
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.record.content_hash, hit.record_id))
        return hits[:k]


def _cosine(candidate: JudgedCandidate) -> float | None:
    """The measured cosine, None without a vector."""
    return next(part.raw_score for part in candidate.contributions if part.name == "semantic")
