"""``atmem procedures``: steps that worked."""

from typing import Annotated

import typer

from atmem_cli import advice_commands, options
from atmem_cli import advice_listing as advice
from atmem_cli.failures import CommandGroup
from atmem_cli.opening import existing_or_new
from atmem_core import Source

Steps = Annotated[list[str], typer.Argument(metavar="STEP...", help="2 to 8 steps, in their order.")]
Lessons = Annotated[
    list[str] | None, typer.Option("--lesson", metavar="ID", help="Lesson that it goes with; repeatable.")
]

app = typer.Typer(cls=CommandGroup, help="Steps that worked: told, never carried out.")


@app.command()
def add(
    database: options.Database,
    activation: advice.Activation,
    steps: Steps,
    *,
    subject: options.Subject,
    project: options.Project = None,
    tag: advice.Marks = None,
    parent: advice.Parents = None,
    lesson: Lessons = None,
    source: options.From = Source.USER,
    trust: options.Trust = None,
    json: options.Json = False,
) -> None:
    """Store a procedure."""
    with existing_or_new(database) as memory:
        procedure = memory.procedures.add(
            activation,
            steps,
            subject=subject,
            project=project,
            tags=tag or (),
            parent_ids=parent or (),
            lesson_ids=lesson or (),
            source=source.value,
            trust=trust,
        )
    advice.show_one(procedure, json=json)


advice_commands.share(app, "procedure")
