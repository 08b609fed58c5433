"""Weights and thresholds of one semantic profile, as a frozen value.

Relevance is a logistic regression whose weights are all 0 or more: raising a support signal can then
never lower it. The numbers come from labelled cases, by ``python -m atmem_core.evaluation.calibrate``;
``semantic`` reads the file, judgement gets the value.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from atmem_core.errors import InvalidInput

SUPPORT_FEATURES = ("lexical", "bm25", "semantic", "agreement", "contrast", "unnamed_contrast")
"""What relevance may use; ``atmem_core.policy.signals.support_features`` has the formulas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How signals become a relevance, and a relevance a class."""

    version: str
    bias: float
    weights: Mapping[str, float]
    """One for each of ``SUPPORT_FEATURES``; 0 or more."""
    direct: float
    """Least relevance of direct support, 0 to 1."""
    background: float
    """Least relevance of background context, 0 to 1, not above ``direct``."""
    drop_off: float
    """A record this far below the best in log odds is not released with it; above 0."""

    def __post_init__(self) -> None:
        """Refuse what would break a rule of judgement."""
        if set(self.weights) != set(SUPPORT_FEATURES):
            raise InvalidInput("weights", f"must name exactly {', '.join(SUPPORT_FEATURES)}")
        if any(weight < 0 for weight in self.weights.values()):
            raise InvalidInput("weights", "must be 0 or more: a signal that supports can't count against")
        if not 0 < self.background <= self.direct < 1:
            raise InvalidInput("direct", "must be below 1 and not below background, which is above 0")
        if self.drop_off <= 0:
            raise InvalidInput("drop_off", "must be above 0")

    def relevance(self, features: Mapping[str, float]) -> float:
        """Probability-like score, 0 to 1, rounded to 6 digits."""
        total = self.bias
        for name, weight in self.weights.items():
            total += weight * features[name]
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 6)


def log_odds(relevance: float) -> float:
    """The logit, finite at both ends."""
    kept = min(max(relevance, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))
