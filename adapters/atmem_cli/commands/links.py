"""``atmem links``: which notes belong together."""

from typing import Annotated

import typer
from rich.text import Text

from atmem_cli import options
from atmem_cli.failures import CommandGroup
from atmem_cli.listing import PREVIEW_CHARS, plain_table
from atmem_cli.opening import existing
from atmem_cli.output import console, one_line, plain, print_json
from atmem_core import LinkKind

From = Annotated[str, typer.Argument(metavar="FROM", help="Id of a note.")]
To = Annotated[str, typer.Argument(metavar="TO", help="Id of another note of the same project.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of notes to begin at.")]
OfNote = Annotated[str | None, typer.Option("--note", metavar="ID", help="Only links of this note.")]
KindOf = Annotated[LinkKind, typer.Option("--kind", help="What ties them.")]
SomeKind = Annotated[LinkKind | None, typer.Option("--kind", help="Only links of this kind.")]
Weight = Annotated[float, typer.Option("--weight", metavar="W", help="0 to 1, higher is closer.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most links, 1 to 1,000.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="Links to leave out first.")]
Depth = Annotated[int, typer.Option("--depth", metavar="N", help="Links far, 1 to 3.")]
Most = Annotated[int, typer.Option("--limit", metavar="N", help="Most neighbours, 1 to 50.")]

app = typer.Typer(cls=CommandGroup, help="Which notes belong together.")


@app.command("list")
def list_links(
    database: options.Database,
    *,
    subject: options.Subject,
    note: OfNote = None,
    limit: Limit = 500,
    offset: Offset = 0,
    json: options.Json = False,
) -> None:
    """Links, newest first."""
    with existing(database) as memory:
        found = memory.links.list(subject=subject, note_id=note, limit=limit, offset=offset)
    if json:
        print_json({"links": found})
    elif found:
        table = plain_table("from", "to", "weight", "kind")
        for link in found:
            table.add_row(link.from_id, link.to_id, f"{link.weight:g}", plain(link.kind))
        console().print(table)
    else:
        console().print("no links")


@app.command()
def add(
    database: options.Database,
    from_id: From,
    to_id: To,
    *,
    subject: options.Subject,
    kind: KindOf = LinkKind.RELATES_TO,
    weight: Weight = 1.0,
    json: options.Json = False,
) -> None:
    """Tie two notes; the same ends and kind again change the weight."""
    with existing(database) as memory:
        link = memory.links.add(from_id, to_id, subject=subject, kind=kind.value, weight=weight)
    if json:
        print_json(link)
    else:
        console().print(Text(f"linked: {link.from_id} {link.kind} {link.to_id}, weight {link.weight:g}"))


@app.command()
def remove(
    database: options.Database,
    from_id: From,
    to_id: To,
    *,
    subject: options.Subject,
    kind: SomeKind = None,
    json: options.Json = False,
) -> None:
    """Untie two notes."""
    with existing(database) as memory:
        removed = memory.links.remove(
            from_id, to_id, subject=subject, kind=None if kind is None else kind.value
        )
    if json:
        print_json({"removed": removed})
    else:
        console().print(f"removed: {removed}")


@app.command()
def expand(
    database: options.Database,
    note_ids: Ids,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    depth: Depth = 1,
    limit: Most = 12,
    json: options.Json = False,
) -> None:
    """Neighbours of notes, the nearest first: what stands beside them in a context."""
    with existing(database) as memory:
        found = memory.links.expand(
            note_ids,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            depth=depth,
            limit=limit,
        )
    if json:
        print_json({"linked": found})
    elif found:
        table = plain_table("id", "by", "from", "depth", "text")
        for one in found:
            text = one_line(one.note.text, PREVIEW_CHARS)
            table.add_row(one.note.id, plain(one.kind), one.via, str(one.depth), text)
        console().print(table)
    else:
        console().print("no neighbours")
