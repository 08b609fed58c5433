"""Candidates: records that might help, found by words and by meaning, measured before judgement.

Finding is separate from permission: nothing here knows a class. The pool is cut by the same relevance
that judgement uses, so that a cut never drops what would have been direct support.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atmem_core.policy.calibration import Calibration
from atmem_core.policy.signals import null_cosine, support_features
from atmem_core.recall.facts import by_key, lift, with_facts
from atmem_core.recall.keyword import Lexical, keyword_pool, lexicals
from atmem_core.records import Candidate, Note, Query
from atmem_core.store.protocol import Document, ReadView

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The query, embedded, and the identity under which it compares."""

    identity: str
    vector: "Float32Array"
    counts: bool
    """May its cosines support, or are they only reported?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """How many records each step looks at."""

    keyword: int
    vector: int
    judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Candidates, best first, with the notes behind them."""

    candidates: tuple[Candidate, ...]
    notes: dict[str, Note]
    pool_cut: bool
    vectors_missing: int
    """Candidates that have no vector of this identity, though the query has one."""


def find(
    view: ReadView,
    query: Query,
    vector: QueryVector | None,
    *,
    calibration: Calibration,
    pools: Pools,
) -> Found:
    """Candidates of one query in one snapshot; ``pools.judged`` of them, and those that tie."""
    pool = keyword_pool(view, query.terms, limit=pools.keyword)
    worded = [*pool.rows, *by_key(view, query, pool.rows)]
    cosines = _cosines(view, worded, vector, pools.vector)
    rows = list(dict.fromkeys([*worded, *cosines]))
    texts = view.search_texts(rows)
    matches = lexicals(texts, pool.wording)
    null = null_cosine(list(cosines.values()))
    counted = cosines if vector is not None and vector.counts else {}
    named = bool(query.reading.names)
    scores = {
        row: calibration.relevance(
            support_features(match, cosine=counted.get(row), null_cosine=null, named=named)
        )
        for row, match in matches.items()
    }
    stated = lift(view, query, scores)
    found = view.documents(_best(scores, texts, pools.judged))
    candidates = [measure(document, matches[row], cosines.get(row), null) for row, document in found.items()]
    return Found(
        candidates=with_facts(view, candidates, list(found), stated),
        notes={document.note.id: document.note for document in found.values()},
        pool_cut=pool.cut,
        vectors_missing=0 if vector is None else sum(row not in cosines for row in found),
    )


def _cosines(view: ReadView, rows: Sequence[int], vector: QueryVector | None, pool: int) -> dict[int, float]:
    """Cosine by row: of the nearest, and of the keyword rows."""
    if vector is None:
        return {}
    near = dict(view.nearest(vector.identity, vector.vector, pool))
    others = [row for row in rows if row not in near]
    return near | dict(view.cosines(vector.identity, vector.vector, others))


def _best(scores: Mapping[int, float], texts: Mapping[int, tuple[str, int]], limit: int) -> list[int]:
    """Rows by relevance, ties by text; those that tie with the last one stay in, up to twice the limit."""
    # Not by row: the order of writing must not decide who is cut.
    ordered = sorted(scores, key=lambda row: (-scores[row], texts[row]))
    if len(ordered) <= limit:
        return ordered
    last = scores[ordered[limit - 1]]
    return [row for row in ordered[: 2 * limit] if scores[row] >= last]


def measure(document: Document, match: Lexical, cosine: float | None, null: float) -> Candidate:
    """One candidate from its record and its measurements."""
    note = document.note
    return Candidate(
        record_id=note.id,
        content_hash=note.content_hash,
        text=note.text,
        token_count=document.token_count,
        speaker=note.speaker,
        source=note.source,
        trust=note.trust,
        told_at=note.occurred_at or note.created_at,
        dated=note.occurred_at is not None,
        coverage=match.coverage,
        typo_coverage=match.typo_coverage,
        bm25=match.bm25,
        matched=match.matched,
        cosine=cosine,
        null_cosine=null,
    )
