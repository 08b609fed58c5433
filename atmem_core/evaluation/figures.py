"""All figures of a run, from its outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from atmem_core.policy.metrics import (
    FAR,
    CaseFigures,
    LabelFigures,
    NegativeKind,
    Outcome,
    Release,
    RetrievalFigures,
    Separation,
    by,
    case_figures,
    label_figures,
    mean,
    percentile,
    release,
    retrieval,
    separation,
)
from atmem_core.policy.sweep import (
    Bin,
    SweepPoint,
    auroc,
    calibration_error,
    reliability,
    sweep_curve,
    sweep_point,
)

TARGETS = (0.90, 0.95)
"""Shares of the answerable questions that a sweep keeps."""
POOLS = {
    "far": tuple(kind for kind in NegativeKind if kind in FAR),
    "near": tuple(kind for kind in NegativeKind if kind not in FAR),
}
"""Kinds that are also swept together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One kind of negative, or a pool of kinds, against the answerable questions, by score alone."""

    name: str
    questions: int
    auroc: float | None
    points: tuple[SweepPoint, ...]
    """One for each of TARGETS."""
    curve: tuple[tuple[float, float], ...]
    """(kept, false injection), strictest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuTimes:
    """CPU time of a decision, all threads; the only figures that change from run to run."""

    decisions: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a run comes to."""

    retrieval: RetrievalFigures
    retrieval_by_label: Mapping[str, RetrievalFigures]
    release: Release
    separations: tuple[Separation, ...]
    """Kinds that occur, far ones first."""
    labels: tuple[LabelFigures, ...]
    sweeps: tuple[Sweep, ...]
    bins: tuple[Bin, ...]
    calibration_error: float | None
    cases: CaseFigures | None
    cases_by_label: Mapping[str, CaseFigures]
    cpu_ms: CpuTimes


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Everything that can be said about these outcomes."""
    answerable = [one for one in outcomes if one.negative is None]
    present = [kind for kind in NegativeKind if any(one.negative is kind for one in outcomes)]
    bins = reliability((one.score, one.top_right) for one in outcomes if one.score is not None)
    cases = {label: case_figures(group) for label, group in by(outcomes, lambda one: one.label).items()}
    return Figures(
        retrieval=retrieval(answerable),
        retrieval_by_label={
            label: retrieval(group) for label, group in by(answerable, lambda one: one.label).items()
        },
        release=release(outcomes),
        separations=tuple(separation(outcomes, kind) for kind in present),
        labels=tuple(label_figures(outcomes)),
        sweeps=tuple(_sweeps(outcomes, present)) if answerable else (),
        bins=tuple(bins),
        calibration_error=calibration_error(bins),
        cases=case_figures(outcomes),
        cases_by_label={label: found for label, found in cases.items() if found is not None},
        cpu_ms=_cpu_times([one.cpu_ms for one in outcomes]),
    )


def _sweeps(outcomes: Sequence[Outcome], present: Sequence[NegativeKind]) -> list[Sweep]:
    named: dict[str, tuple[NegativeKind, ...]] = {kind.value: (kind,) for kind in present}
    for pool, kinds in POOLS.items():
        if sum(kind in present for kind in kinds) > 1:
            named[f"{pool}, together"] = kinds
    return [_sweep(name, outcomes, kinds) for name, kinds in named.items()]


def _sweep(name: str, outcomes: Sequence[Outcome], kinds: Sequence[NegativeKind]) -> Sweep:
    far = FAR.issuperset(kinds)  # those are told apart by relevance alone, before any guard or judge
    positives = [one.score if far else one.certainty for one in outcomes if one.negative is None]
    negatives = [one.score if far else one.certainty for one in outcomes if one.negative in kinds]
    return Sweep(
        name=name,
        questions=len(negatives),
        auroc=auroc(positives, negatives),
        points=tuple(sweep_point(positives, negatives, target) for target in TARGETS),
        curve=tuple(sweep_curve(positives, negatives)),
    )


def _cpu_times(times: Sequence[float]) -> CpuTimes:
    return CpuTimes(
        decisions=len(times),
        mean=mean(times),
        p50=percentile(times, 0.50),
        p95=percentile(times, 0.95),
        p99=percentile(times, 0.99),
    )
