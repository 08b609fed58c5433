"""``atmem procedures``: steps that worked."""

from typing import Annotated

import typer

from atmem_cli import advice_listing as advice
from atmem_cli import options
from atmem_cli.failures import CommandGroup
from atmem_cli.opening import existing, existing_or_new, text_or_stdin
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


@app.command("list")
def list_procedures(
    database: options.Database,
    *,
    subject: options.Subject,
    project: options.Project = None,
    all_states: advice.AllStates = False,
    limit: advice.Limit = 20,
    offset: advice.Offset = 0,
    json: options.Json = False,
) -> None:
    """Procedures, best votes first."""
    with existing(database) as memory:
        found = memory.procedures.list(
            subject=subject,
            project=project,
            status=None if all_states else "active",
            limit=limit,
            offset=offset,
        )
    advice.show_all(found, "procedures", json=json)


@app.command()
def get(
    database: options.Database,
    advice_id: advice.AdviceId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """One procedure, whatever its state."""
    with existing(database) as memory:
        found = memory.procedures.get(advice_id, subject=subject)
    advice.show_one(found, json=json)


@app.command()
def recall(
    database: options.Database,
    query: options.Query,
    *,
    subject: options.Subject,
    project: options.Project = None,
    k: advice.K = 2,
    json: options.Json = False,
) -> None:
    """The procedures that a context shows for a message, best first; by words alone."""
    asked = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        found = memory.procedures.recall(asked, subject=subject, project=project, k=k)
    advice.show_all(found.procedures, "procedures", json=json)


@app.command()
def deprecate(
    database: options.Database,
    advice_id: advice.AdviceId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Take a procedure out of recall; nothing is deleted."""
    with existing(database) as memory:
        changed = memory.procedures.deprecate(advice_id, subject=subject)
    advice.show_changed(changed, json=json)


@app.command()
def vote(
    database: options.Database,
    advice_id: advice.AdviceId,
    direction: advice.Direction,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Say that a procedure helped, 1, or didn't: put -- before -1."""
    with existing(database) as memory:
        score = memory.procedures.vote(advice_id, direction, subject=subject)
    advice.show_score(advice_id, score, json=json)
