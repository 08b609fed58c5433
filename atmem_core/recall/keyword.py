"""Keyword candidates: the subject's own postings, pre-ranked by idf, then BM25 over their text.

The index gives unranked rows, one list a term, so a list's length is the subject's own document
frequency; FTS5's bm25() isn't used because its statistics span subjects. Rare words are read first; once
enough rows are in hand, a common word is only counted, since its weight is found in the text anyway.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from atmem_core.policy.lexical import bm25, coverage, idf
from atmem_core.recall.spelling import corrections
from atmem_core.records import Term
from atmem_core.store.protocol import ReadView
from atmem_core.text import STEMS

_ROWS_ENOUGH = 4_000
"""Rows in hand above which a further, more common word brings no new candidates."""
_ROWS_MOST = 20_000
"""Newest rows read of one word."""
_TIES_KEPT = 4
"""Rows of equal pre-rank are all scored up to this many times the pool; above, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The query's terms against one subject: what each weighs, and what it may stand for."""

    weights: Mapping[str, float]
    """Query stem to idf."""
    meant: Mapping[str, str]
    """Stored stem to the query stem that it is a correction of."""
    mean_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical:
    """How one record matches by words."""

    coverage: float
    typo_coverage: float
    bm25: float
    matched: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordPool:
    """Rows worth scoring."""

    wording: Wording
    rows: tuple[int, ...]
    cut: bool
    """Were rows left out that rank like some that are in?"""


def keyword_pool(view: ReadView, terms: Sequence[Term], *, limit: int) -> KeywordPool:
    """The rows that hold the query's rarest words; at least ``limit`` of them when there are as many."""
    documents = view.corpus.documents
    weights: dict[str, float] = {}
    meant: dict[str, str] = {}
    lists: list[tuple[float, int, str]] = []
    for term in terms:
        frequency = view.document_frequency(term.word)
        weights[term.stem] = idf(documents, frequency)
        words = (term.word,) if frequency else corrections(term, view)
        for word in words:
            if word != term.word:
                meant[STEMS[word]] = term.stem
                frequency = view.document_frequency(word)
            lists.append((weights[term.stem], frequency, word))
    rows, cut = _rows(view, lists, limit)
    wording = Wording(weights=weights, meant=meant, mean_length=view.corpus.mean_length)
    return KeywordPool(wording=wording, rows=rows, cut=cut)


def _rows(
    view: ReadView, lists: Sequence[tuple[float, int, str]], limit: int
) -> tuple[tuple[int, ...], bool]:
    """Eligible rows by the idf that they gather, best first."""
    gathered: dict[int, float] = {}
    cut = False
    for weight, frequency, word in sorted(lists, key=lambda one: (one[1], one[2])):
        if gathered and len(gathered) + frequency > _ROWS_ENOUGH:
            continue
        cut = cut or frequency > _ROWS_MOST
        for row in view.postings(word, limit=_ROWS_MOST if frequency > _ROWS_MOST else None):
            gathered[row] = gathered.get(row, 0.0) + weight
    rows = view.eligible(gathered)
    rows.sort(key=lambda row: (-gathered[row], -row))
    if len(rows) <= limit:
        return tuple(rows), cut
    # Which of equal rows come first must not depend on the order of writing: keep them all, if few.
    last = gathered[rows[limit - 1]] - 1e-9
    kept = [row for row in rows if gathered[row] >= last]
    most = limit * _TIES_KEPT
    return tuple(kept[:most]), cut or len(kept) > most


def lexical(search_text: str, token_count: int, wording: Wording) -> Lexical:
    """Match one record's indexed text against the query."""
    stems = [STEMS[word] for word in search_text.split(" ")]
    present = set(stems)
    exact = [stem for stem in wording.weights if stem in present]
    corrected = {meant: stem for stem, meant in wording.meant.items() if stem in present}
    matched = [*exact, *(meant for meant in corrected if meant not in present)]
    counts = {stem: stems.count(corrected.get(stem, stem)) for stem in matched}
    return Lexical(
        coverage=coverage(exact, wording.weights),
        typo_coverage=coverage(matched, wording.weights),
        bm25=bm25(counts, wording.weights, token_count, wording.mean_length),
        matched=frozenset([*matched, *corrected.values()]),
    )
