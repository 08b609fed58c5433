"""``atmem lessons``: what several notes taught."""

from typing import Annotated

import typer
from rich.text import Text

from atmem_cli import advice_commands, options
from atmem_cli import advice_listing as advice
from atmem_cli.failures import CommandGroup
from atmem_cli.opening import existing, existing_or_new, text_or_stdin
from atmem_cli.output import console, print_json
from atmem_cli.progress import bar
from atmem_cli.servers import OLLAMA, BaseUrl, KeyEnv, server
from atmem_core import ConsolidationReport, Source

Principle = Annotated[
    str, typer.Argument(metavar="PRINCIPLE", help="What to do and why; - reads standard input.")
]
Model = Annotated[str, typer.Option("--model", metavar="M", help="The chat model that is asked.")]
MinCluster = Annotated[
    int, typer.Option("--min-cluster", metavar="N", help="Fewest notes of a cluster.", min=2)
]
Most = Annotated[int, typer.Option("--most", metavar="N", help="Most clusters of this pass.", min=1)]

app = typer.Typer(cls=CommandGroup, help="What several notes taught: told, never carried out.")


@app.command()
def add(
    database: options.Database,
    activation: advice.Activation,
    principle: Principle,
    *,
    subject: options.Subject,
    project: options.Project = None,
    tag: advice.Marks = None,
    parent: advice.Parents = None,
    source: options.From = Source.USER,
    trust: options.Trust = None,
    json: options.Json = False,
) -> None:
    """Store a lesson."""
    told = text_or_stdin(principle, "PRINCIPLE")
    with existing_or_new(database) as memory:
        lesson = memory.lessons.add(
            activation,
            told,
            subject=subject,
            project=project,
            tags=tag or (),
            parent_ids=parent or (),
            source=source.value,
            trust=trust,
        )
    advice.show_one(lesson, json=json)


advice_commands.share(app, "lesson")


@app.command()
def consolidate(
    database: options.Database,
    *,
    subject: options.Subject,
    model: Model,
    project: options.Project = None,
    min_cluster: MinCluster = 3,
    most: Most = 5,
    base_url: BaseUrl = OLLAMA,
    key_env: KeyEnv = None,
    json: options.Json = False,
) -> None:
    """Draw a lesson and a procedure from each cluster of linked notes with a tag in common.

    The notes leave the index of contexts and stay recallable. Exit status 1 when a cluster gave nothing for a
    fault; it is as it was, and waits for the next pass.
    """
    with existing(database) as memory, bar("clusters", quiet=json) as progress:
        report = memory.lessons.consolidate(
            server(model, base_url, key_env),
            subject=subject,
            project=project,
            min_cluster=min_cluster,
            most_clusters=most,
            progress=progress,
        )
    if json:
        print_json(report)
    else:
        _show(report)
    if any(one.failure and one.failure != "nothing_learned" for one in report.clusters):
        raise typer.Exit(1)


def _show(report: ConsolidationReport) -> None:
    out = console()
    for one in report.clusters:
        made = ", ".join(made for made in (one.lesson_id, one.procedure_id) if made)
        said = made or f"nothing: {one.failure}"
        out.print(Text(f"{len(one.note_ids)} notes: {said}; {one.archived} archived"))
    counts = (len(report.clusters), report.left, len(report.deprecated))
    out.print("{} clusters, {} left; {} lessons and procedures deprecated".format(*counts))
