"""``atmem eval``: how good is it, on labelled questions?"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from atmem_cli import embedders, options
from atmem_cli.commands import gate
from atmem_cli.listing import pairs, plain_table
from atmem_cli.output import console, plain, print_json

if TYPE_CHECKING:
    from atmem_core.evaluation import Dataset, FigureTable, Report, Sampling

_AUTO = "auto"
LAYOUTS = (_AUTO, "locomo", "squad", "xquad", "longmemeval", "jsonl", "precision", "stores")
"""What --format takes. Written out, since the evaluation would be a fifth of every other command's start."""


def layout(text: str) -> str:
    """One of LAYOUTS."""
    if text not in LAYOUTS:
        raise typer.BadParameter(f"{text!r} is none of {', '.join(LAYOUTS)}")
    return text


class System(StrEnum):
    """What --compare takes."""

    MEM0 = "mem0"


DatasetName = Annotated[
    str | None,
    typer.Argument(
        metavar="DATASET",
        help="A file of labelled questions, or a folder of such files; may be left out with --compare. "
        "The word gate runs the gate; a file of that name is ./gate.",
    ),
]
InFormat = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="|".join(LAYOUTS),
        parser=layout,
        help="Layout of the data set; auto looks at the content.",
    ),
]
Paragraphs = Annotated[
    Path | None,
    typer.Option(
        "--paragraphs",
        metavar="FILE",
        help="XQuAD: store the paragraphs of this file, ask DATASET's questions.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write report.json, report.md and plots into this folder."),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="At most N of the data set's own questions a store."),
]
Stores = Annotated[int | None, typer.Option("--stores", metavar="N", min=1, help="Only the first N stores.")]
Negatives = Annotated[
    int,
    typer.Option(
        "--negatives",
        metavar="N",
        min=0,
        help="Make at most N questions of each kind that nothing answers a store; 0 makes none.",
    ),
]
Compare = Annotated[
    System | None,
    typer.Option("--compare", help="Put the same questions to another system, which must be installed."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Another seed samples other questions.")]


def evaluate(
    context: typer.Context,
    dataset: DatasetName = None,
    *,
    format: InFormat = _AUTO,
    paragraphs: Paragraphs = None,
    out: Out = None,
    embedder: embedders.Option = embedders.Choice.AUTO,
    limit: Limit = None,
    stores: Stores = None,
    negatives: Negatives = 40,
    seed: Seed = 0,
    compare: Compare = None,
    json: options.Json = False,
) -> None:
    """Store a labelled data set in memory, ask its questions, and report retrieval and abstention.

    `atmem eval gate` asks whether a model's cosines can support a decision; exit status 1 when they can't.
    """
    if dataset == gate.NAME:
        gate.gate(embedder, context, json=json)
        return
    from atmem_core import evaluation  # noqa: PLC0415 - see LAYOUTS

    read = _read(dataset, format, paragraphs, compare)
    sampling = evaluation.Sampling(seed=seed, negatives=negatives, limit=limit, stores=stores)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # before the work, since it may fail
    report = _run(read, sampling, embedder, mem0=compare is System.MEM0, quiet=json)
    written = [] if out is None else evaluation.write_report(report, out)
    if json:
        print_json(report.to_dict())
    else:
        _print(report, written)


def _read(dataset: str | None, layout: str, paragraphs: Path | None, compare: System | None) -> "Dataset":
    from atmem_core import evaluation  # noqa: PLC0415 - see LAYOUTS

    if dataset is None and compare is None:
        raise typer.BadParameter("give a file or a folder of labelled questions", param_hint="DATASET")
    path = evaluation.pinned_data() if dataset is None else Path(dataset)
    chosen = None if layout == _AUTO else evaluation.Format(layout)
    return evaluation.read_dataset(path, layout=chosen, paragraphs=paragraphs)


def _run(
    read: "Dataset", sampling: "Sampling", embedder: embedders.Choice, *, mem0: bool, quiet: bool
) -> "Report":
    from atmem_core import evaluation  # noqa: PLC0415 - see LAYOUTS

    with _bar(quiet=quiet) as show:
        return evaluation.evaluate(
            read,
            embedder=embedders.for_memory(embedder),
            sampling=sampling,
            mem0=mem0,
            progress=lambda now: show(now.done, now.total, now.store),
        )


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """A bar over notes and questions, on a terminal only."""
    out = console(to_stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True, disable=quiet or not out.is_terminal) as bar:
        task = bar.add_task("reading", total=None)

        def show(done: int, total: int, store: str) -> None:
            bar.update(task, description=plain(store), completed=done, total=total)

        yield show


def _print(report: "Report", written: list[Path]) -> None:
    out = console()
    out.print(pairs((name, plain(text)) for name, text in report.about()))
    for table in report.tables():
        out.print()
        out.print(Text(table.title, style="bold"))
        out.print(_rich(table))
        out.print(Text(table.says, style="bright_black"))
    for path in written:
        out.print(f"written: {path}")
    if written and not any(path.suffix == ".png" for path in written):
        out.print("no plots: they need matplotlib; pip install 'atmem-core[eval]'")


def _rich(table: "FigureTable") -> Table:
    found = plain_table(*table.columns)
    for row in table.rows:
        found.add_row(*map(plain, row))
    return found
