"""A diagnostic search: it ranks what is there and gives no permission to inject."""

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import InvalidInput
from atmem_core.policy.question import read_query
from atmem_core.recall.keyword import keyword_pool, lexical
from atmem_core.recall.reader import Reader
from atmem_core.recall.request import Request
from atmem_core.records import Hit
from atmem_core.store.protocol import Store

MODES = ("hybrid", "keyword")


class Searcher:
    """Searches one store."""

    def __init__(self, store: Store, reader: Reader, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._reader = reader
        self._config = config
        self._clock = clock

    def search(self, text: str, request: Request, *, k: int, mode: str) -> list[Hit]:
        """The k best records, best first.

        Raises:
            InvalidInput: An unknown mode.
        """
        if mode not in MODES:
            raise InvalidInput("mode", f"{mode!r} is none of {', '.join(MODES)}")
        return self._keyword(text, request, k) if mode == "keyword" else self._hybrid(text, request, k)

    def _hybrid(self, text: str, request: Request, k: int) -> list[Hit]:
        answer = self._reader.rank(text, request, k=k)
        ranked = sorted(answer.decision.candidates, key=lambda one: -one.rank_score)
        return [
            Hit(record_id=one.record_id, score=one.rank_score, record=answer.notes[one.record_id])
            for one in ranked[:k]
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
