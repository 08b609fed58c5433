"""Candidates: records that might help, found by words and by meaning, measured before judgement.

Finding is separate from permission: nothing here knows a class. The pool is cut by the same relevance
that judgement uses, so that a cut never drops what would have been direct support. A rewritten query adds to
the pool by its words; all is measured against the original, whose own candidates it leaves as they are.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from atmem_core.policy.calibration import Calibration
from atmem_core.policy.signals import null_cosine
from atmem_core.recall.facts import by_key, lift, with_facts
from atmem_core.recall.keyword import keyword_pool
from atmem_core.recall.scale import Measured, QueryVector, Scale, cosines
from atmem_core.recall.surroundings import surroundings
from atmem_core.records import Candidate, Note, Query, Surroundings, Term
from atmem_core.store.protocol import Document, ReadView


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
    vectors_unscanned: int = 0
    """Vectors that weren't compared with the query's, since too many would have had to be read."""


def find(
    view: ReadView,
    query: Query,
    vector: QueryVector | None,
    *,
    calibration: Calibration,
    pools: Pools,
    finding: Sequence[Term] = (),
) -> Found:
    """Candidates of one query in one snapshot; ``pools.judged`` of them, and those that tie.

    As many again may come by the terms ``finding`` of a rewritten query.
    """
    pool = keyword_pool(view, query.terms, limit=pools.keyword)
    near = {} if vector is None else dict(view.nearest(vector.identity, vector.vector, pools.vector))
    unscanned = 0 if vector is None else view.unscanned
    worded = [*pool.rows, *by_key(view, query, pool.rows)]
    others = cosines(view, [row for row in worded if row not in near], vector)
    scale = Scale(
        wording=pool.wording,
        vector=vector,
        null=null_cosine([calibration.meaning(cosine) for cosine in (near | others).values()]),
        named=bool(query.reading.names),
        calibration=calibration,
    )
    measured = scale.measure(view, list(dict.fromkeys([*worded, *near])), near | others)
    own = _read(view, query, measured, scale, limit=pools.judged)
    own = replace(own, pool_cut=pool.cut, vectors_unscanned=unscanned)
    if not finding:
        return own
    named = keyword_pool(view, finding, limit=pools.keyword)
    further = scale.measure(view, [row for row in named.rows if row not in measured])
    added = _read(view, query, further, scale, limit=pools.judged)
    return _with_further(own, replace(added, pool_cut=named.cut))


def _read(
    view: ReadView, query: Query, measured: MutableMapping[int, Measured], scale: Scale, *, limit: int
) -> Found:
    """The best of what was measured, with what is stored about them."""
    stated = lift(view, query, measured)
    found = view.documents(_best(measured, limit))
    around = surroundings(view, found, measured, scale)
    candidates = [
        _candidate(document, measured[row], around.get(row), scale) for row, document in found.items()
    ]
    return Found(
        candidates=with_facts(view, candidates, list(found), stated),
        notes={document.note.id: document.note for document in found.values()},
        pool_cut=False,
        vectors_missing=0 if scale.vector is None else sum(measured[row].cosine is None for row in found),
    )


def _with_further(own: Found, further: Found) -> Found:
    """Both, with a mark on what only the rewritten query found."""
    added = tuple(replace(one, found_by_rewriting=True) for one in further.candidates)
    return replace(
        own,
        candidates=(*own.candidates, *added),
        notes={**own.notes, **further.notes},
        pool_cut=own.pool_cut or further.pool_cut,
        vectors_missing=own.vectors_missing + further.vectors_missing,
    )


def _best(measured: Mapping[int, Measured], limit: int) -> list[int]:
    """Rows by relevance, ties by text; those that tie with the last one stay in, up to twice the limit."""
    # Not by row: the order of writing must not decide who is cut.
    ordered = sorted(measured, key=lambda row: (-measured[row].relevance, measured[row].search_text))
    if len(ordered) <= limit:
        return ordered
    last = measured[ordered[limit - 1]].relevance
    return [row for row in ordered[: 2 * limit] if measured[row].relevance >= last]


def _candidate(document: Document, one: Measured, around: Surroundings | None, scale: Scale) -> Candidate:
    """One candidate from its record and its measurements."""
    note, match = document.note, one.match
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
        cosine=one.cosine,
        null_cosine=scale.null,
        surroundings=around,
    )
