"""Which lessons and procedures bear on a query: by words alone, and then by what they were worth. Pure.

Rule: advice is found by its words; votes and outcomes order what was found and find nothing. How it works:
BM25 over the subject's own advice gives a few times as many as are wanted; these are sorted by votes blended
with successes less failures, ties in the order of BM25.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from atmem_core.policy.lexical import bm25, idf
from atmem_core.policy.votes import BLEND
from atmem_core.records import Term
from atmem_core.text import STEMS

POOL = 3
"""Times as many as are wanted that votes may reorder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """One piece of advice, as far as its place goes."""

    record_id: str
    search_text: str
    vote_score: float
    successes: int
    failures: int

    @property
    def worth(self) -> float:
        """Votes blended with outcomes; higher is better."""
        return BLEND * self.vote_score + (1 - BLEND) * (self.successes - self.failures)


def by_words(terms: Sequence[Term], advice: Sequence[Worth]) -> list[Worth]:
    """Those that hold a word of the query, the best match first, ties by their words."""
    texts = {one.record_id: [STEMS[word] for word in one.search_text.split()] for one in advice}
    counts = {record_id: Counter(stems) for record_id, stems in texts.items()}
    weights = {
        term.stem: idf(len(texts), sum(term.stem in held for held in counts.values())) for term in terms
    }
    mean = sum(len(stems) for stems in texts.values()) / max(1, len(texts))
    scores = {
        record_id: bm25({stem: held[stem] for stem in weights}, weights, len(texts[record_id]), mean)
        for record_id, held in counts.items()
    }
    return sorted(
        (one for one in advice if scores[one.record_id] > 0),
        key=lambda one: (-scores[one.record_id], one.search_text),
    )


def by_worth(found: Sequence[Worth], *, k: int) -> list[Worth]:
    """The k best of the first few, by what they were worth; equals keep their order."""
    return sorted(found[: POOL * k], key=lambda one: -one.worth)[:k]
