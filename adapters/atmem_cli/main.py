"""``atmem``: the commands, by name."""

import sys
from typing import Annotated

import typer

from atmem_cli.commands import (
    demo,
    doctor,
    evaluate,
    extract,
    facts,
    file,
    judge,
    lessons,
    links,
    mcp,
    memory,
    notes,
    openclaw,
    procedures,
    profile,
    quarantine,
    read,
    remember,
    semantic,
    transfer,
)
from atmem_cli.failures import WRONG_USAGE, CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    # A traceback with local variables would print what people told their agents.
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the signature of an option's callback
    if wanted:
        # A tenth of the start of every other command, were it at the top.
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

        try:
            print(f"atmem {version('atmem-core')}")
        except PackageNotFoundError:
            print("atmem (a source tree that is not installed)")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def atmem(
    context: typer.Context,
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    """Long-term memory for AI agents that knows when to stay silent."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(WRONG_USAGE)


app.command()(demo.demo)
app.command()(remember.remember)
app.command()(judge.decide)
app.command()(read.recall)
app.command()(read.search)
app.command()(read.context)
app.add_typer(notes.app, name="notes")
app.add_typer(quarantine.app, name="quarantine")
app.command("eval")(evaluate.evaluate)
facts.app.command()(extract.extract)
app.add_typer(facts.app, name="facts")
app.add_typer(profile.app, name="profile")
app.add_typer(lessons.app, name="lessons")
app.add_typer(procedures.app, name="procedures")
app.add_typer(links.app, name="links")
app.command("import")(transfer.import_)
app.command("chat-import", hidden=True)(transfer.import_)
app.command()(transfer.export)
app.add_typer(semantic.app, name="semantic")
app.add_typer(memory.app, name="memory")
app.command()(doctor.doctor)
app.command()(file.verify)
app.command()(file.repair)
app.command()(file.backup)
app.command()(mcp.mcp)
app.add_typer(openclaw.app, name="openclaw")


def main() -> None:
    """Run ``atmem`` with the words of the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks is shown by its escape, not by a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="atmem")
