"""``atmem notes``: look at notes by id, close one and store what takes its place."""

from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.commands.remember import show_remembered
from atmem_cli.commands.removal import erase, forget
from atmem_cli.failures import CommandGroup
from atmem_cli.listing import print_note, print_notes
from atmem_cli.opening import existing, text_or_stdin
from atmem_cli.output import console, print_json

AllStates = Annotated[bool, typer.Option("--all", help="Superseded, expired and forgotten notes too.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most notes to list.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="Notes to leave out first.")]

app = typer.Typer(cls=CommandGroup, help="Look at notes, supersede, forget or erase them.")


@app.command("list")
def list_notes(
    database: options.Database,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    tag: options.Tags = None,
    all_states: AllStates = False,
    limit: Limit = 50,
    offset: Offset = 0,
    json: options.Json = False,
) -> None:
    """Stored notes, newest first."""
    with existing(database) as memory:
        notes = memory.notes(
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            limit=limit,
            offset=offset,
            all_states=all_states,
        )
    if json:
        print_json({"notes": notes})
    elif notes:
        print_notes(notes, states=all_states)
    else:
        console().print("no notes")


@app.command()
def get(
    database: options.Database,
    note_id: options.NoteId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """One note, whatever its state, with its whole text."""
    with existing(database) as memory:
        note = memory.get(note_id, subject=subject)
    if json:
        print_json(note)
    else:
        print_note(note)


@app.command()
def versions(
    database: options.Database,
    note_id: options.NoteId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """The chain of notes that superseded each other, oldest first."""
    with existing(database) as memory:
        chain = memory.versions(note_id, subject=subject)
    if json:
        print_json({"versions": chain})
    else:
        print_notes(chain, states=True)


@app.command()
def supersede(
    database: options.Database,
    note_id: options.NoteId,
    text: options.Text,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Close a note and store what takes its place, in one transaction."""
    statement = text_or_stdin(text, "TEXT")
    with existing(database) as memory:
        done = memory.supersede(note_id, statement, subject=subject)
    show_remembered(done, json=json)


app.command()(forget)
app.command()(erase)
