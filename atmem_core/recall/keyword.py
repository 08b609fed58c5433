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
    total: float
    """Sum of the weights."""
    mean_length: float
    sought: tuple[tuple[str, str], ...]
    """Every stem that counts, and how a word of it starts in the index: a space, then its sure letters."""


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
    wording = Wording(
        weights=weights,
        meant=meant,
        total=sum(weights.values()),
        mean_length=view.corpus.mean_length,
        sought=tuple((stem, _start(stem)) for stem in {**weights, **meant}),
    )
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
        found = view.postings(word, limit=_ROWS_MOST if frequency > _ROWS_MOST else None)
        if gathered:
            for row in found:
                gathered[row] = gathered.get(row, 0.0) + weight
        else:
            gathered = dict.fromkeys(found, weight)
    rows = view.eligible(gathered)
    # Newest first, then by weight: the second sort keeps the order of equals, and no tuple is made.
    rows.sort(reverse=True)
    rows.sort(key=gathered.__getitem__, reverse=True)
    if len(rows) <= limit:
        return tuple(rows), cut
    # Which of equal rows come first must not depend on the order of writing: keep them all, if few.
    last = gathered[rows[limit - 1]] - 1e-9
    most = limit * _TIES_KEPT
    kept = [row for row in rows[: most + 1] if gathered[row] >= last]
    return tuple(kept[:most]), cut or len(kept) > most


def _start(stem: str) -> str:
    """A stem is its word but for the last letter at most: "happi" of "happy", "sensibl" of "sensibility"."""
    return " " + stem[: max(1, len(stem) - 1)]


def lexical(search_text: str, token_count: int, wording: Wording) -> Lexical:
    """Match one record's indexed text against the query."""
    return _measured(_counts(search_text, wording.sought), token_count, wording)


def lexicals(texts: Mapping[int, tuple[str, int]], wording: Wording) -> dict[int, Lexical]:
    """As ``lexical``, for each row; rows that hold the same words and are of one length share theirs."""
    found: dict[int, Lexical] = {}
    known: dict[tuple[object, ...], Lexical] = {}
    for row, (search_text, token_count) in texts.items():
        counts = _counts(search_text, wording.sought)
        key = (token_count, *counts.items())
        match = known.get(key)
        if match is None:
            match = known[key] = _measured(counts, token_count, wording)
        found[row] = match
    return found


def _measured(counts: Mapping[str, int], token_count: int, wording: Wording) -> Lexical:
    """The numbers of a record that holds each stem so many times."""
    weights, total = wording.weights, wording.total
    exact = [stem for stem in weights if stem in counts]
    corrected = {stood_for: stem for stem, stood_for in wording.meant.items() if stem in counts}
    matched = [*exact, *(stem for stem in corrected if stem not in counts)]
    counted = {stem: counts.get(corrected.get(stem, stem), 0) for stem in matched}
    return Lexical(
        coverage=coverage(exact, weights, total=total),
        typo_coverage=coverage(matched, weights, total=total),
        bm25=bm25(counted, weights, token_count, wording.mean_length, total=total),
        matched=frozenset([*matched, *corrected.values()]),
    )


def _counts(search_text: str, sought: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How often each stem stands in the text, in the order sought; only those that do.

    A search for the start of the word is four times as fast as stemming all words of all texts.
    """
    padded = f" {search_text} "
    counts: dict[str, int] = {}
    for stem, start in sought:
        at = padded.find(start)
        count = 0
        while at >= 0:
            end = padded.index(" ", at + 1)
            count += STEMS[padded[at + 1 : end]] == stem
            at = padded.find(start, end)
        if count:
            counts[stem] = count
    return counts
