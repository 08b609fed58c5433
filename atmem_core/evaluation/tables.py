"""Figures as tables of text, the same on a terminal and in a file."""

from collections.abc import Iterator
from dataclasses import dataclass

from atmem_core.evaluation.figures import TARGETS, Figures
from atmem_core.policy.metrics import CaseFigures, RetrievalFigures

NOTHING = "-"
"""A share of nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTable:
    """A title, what the columns mean, and rows of text."""

    title: str
    says: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(found: Figures) -> Iterator[FigureTable]:
    """Every table that has a row, in the order in which a person reads them."""
    every = (_cases, _retrieval, _release, _separation, _labels, _sweep, _reliability, _cpu)
    for table in (one(found) for one in every):
        if table.rows:
            yield table


def percent(value: float | None) -> str:
    """A share in percent, one digit."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many digits behind the point."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def _retrieval(found: Figures) -> FigureTable:
    rows = dict(found.retrieval_by_label) if len(found.retrieval_by_label) > 1 else {}
    if found.retrieval.questions:
        rows["all"] = found.retrieval
    return FigureTable(
        title="Retrieval",
        says=(
            "The ranking, over answerable questions, in percent: evidence among the first 5 and 10, "
            "questions with any evidence among the first 1, 5 and 10, mean reciprocal rank."
        ),
        columns=("question", "count", "R@5", "R@10", "hit@1", "hit@5", "hit@10", "MRR@5"),
        rows=tuple((label, *_ranking(one)) for label, one in rows.items()),
    )


def _ranking(one: RetrievalFigures) -> tuple[str, ...]:
    shares = (one.recall_at_5, one.recall_at_10, one.hit_at_1, one.hit_at_5, one.hit_at_10, one.mrr_at_5)
    return (str(one.questions), *map(percent, shares))


def _release(found: Figures) -> FigureTable:
    one = found.release
    return FigureTable(
        title="What was injected",
        says=(
            "Precision in percent of the injected notes, over all questions and over answerable ones; "
            "answerable questions that got an answering note, and that got nothing."
        ),
        columns=("injected", "right", "precision", "on answerable", "answered", "got nothing"),
        rows=(
            (
                str(one.injected),
                str(one.right),
                percent(one.precision),
                percent(one.precision_answerable),
                percent(one.answered),
                percent(one.silent),
            ),
        ),
    )


def _separation(found: Figures) -> FigureTable:
    return FigureTable(
        title="Shipped operating point",
        says=(
            "In percent. Against unrelated and chore, kept is an answerable question whose class isn't "
            "no_useful_memory, against the others one with direct_support; rejected is a negative that isn't "
            "kept by the same measure; withheld is a negative for which nothing was injected."
        ),
        columns=("negative", "count", "kept", "rejected", "withheld"),
        rows=tuple(
            (
                one.kind.value,
                str(one.questions),
                percent(one.kept),
                percent(one.rejected),
                percent(one.withheld),
            )
            for one in found.separations
        ),
    )


def _labels(found: Figures) -> FigureTable:
    return FigureTable(
        title="By kind of question",
        says=(
            "In percent: got an answering note, got nothing, class no_useful_memory. Where nothing answers, "
            "getting nothing is right."
        ),
        columns=("question", "negative", "count", "answered", "got nothing", "no use"),
        rows=tuple(
            (
                one.label,
                "" if one.negative is None else one.negative.value,
                str(one.questions),
                percent(one.answered),
                percent(one.withheld),
                percent(one.no_use),
            )
            for one in found.labels
        ),
    )


def _sweep(found: Figures) -> FigureTable:
    heads = tuple(f"FIR@{100 * target:.0f}" for target in TARGETS)
    return FigureTable(
        title="Threshold sweep over the best score",
        says=(
            "No product's operating point: one threshold on the score alone, set on these questions to keep "
            "90 or 95 percent of the answerable ones. The score is the best relevance for kinds that should "
            "be no_useful_memory; for the others it is the best certainty (relevance, weighed with the "
            "judge's answer) of a record that no guard objects to. FIR is the share of negatives at or above "
            "it, in percent, with what was kept in brackets."
        ),
        columns=("negative", "count", "AUROC", *heads),
        rows=tuple(
            (
                one.name,
                str(one.questions),
                number(one.auroc),
                *(f"{percent(at.false_injection)} ({percent(at.kept)})" for at in one.points),
            )
            for one in found.sweeps
        ),
    )


def _reliability(found: Figures) -> FigureTable:
    error = number(found.calibration_error)
    return FigureTable(
        title="Reliability",
        says=(
            "The best candidate of every question, by its relevance: how often it answers. Average distance "
            f"of relevance and rightness: {error}."
        ),
        columns=("relevance", "count", "average", "right"),
        rows=tuple(
            (
                f"{one.low:.1f} to {one.high:.1f}",
                str(one.count),
                number(one.relevance),
                number(one.right),
            )
            for one in found.bins
            if one.count
        ),
    )


def _cases(found: Figures) -> FigureTable:
    rows = dict(found.cases_by_label)
    if found.cases is not None:
        rows["all"] = found.cases
    return FigureTable(
        title="Cases",
        says=(
            "A case passes when all that must return is injected and nothing that mustn't, in each of its "
            "turns; where nothing must return, when nothing is injected."
        ),
        columns=("case", "passed", "must return", "must not return"),
        rows=tuple((label, *_case(one)) for label, one in rows.items()),
    )


def _case(one: CaseFigures) -> tuple[str, str, str]:
    return (
        f"{one.passed} of {one.cases}",
        f"{one.returned} of {one.must_return} injected",
        f"{one.leaked} of {one.must_not_return} injected",
    )


def _cpu(found: Figures) -> FigureTable:
    one = found.cpu_ms
    return FigureTable(
        title="CPU time of a decision",
        says="Milliseconds, all threads of the process. These change from run to run.",
        columns=("decisions", "mean", "median", "95th", "99th"),
        rows=((str(one.decisions), *(number(at, 1) for at in (one.mean, one.p50, one.p95, one.p99))),),
    )
