"""Logistic regression with weights of 0 or more, by projected Newton steps; numpy only, no randomness."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS = 200
_RIDGE = 2e-4
_SETTLED = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model."""

    weights: tuple[float, ...]
    bias: float


def fit_logistic(features: "Floats", labels: "Floats") -> Fit:
    """Weights of 0 or more that make the labels likely.

    Args:
        features: One row an example, shape (n, d).
        labels: 0 or 1, shape (n,).
    """
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    count, width = features.shape
    design = np.hstack([features, np.ones((count, 1))])
    theta = np.zeros(width + 1)
    ridge = np.full(width + 1, 2 * _RIDGE)
    ridge[-1] = 0.0
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(design @ theta)))
        gradient = design.T @ (chance - labels) / count + ridge * theta
        spread = chance * (1 - chance) / count
        hessian = design.T @ (design * spread[:, None]) + np.diag(ridge + 1e-9)
        # A weight that sits at 0 and would go below stays there: drop it from this step.
        free = (theta > 0) | (gradient < 0)
        free[-1] = True
        step = np.zeros(width + 1)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        theta = theta - step
        theta[:-1] = np.maximum(theta[:-1], 0.0)
        if np.abs(step).max() < _SETTLED:
            break
    return Fit(weights=tuple(float(one) for one in theta[:-1]), bias=float(theta[-1]))
