"""Candidate and query to signals, each named and versioned.

Rule: support comes from words and meaning; priors order what is relevant and never make it so. How it
works: each signal is one number from 0 to 1 with the raw measurement beside it. Warning: a new signal
that is eligible for support has to be monotone (more of it never means less relevant) and needs a new
calibration version.
"""

import math
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from atmem_core.policy.fact_key import key_score
from atmem_core.records import Candidate, Query, SignalContribution, Surroundings

TYPO_DISCOUNT = 0.9
"""A corrected word counts a little less than the word itself."""
NULL_SIZE = 20
UNRELATED_COSINE = 0.2
"""About the median cosine of the bundled model between texts that have nothing to do with each other."""
RECENCY_HALF_LIFE_DAYS = 180.0
_DAY_SECONDS = 86_400.0
_FULL_LENGTH = 25
_VERSION = "1"


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


def support_features(
    match: WordMatch, *, cosine: float | None, null_cosine: float, named: bool
) -> tuple[float, ...]:
    """The numbers that relevance may use, 0 to 1 each, none of which falls when a signal rises.

    In the order of ``calibration.SUPPORT_FEATURES``; a tuple, since this runs on every pooled record.

    ``lexical``, ``bm25``, ``semantic``: squares of the measured shares, since half the words say less
    than half as much. ``agreement``: lexical times semantic. ``contrast``: by how much the cosine
    stands out from those of the nearest records. ``unnamed_contrast``: the same for a query without a
    proper name; a name lifts the cosine of every record that bears it, and says little.

    Args:
        match: The record against the query's words.
        cosine: Of a production profile in good health, on the shared scale; None when there is none, which
            counts as 0. So a failing embedder can only make the decision abstain more.
        null_cosine: Mean cosine of the nearest records, on the shared scale.
        named: Does the query hold a proper name?
    """
    coverage, bm25 = match.coverage, match.bm25
    lexical = min(1.0, coverage + TYPO_DISCOUNT * (match.typo_coverage - coverage))
    semantic = 0.0 if cosine is None else min(1.0, max(0.0, cosine))
    contrast = contrast_of(cosine, null_cosine)
    return (
        lexical * lexical,
        bm25 * bm25,
        semantic * semantic,
        lexical * semantic,
        contrast,
        0.0 if named else contrast,
    )


def contrast_of(cosine: float | None, null_cosine: float) -> float:
    """How far a cosine stands above the null; 0 to 1, and 0 without one."""
    return 0.0 if cosine is None else min(1.0, max(0.0, cosine - null_cosine))


def null_cosine(cosines: Sequence[float]) -> float:
    """Mean of the 20 best cosines; where there are fewer, the rest count as unrelated text does."""
    best = sorted(cosines, reverse=True)[:NULL_SIZE]
    return round((sum(best) + (NULL_SIZE - len(best)) * UNRELATED_COSINE) / NULL_SIZE, 6)


def contributions(
    query: Query, candidate: Candidate, *, meaning: float | None, now: datetime, semantic_counts: bool
) -> tuple[SignalContribution, ...]:
    """All signals of one candidate, support first, in a fixed order.

    ``meaning`` is its cosine on the scale that all profiles share; None without a vector.
    """
    coverage, corrected = candidate.coverage, candidate.typo_coverage
    parts = [
        _frequent("lexical", coverage, coverage, supports=True),
        _signal("bm25", candidate.bm25, candidate.bm25, supports=True),
        _frequent("typo", corrected, corrected - coverage, supports=True),
        _signal(
            "semantic",
            min(1.0, max(0.0, meaning or 0.0)),
            candidate.cosine,
            supports=semantic_counts,
        ),
        _signal("contrast", *_contrast(meaning, candidate.null_cosine), supports=semantic_counts),
        _frequent("candidate_prior", _statement_prior(candidate), None, supports=False),
        _frequent("trust", candidate.trust, candidate.trust, supports=False),
        _signal("recency", *_recency(candidate, now), supports=False),
    ]
    if candidate.fact is not None:
        parts.append(_signal("fact_key", key_score(query, candidate.fact), None, supports=True))
    if query.reading.names:
        parts.append(_frequent("speaker", _is_named(query, candidate), None, supports=False))
    if candidate.graph is not None:
        parts.append(_signal("graph", candidate.graph, candidate.graph, supports=False))
    if candidate.surroundings is not None:
        parts.extend(_around(candidate.surroundings))
    return tuple(parts)


def _around(around: Surroundings) -> list[SignalContribution]:
    """What was said around a turn, in a fixed order."""
    return [
        _signal(name, value, value, supports=False)
        for name, value in (
            ("window", around.window),
            ("before", around.before),
            ("after", around.after),
            ("session", around.session),
        )
    ]


def _contrast(meaning: float | None, null: float) -> tuple[float, float | None]:
    """Score, and the raw difference, which may be negative."""
    return contrast_of(meaning, null), None if meaning is None else meaning - null


def _signal(name: str, score: float, raw: float | None, *, supports: bool) -> SignalContribution:
    normalized = round(min(1.0, max(0.0, score)), 6)
    if raw is not None:
        # Most raw measurements are the score: to round once more is a good part of what a signal costs.
        raw = normalized if raw == score and 0.0 < score <= 1.0 else round(raw, 6)
    return SignalContribution(
        name=name,
        version=_VERSION,
        normalized_score=normalized,
        raw_score=raw,
        eligible_for_support=supports,
    )


_frequent = lru_cache(maxsize=4_096)(_signal)
"""For signals that many candidates share to the digit. Not for cosines: 0.0 and -0.0 are one key."""


def _statement_prior(candidate: Candidate) -> float:
    """A statement of some length says more than a question or a word; 0 to 1."""
    length = min(1.0, math.log1p(candidate.token_count) / math.log1p(_FULL_LENGTH))
    return 0.5 * length + (0.0 if candidate.text.endswith("?") else 0.5)


def _is_named(query: Query, candidate: Candidate) -> float:
    """1.0 when the query names who said it."""
    return 1.0 if candidate.speaker.casefold() in query.reading.names else 0.0


def _recency(candidate: Candidate, now: datetime) -> tuple[float, float]:
    """Halves every ``RECENCY_HALF_LIFE_DAYS``; raw is the age in days, 0 or more."""
    days = max(0.0, (now - candidate.told_at).total_seconds() / _DAY_SECONDS)
    return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS), days
