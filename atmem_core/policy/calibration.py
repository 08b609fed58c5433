"""Weights and thresholds of one semantic profile, as a frozen value.

Relevance is a logistic regression whose weights are all 0 or more: raising a support signal can then
never lower it. The numbers come from labelled cases, by ``python -m atmem_core.evaluation.calibrate``;
``semantic`` reads the file, judgement gets the value.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from atmem_core.errors import InvalidInput
from atmem_core.records import SignalContribution

RANKING_SIGNALS = (
    "candidate_prior",
    "trust",
    "recency",
    "graph",
    "speaker",
    "window",
    "before",
    "after",
    "session",
    "answerable",
)
"""What orders records of like relevance; none of them can make a record relevant."""
SUPPORT_FEATURES = ("lexical", "bm25", "semantic", "agreement", "contrast", "unnamed_contrast")
"""What relevance may use; ``atmem_core.policy.signals.support_features`` has the formulas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRule:
    """What a calibration makes of a judge's answer."""

    version: str
    """The judge that it was made for."""
    weight: float
    """Of the answer's log odds beside those of relevance; 0 or more."""
    bar: float
    """Least sum of both log odds of direct support."""
    denied: float
    """An answer below this, 0 to 1, withholds a record outright when relevance is below ``agreed``."""
    agreed: float
    silent: float = 0.02
    """What counts as the answer of a judge that fails: about the lowest that this one ever gives, so that
    its failure releases nothing that an answer would have withheld."""
    order: float = 0.0
    """Of the answer's log odds beside those by which a search orders its hits; 0 or more."""

    def __post_init__(self) -> None:
        """Refuse what would let a judge raise."""
        for name, value in (("weight", self.weight), ("order", self.order)):
            if value < 0:
                raise InvalidInput(name, "must be 0 or more: a surer judge can't count against a record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How signals become a relevance, and a relevance a class."""

    version: str
    bias: float
    weights: Mapping[str, float]
    """One for each of ``SUPPORT_FEATURES``; 0 or more."""
    ranking: Mapping[str, float]
    """What each of ``RANKING_SIGNALS`` adds to the log odds by which records are ordered; 0 or more."""
    direct: float
    """Least relevance of direct support, 0 to 1."""
    background: float
    """Least relevance of background context, 0 to 1; not above ``direct`` unless a judge is reckoned with:
    then what the judge doesn't clear has to reach it."""
    drop_off: float
    """A record this far below the best in log odds is not released with it; above 0."""
    unrelated: float = 0.0
    """Cosine of this profile that means as little as 0 does to the bundled model."""
    stretch: float = 1.0
    """By how much cosines above ``unrelated`` are spread: models differ in the range that they use."""
    judge: JudgeRule | None = None
    """With one, the thresholds are meant for records that a judge reads as well."""

    def __post_init__(self) -> None:
        """Refuse what would break a rule of judgement."""
        if tuple(self.weights) != SUPPORT_FEATURES:
            raise InvalidInput("weights", f"must name exactly {', '.join(SUPPORT_FEATURES)}, in this order")
        if not set(self.ranking) <= set(RANKING_SIGNALS):
            raise InvalidInput("ranking", f"may name only {', '.join(RANKING_SIGNALS)}")
        if any(weight < 0 for weight in (*self.weights.values(), *self.ranking.values())):
            raise InvalidInput("weights", "must be 0 or more: a signal that supports can't count against")
        if not 0 < self.background <= (self.direct if self.judge is None else 1) or not 0 < self.direct < 1:
            raise InvalidInput("direct", "must be below 1 and not below background, which is above 0")
        if self.drop_off <= 0:
            raise InvalidInput("drop_off", "must be above 0")

    @property
    def thresholds(self) -> dict[str, float]:
        """What a decision publishes of it."""
        found = {"direct": self.direct, "background": self.background, "drop_off": self.drop_off}
        if self.judge is not None:
            found |= {"judge_weight": self.judge.weight, "judge_bar": self.judge.bar}
        return found

    def meaning(self, cosine: float) -> float:
        """The cosine on the scale that all profiles share, about -1 to 1."""
        return self.stretch * (cosine - self.unrelated)

    def relevance(self, features: Sequence[float]) -> float:
        """Probability-like score, 0 to 1, rounded to 6 digits; features in the order of SUPPORT_FEATURES."""
        total = self.bias
        for weight, value in zip(self.weights.values(), features, strict=True):
            total += weight * value
        return logistic(total)

    def rank(self, relevance: float, parts: Iterable[SignalContribution]) -> float:
        """What a record is ordered by, 0 to 1, rounded to 6 digits: relevance, moved by the priors."""
        total = log_odds(relevance)
        for part in parts:
            weight = self.ranking.get(part.name)
            if weight is not None:
                total += weight * part.normalized_score
        return logistic(total)


def logistic(total: float) -> float:
    """Log odds to a share, 0 to 1, rounded to 6 digits."""
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 6)


def log_odds(relevance: float) -> float:
    """The logit, finite at both ends."""
    kept = min(max(relevance, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))
