"""``atmem memory``: care for what is derived from the records."""

from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.failures import CommandGroup, Problems
from atmem_cli.listing import plain_table
from atmem_cli.opening import existing
from atmem_cli.output import console, plain, print_json
from atmem_cli.progress import bar

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="Care for what is derived from records.")

Prune = Annotated[
    bool,
    typer.Option("--prune", help="Then delete vectors of other models, where no record lacks one."),
]


@app.callback()
def memory_() -> None:
    """Care for what is derived from records."""


@app.command()
def reindex(
    database: options.Database,
    *,
    prune: Prune = False,
    json: options.Json = False,
) -> None:
    """Embed what has no vector, by each subject's own model; exit status 1 when records are left."""
    with existing(database) as memory, bar("embedding", quiet=json) as tell:
        found = memory.semantic.reindex(prune=prune, progress=tell)
    if json:
        print_json({"subjects": found})
    else:
        table = plain_table("subject", "done", "left", "pruned", "why")
        for one in found:
            table.add_row(plain(one.subject), str(one.done), str(one.left), str(one.pruned), one.reason)
        console().print(table)
    if any(one.left or one.reason for one in found):
        raise Problems("records are left")
