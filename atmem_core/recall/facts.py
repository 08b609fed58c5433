"""Facts among the candidates: what each states, and which notes said what no longer stands."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace

from atmem_core.policy.fact_key import fact_key, key_score, nouns_of, with_key
from atmem_core.recall.scale import Measured
from atmem_core.records import Candidate, FactKey, Query
from atmem_core.store.protocol import FactPart, ReadView

MOST_BY_KEY = 50
"""Facts that are looked at for their key alone."""


def by_key(view: ReadView, query: Query, rows: Sequence[int]) -> list[int]:
    """Further rows, of facts whose predicate the query names by a noun: "my job" of (user, works as, ...)."""
    known = set(rows)
    return [row for row in view.facts_named(nouns_of(query))[:MOST_BY_KEY] if row not in known]


def lift(view: ReadView, query: Query, measured: MutableMapping[int, Measured]) -> Mapping[int, FactPart]:
    """Lift the relevance of facts whose key the query names, as judgement will; what each fact states.

    Before the cut: a fact that judgement would release must not be cut.
    """
    stated = view.fact_parts(list(measured))
    for row, part in stated.items():
        relevance = with_key(measured[row].relevance, key_score(query, _key(part)))
        measured[row] = replace(measured[row], relevance=relevance)
    return stated


def with_facts(
    view: ReadView, candidates: Sequence[Candidate], rows: Sequence[int], stated: Mapping[int, FactPart]
) -> tuple[Candidate, ...]:
    """The candidates, each with what it states; ``rows`` in the same order."""
    ids = [one.record_id for row, one in zip(rows, candidates, strict=True) if row not in stated]
    stale = view.outdated(ids)
    return tuple(
        _stating(one, stated[row]) if row in stated else replace(one, outdated=one.record_id in stale)
        for row, one in zip(rows, candidates, strict=True)
    )


def _stating(candidate: Candidate, part: FactPart) -> Candidate:
    return replace(candidate, fact=_key(part), source_id=part.source_id)


def _key(part: FactPart) -> FactKey:
    return fact_key(part.entity, part.predicate, part.object)
