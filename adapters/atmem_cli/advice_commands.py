"""The commands that lessons and procedures share: list, get, recall, deprecate, vote."""

from typing import Literal

import typer

from atmem_cli import advice_listing as advice
from atmem_cli import options
from atmem_cli.opening import existing, text_or_stdin

Kind = Literal["lesson", "procedure"]


def share(app: typer.Typer, kind: Kind) -> None:
    """Give the group of one kind the commands that both have."""
    _listing(app, kind)
    _reading(app, kind)
    _changing(app, kind)


def _listing(app: typer.Typer, kind: Kind) -> None:
    name = f"{kind}s"

    @app.command("list", help=f"{name.capitalize()}, best votes first.")
    def list_advice(
        database: options.Database,
        *,
        subject: options.Subject,
        project: options.Project = None,
        all_states: advice.AllStates = False,
        limit: advice.Limit = 20,
        offset: advice.Offset = 0,
        json: options.Json = False,
    ) -> None:
        status = None if all_states else "active"
        asked = {"subject": subject, "project": project, "status": status, "limit": limit, "offset": offset}
        with existing(database) as memory:
            found = getattr(memory, name).list(**asked)
        advice.show_all(found, name, json=json)


def _reading(app: typer.Typer, kind: Kind) -> None:
    name = f"{kind}s"

    @app.command(help=f"One {kind}, whatever its state.")
    def get(
        database: options.Database,
        advice_id: advice.AdviceId,
        *,
        subject: options.Subject,
        json: options.Json = False,
    ) -> None:
        with existing(database) as memory:
            found = getattr(memory, name).get(advice_id, subject=subject)
        advice.show_one(found, json=json)

    @app.command(help=f"The {name} that a context shows for a message, best first; by words alone.")
    def recall(
        database: options.Database,
        query: options.Query,
        *,
        subject: options.Subject,
        project: options.Project = None,
        k: advice.K = 2,
        json: options.Json = False,
    ) -> None:
        asked = text_or_stdin(query, "QUERY")
        with existing(database) as memory:
            found = getattr(memory, name).recall(asked, subject=subject, project=project, k=k)
        advice.show_all(getattr(found, name), name, json=json)
        advice.show_held(found.held, json=json)


def _changing(app: typer.Typer, kind: Kind) -> None:
    name = f"{kind}s"

    @app.command(help=f"Take a {kind} out of recall; nothing is deleted.")
    def deprecate(
        database: options.Database,
        advice_id: advice.AdviceId,
        *,
        subject: options.Subject,
        json: options.Json = False,
    ) -> None:
        with existing(database) as memory:
            changed = getattr(memory, name).deprecate(advice_id, subject=subject)
        advice.show_changed(changed, json=json)

    @app.command(help=f"Say that a {kind} helped, 1, or didn't: put -- before -1.")
    def vote(
        database: options.Database,
        advice_id: advice.AdviceId,
        direction: advice.Direction,
        *,
        subject: options.Subject,
        json: options.Json = False,
    ) -> None:
        with existing(database) as memory:
            score = getattr(memory, name).vote(advice_id, direction, subject=subject)
        advice.show_score(advice_id, score, json=json)
