"""Another system's figures beside ours, on the same questions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import Dataset
from atmem_core.evaluation.figures import Figures, figures
from atmem_core.evaluation.mem0_oss import ask_mem0, installed_version, manifest, optional_parts
from atmem_core.evaluation.model import Model
from atmem_core.evaluation.run import Progress
from atmem_core.evaluation.tables import FigureTable, number, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the other system was, and what it came to."""

    manifest: str
    version: str
    """Installed; the figures are its."""
    optional_parts: tuple[str, ...]
    """Installed packages that it does more with."""
    pinned_version: str
    pinned_data: bool
    """Are the questions those that the manifest names?"""
    settings: dict[str, object]
    figures: Figures


def compare_with_mem0(
    dataset: Dataset, model: Model, *, progress: Callable[[Progress], None] | None = None
) -> Comparison:
    """Put the data set's questions to mem0.

    Raises:
        InvalidInput: mem0 isn't installed, or there is no model to embed with.
    """
    pinned, version = manifest(), installed_version()
    if model.embedder is None:
        raise InvalidInput("compare", f"mem0 compares vectors, and there is no model: {model.absent}")
    return Comparison(
        manifest=pinned.name,
        version=version,
        optional_parts=optional_parts(),
        pinned_version=pinned.version,
        pinned_data=dataset.digest == pinned.data_sha256,
        settings=dict(pinned.settings),
        figures=figures(ask_mem0(dataset, model.embedder, progress=progress)),
    )


def comparison_table(ours: Figures, other: Comparison) -> FigureTable:
    """Figures side by side."""
    theirs = f"mem0 {other.version}"
    pinned = (
        f"Manifest {other.manifest}: version {other.pinned_version}"
        f"{'' if other.version == other.pinned_version else ', which is not what ran'}; the pinned data"
        f"{'' if other.pinned_data else ' is not what ran'}."
    )
    return FigureTable(
        title=f"Beside {theirs}",
        says=(
            f"In percent, but for AUROC and time. {pinned} Texts as they are, the same embedder, no language "
            f"model; the first {other.settings['injected']} above mem0's threshold count as injected. "
            f"Optional parts of mem0 that are installed: {', '.join(other.optional_parts) or 'none'}."
        ),
        columns=("figure", "atmem", theirs),
        rows=tuple(_rows(ours, other.figures)),
    )


def _rows(ours: Figures, theirs: Figures) -> Iterator[tuple[str, str, str]]:
    both = (ours, theirs)
    yield ("R@5", *_pair(percent(one.retrieval.recall_at_5) for one in both))
    yield ("R@10", *_pair(percent(one.retrieval.recall_at_10) for one in both))
    yield ("MRR@5", *_pair(percent(one.retrieval.mrr_at_5) for one in both))
    yield ("precision of what was injected", *_pair(percent(one.release.precision) for one in both))
    yield ("answerable: answered", *_pair(percent(one.release.answered) for one in both))
    for mine, other in zip(ours.separations, theirs.separations, strict=True):
        yield (f"{mine.kind}: withheld", percent(mine.withheld), percent(other.withheld))
    for sweep, their_sweep in zip(ours.sweeps, theirs.sweeps, strict=True):
        yield (f"{sweep.name}: AUROC", number(sweep.auroc), number(their_sweep.auroc))
    yield ("CPU time of a query, median ms", *_pair(number(one.cpu_ms.p50, 1) for one in both))


def _pair(texts: Iterator[str]) -> tuple[str, str]:
    first, second = texts
    return first, second
