"""``atmem quarantine``: notes that command the assistant, for a person to confirm or to turn away."""

from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.failures import CommandGroup
from atmem_cli.listing import PREVIEW_CHARS, plain_table, told
from atmem_cli.opening import existing
from atmem_cli.output import console, one_line, print_json

Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most notes to list.")]

app = typer.Typer(cls=CommandGroup, help="Look at notes that command the assistant; confirm or reject them.")


@app.command("list")
def list_suspects(
    database: options.Database,
    *,
    subject: options.Subject,
    limit: Limit = 50,
    json: options.Json = False,
) -> None:
    """Notes that command their reader and that nobody confirmed, newest first."""
    with existing(database) as memory:
        suspects = memory.quarantine.list(subject=subject, limit=limit)
    if json:
        print_json({"suspects": suspects})
        return
    if not suspects:
        console().print("no notes that command the assistant")
        return
    table = plain_table("id", "told", "source", "held", "shape", "text")
    for one in suspects:
        held = "quarantined" if one.quarantined else "background"
        shape = ", ".join(flag.value for flag in one.flags)
        note = one.note
        text = one_line(note.text, PREVIEW_CHARS)
        table.add_row(note.id, told(note), note.source.value, held, shape, text)
    console().print(table)


@app.command()
def confirm(
    database: options.Database,
    note_id: options.NoteId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Let a note through: its trust becomes 1, and it counts as any other."""
    with existing(database) as memory:
        note = memory.quarantine.confirm(note_id, subject=subject)
    if json:
        print_json(note)
    else:
        console().print(f"confirmed {note.id}")


@app.command()
def reject(
    database: options.Database,
    note_id: options.NoteId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Turn a note away: it is forgotten and stays readable by its id until it is erased."""
    with existing(database) as memory:
        done = memory.quarantine.reject(note_id, subject=subject)
    if json:
        print_json({"ids": done.ids})
    else:
        console().print(f"rejected {', '.join(done.ids)}")
