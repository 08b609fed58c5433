"""Candidate and query to signals, each named and versioned.

Rule: support comes from words and meaning; priors order what is relevant and never make it so. How it
works: each signal is one number from 0 to 1 with the raw measurement beside it. Warning: a new signal
that is eligible for support has to be monotone (more of it never means less relevant) and needs a new
calibration version.
"""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from atmem_core.records import Candidate, Query, SignalContribution

TYPO_DISCOUNT = 0.9
"""A corrected word counts a little less than the word itself."""
RECENCY_HALF_LIFE_DAYS = 180.0
_DAY_SECONDS = 86_400.0
_FULL_LENGTH = 25
_VERSION = "1"
PRIOR_WEIGHTS = {"candidate_prior": 0.03, "trust": 0.02, "recency": 0.02, "graph": 0.02}
"""What each prior may add to the rank score. Their sum is below a tenth: they break near ties."""


class WordMatch(Protocol):
    """How a record matches by words: a candidate, or its measurement before it is one."""

    @property
    def coverage(self) -> float:
        """By exact stem, 0 to 1."""
        ...

    @property
    def typo_coverage(self) -> float:
        """With corrected words, 0 to 1."""
        ...

    @property
    def bm25(self) -> float:
        """0 to 1."""
        ...


def support_features(match: WordMatch, *, cosine: float | None) -> dict[str, float]:
    """The numbers that relevance may use, 0 to 1 each.

    Args:
        match: The record against the query's words.
        cosine: Of a production profile in good health; None when there is none, which counts as 0.
            So a failing embedder can only make the decision abstain more.
    """
    gained = match.typo_coverage - match.coverage
    lexical = min(1.0, match.coverage + TYPO_DISCOUNT * gained)
    semantic = 0.0 if cosine is None else min(1.0, max(0.0, cosine))
    # Squares, since half the words say less than half as much: measured, they order better than the
    # plain shares on every labelled store.
    return {
        "lexical": lexical * lexical,
        "bm25": match.bm25 * match.bm25,
        "semantic": semantic * semantic,
        "agreement": lexical * semantic,
    }


def contributions(
    query: Query, candidate: Candidate, *, now: datetime, semantic_counts: bool
) -> tuple[SignalContribution, ...]:
    """All signals of one candidate, support first, in a fixed order."""
    parts = [
        _signal("lexical", candidate.coverage, candidate.coverage, supports=True),
        _signal("bm25", candidate.bm25, candidate.bm25, supports=True),
        _signal(
            "typo",
            candidate.typo_coverage,
            candidate.typo_coverage - candidate.coverage,
            supports=True,
        ),
        _signal(
            "semantic",
            min(1.0, max(0.0, candidate.cosine or 0.0)),
            candidate.cosine,
            supports=semantic_counts,
        ),
        _signal("candidate_prior", _statement_prior(query, candidate), None, supports=False),
        _signal("trust", candidate.trust, candidate.trust, supports=False),
        _signal("recency", *_recency(candidate, now), supports=False),
    ]
    if candidate.graph is not None:
        parts.append(_signal("graph", candidate.graph, candidate.graph, supports=False))
    return tuple(parts)


def prior(parts: Sequence[SignalContribution]) -> float:
    """What the priors add to the rank score; 0 to the sum of ``PRIOR_WEIGHTS``."""
    return sum(PRIOR_WEIGHTS.get(part.name, 0.0) * part.normalized_score for part in parts)


def _signal(name: str, score: float, raw: float | None, *, supports: bool) -> SignalContribution:
    return SignalContribution(
        name=name,
        version=_VERSION,
        normalized_score=round(min(1.0, max(0.0, score)), 6),
        raw_score=None if raw is None else round(raw, 6),
        eligible_for_support=supports,
    )


def _statement_prior(query: Query, candidate: Candidate) -> float:
    """A statement of some length says more than a question or a word; 0 to 1."""
    length = min(1.0, math.log1p(candidate.token_count) / math.log1p(_FULL_LENGTH))
    named = 1.0 if candidate.speaker.casefold() in query.reading.names else 0.0
    return 0.4 * length + (0.0 if candidate.text.endswith("?") else 0.4) + 0.2 * named


def _recency(candidate: Candidate, now: datetime) -> tuple[float, float]:
    """Halves every ``RECENCY_HALF_LIFE_DAYS``; raw is the age in days, 0 or more."""
    days = max(0.0, (now - candidate.told_at).total_seconds() / _DAY_SECONDS)
    return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS), days
