"""CPU time of this thread: what a call costs, whoever else uses the machine."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU milliseconds of one call, over ``n`` calls."""

    median_ms: float
    p90_ms: float
    n: int


def alternated(contenders: Mapping[str, Callable[[int], object]], *, rounds: int) -> dict[str, Cost]:
    """Each contender once a round, in turn: they meet the same neighbours and the same caches.

    Args:
        contenders: Name to a function of the round's number, 0 upwards.
        rounds: 2 or more, after one round that isn't counted.
    """
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for at in range(-1, rounds):
        for name, act in contenders.items():
            start = time.thread_time()
            act(max(at, 0))
            cost = time.thread_time() - start
            if at >= 0:
                spent[name].append(1000 * cost)
    return {name: cost_of(values) for name, values in spent.items()}


def cost_of(milliseconds: Sequence[float]) -> Cost:
    """Median and 90th percentile of two measurements or more."""
    return Cost(
        median_ms=round(median(milliseconds), 4),
        p90_ms=round(quantiles(milliseconds, n=10, method="inclusive")[-1], 4),
        n=len(milliseconds),
    )
