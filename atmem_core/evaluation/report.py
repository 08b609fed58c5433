"""The report of a run: one JSON document, one page, and plots where the extra ``eval`` is installed."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from atmem_core.embedding import Embedder
from atmem_core.errors import MissingExtra
from atmem_core.evaluation.comparison import Comparison, compare_with_mem0, comparison_table
from atmem_core.evaluation.dataset import Dataset
from atmem_core.evaluation.figures import Figures, figures
from atmem_core.evaluation.model import Model
from atmem_core.evaluation.negatives import limited, with_negatives
from atmem_core.evaluation.plots import draw
from atmem_core.evaluation.run import Progress, Run, run
from atmem_core.evaluation.tables import FigureTable, tables

REPORT_FORMAT = "atmem-evaluation-v1"
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How much of a data set is used, and what is made beside it."""

    seed: int = 0
    negatives: int = 40
    """Most made negatives of each kind a store; 0 makes none."""
    limit: int | None = None
    """Most of the data set's own questions a store."""
    stores: int | None = None
    """Only the first stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Figures, and what they are of."""

    dataset: Mapping[str, object]
    settings: Mapping[str, object]
    judge: Mapping[str, object]
    figures: Figures
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types; the same run gives the same digits, but for ``cpu_ms``."""
        beside = {} if self.comparison is None else {"comparison": _plain(asdict(self.comparison))}
        return {
            "format": REPORT_FORMAT,
            "dataset": dict(self.dataset),
            "settings": dict(self.settings),
            "judge": dict(self.judge),
            "figures": _plain(asdict(self.figures)),
            **beside,
        }

    def about(self) -> list[tuple[str, str]]:
        """What was run, as a name and a text each."""
        data, judge = self.dataset, self.judge
        asked = f"{data['questions']} questions ({data['answerable']} answerable)"
        return [
            ("data set", f"{data['name']}, layout {data['layout']}, SHA-256 {str(data['sha256'])[:16]}"),
            ("size", f"{data['stores']} stores, {data['notes']} notes, {asked}"),
            ("left out", f"{data['skipped']} questions without evidence, {data['refused']} notes refused"),
            ("settings", ", ".join(f"{name} {value}" for name, value in self.settings.items())),
            ("model", str(judge["model"])),
            ("judge", f"policy {judge.get('policy')}, calibration {judge.get('calibration')}"),
        ]

    def tables(self) -> list[FigureTable]:
        """The figures, as tables."""
        beside = [] if self.comparison is None else [comparison_table(self.figures, self.comparison)]
        return [*beside, *tables(self.figures)]


def evaluate(
    dataset: Dataset,
    *,
    embedder: Embedder | str | None = "auto",
    sampling: Sampling | None = None,
    mem0: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Run the data set through a memory and report.

    Args:
        dataset: From ``read_dataset``.
        embedder: As ``Memory.open`` takes it.
        sampling: How much; all of it, with made negatives, when None.
        mem0: Put the same questions to mem0 too, which must be installed.
        progress: Called as the run goes on.

    Raises:
        InvalidInput: mem0 was asked for and can't run.
    """
    chosen = sampling or Sampling()
    some = limited(dataset, stores=chosen.stores, questions=chosen.limit, seed=chosen.seed)
    whole = with_negatives(some, count=chosen.negatives, seed=chosen.seed)
    model = Model(embedder)
    # First, since it may be refused.
    beside = compare_with_mem0(whole, model, progress=progress) if mem0 else None
    brought = run(whole, model, progress=progress)
    return Report(
        dataset=_dataset(some, brought),
        settings=asdict(chosen),
        judge=_judge(model, brought),
        figures=figures(brought.outcomes),
        comparison=beside,
    )


def _dataset(dataset: Dataset, brought: Run) -> dict[str, object]:
    return {
        "name": dataset.name,
        "layout": dataset.format.value,
        "sha256": dataset.digest,
        "stores": len(dataset.stores),
        "notes": sum(len(store.notes) for store in dataset.stores),
        "questions": len(brought.outcomes),
        "answerable": sum(one.negative is None for one in brought.outcomes),
        "skipped": dataset.skipped,
        "refused": brought.refused,
    }


def _judge(model: Model, brought: Run) -> dict[str, object]:
    identity = model.identity
    name = f"none: {model.absent}" if identity is None else f"{identity.model} by {identity.provider}"
    return {"model": name, "degraded": dict(sorted(brought.degraded.items())), **brought.judge}


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write ``report.json``, ``report.md`` and the plots into the folder, made when it isn't there.

    Returns:
        The files, plots last; no plot without the extra ``eval``, which the page then says.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document, page = folder / "report.json", folder / "report.md"
    document.write_text(json.dumps(report.to_dict(), indent=1) + "\n", encoding="utf-8")
    try:
        plots, without = draw(report.figures, folder), ""
    except MissingExtra as error:
        plots, without = [], f"No plots: {error}."
    page.write_text("\n".join(_page(report, plots, without)) + "\n", encoding="utf-8")
    return [document, page, *plots]


def _page(report: Report, plots: list[Path], without: str) -> Iterator[str]:
    yield f"# Evaluation on {report.dataset['name']}"
    yield ""
    yield from (f"- {name}: {text}" for name, text in report.about())
    for table in report.tables():
        yield from ("", f"## {table.title}", "", table.says, "")
        yield _row(table.columns)
        yield _row(["---"] * len(table.columns))
        yield from map(_row, table.rows)
    yield from ("", "## Plots", "")
    yield from (f"![{plot.stem}]({plot.name})" for plot in plots)
    if without:
        yield without


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _plain(value: object) -> object:
    """JSON types, floats rounded: the last bits of a sum aren't figures."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
