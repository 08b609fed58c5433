"""Weights of 0 or more for a class and for an order, by projected steps; numpy only, no randomness."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS = 200
_RIDGE = 2e-4
_SETTLED = 1e-10
_HALVINGS = 30
_ORDER_STEPS = 600
_ORDER_RATE = 0.2
_ORDER_RIDGE = 1e-3


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
        # A whole step may overshoot where the labels are easily told apart: halve it until they get likelier.
        before = _loss(design, labels, theta, ridge)
        for _ in range(_HALVINGS):
            moved = theta - step
            moved[:-1] = np.maximum(moved[:-1], 0.0)
            if _loss(design, labels, moved, ridge) <= before:
                break
            step = step / 2
        theta = moved
        if np.abs(step).max() < _SETTLED:
            break
    return Fit(weights=tuple(float(one) for one in theta[:-1]), bias=float(theta[-1]))


def _loss(design: "Floats", labels: "Floats", theta: "Floats", ridge: "Floats") -> float:
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    total = design @ theta
    return float((np.logaddexp(0.0, total) - labels * total).mean() + (ridge * theta**2).sum() / 2)


def fit_order(lists: "Sequence[tuple[Floats, Floats]]") -> "Floats":
    """Weights of 0 or more that put what is right before what isn't: a softmax over each list.

    Args:
        lists: Of each question the features of its records, shape (n, d), and the labels, shape (n,), of
            which at least one is 1.
    """
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    weights = np.full(lists[0][0].shape[1], 0.3)
    wanted = [labels / labels.sum() for _, labels in lists]
    for _ in range(_ORDER_STEPS):
        gradient = np.zeros_like(weights)
        for (features, _), share in zip(lists, wanted, strict=True):
            scores = features @ weights
            chance = np.exp(scores - scores.max())
            gradient += features.T @ (chance / chance.sum() - share)
        weights = np.maximum(0.0, weights - _ORDER_RATE * (gradient / len(lists) + _ORDER_RIDGE * weights))
    return weights
