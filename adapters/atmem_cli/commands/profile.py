"""``atmem profile``: what is always, or by its keywords, worth knowing about a subject."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from atmem_cli import options
from atmem_cli.commands.removal import agreed, opened_to
from atmem_cli.failures import CommandGroup, NotConfirmed
from atmem_cli.listing import PREVIEW_CHARS, plain_table
from atmem_cli.opening import existing, existing_or_new, text_or_stdin
from atmem_cli.output import console, one_line, plain, print_json
from atmem_core import ProfileFact, Source

Key = Annotated[str, typer.Argument(metavar="KEY", help="Letters, digits and _ . - such as diet.")]
Value = Annotated[str, typer.Argument(metavar="VALUE", help="The value; - reads standard input.")]
Unpinned = Annotated[
    bool, typer.Option("--unpinned", help="Show it only when a message holds one of the keywords.")
]
Keywords = Annotated[
    list[str] | None, typer.Option("--keyword", metavar="W", help="Keyword; repeat it for several.")
]
Instead = Annotated[
    str | None, typer.Option("--supersedes-key", metavar="KEY", help="Another key that this one replaces.")
]
Direction = Annotated[int, typer.Argument(metavar="VOTE", help="1: it helped. -1: it didn't.", min=-1, max=1)]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most facts to list.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="Facts to leave out first.")]

app = typer.Typer(cls=CommandGroup, help="What is always, or by its keywords, worth knowing about a subject.")


@app.command("set")
def set_value(
    database: options.Database,
    key: Key,
    value: Value,
    *,
    subject: options.Subject,
    unpinned: Unpinned = False,
    keyword: Keywords = None,
    source: options.From = Source.USER,
    trust: options.Trust = None,
    supersedes_key: Instead = None,
    json: options.Json = False,
) -> None:
    """Give a key a value; the one before stays in its history."""
    told = text_or_stdin(value, "VALUE")
    with existing_or_new(database) as memory:
        done = memory.profile.set(
            key,
            told,
            subject=subject,
            pinned=not unpinned,
            keywords=keyword or (),
            source=source.value,
            trust=trust,
            supersedes_key=supersedes_key,
        )
    if json:
        print_json(done)
        return
    out = console()
    out.print(Text(f"set: {done.id}  {_said(done.fact)}"))
    for name, ids in (("closed", done.closed), ("gave way", done.dropped)):
        for one in ids:
            out.print(Text(f"{name}: {one}"))


def _said(fact: ProfileFact) -> str:
    return f"{plain(fact.key)}: {one_line(fact.value, PREVIEW_CHARS)}"


@app.command()
def get(
    database: options.Database, key: Key, *, subject: options.Subject, json: options.Json = False
) -> None:
    """The value of a key."""
    with existing(database) as memory:
        fact = memory.profile.get(key, subject=subject)
    if json:
        print_json(fact)
    else:
        print(plain(fact.value))


@app.command("list")
def list_facts(
    database: options.Database,
    *,
    subject: options.Subject,
    limit: Limit = 500,
    offset: Offset = 0,
    json: options.Json = False,
) -> None:
    """The value of each key."""
    with existing(database) as memory:
        found = memory.profile.list(subject=subject, limit=limit, offset=offset)
    _show(found, json=json)


@app.command()
def history(
    database: options.Database, key: Key, *, subject: options.Subject, json: options.Json = False
) -> None:
    """Every value that a key had, oldest first."""
    with existing(database) as memory:
        found = memory.profile.history(key, subject=subject)
    _show(found, json=json)


def _show(facts: Sequence[ProfileFact], *, json: bool) -> None:
    if json:
        print_json({"profile": facts})
        return
    if not facts:
        console().print("no profile facts")
        return
    table = plain_table("id", "since", "state", "shown", "votes", "value")
    for one in facts:
        state = "current" if one.current else "superseded"
        shown = "always" if one.pinned else ", ".join(map(plain, one.keywords)) or "never"
        table.add_row(one.id, f"{one.created_at:%Y-%m-%d}", state, shown, f"{one.vote_score:g}", _said(one))
    console().print(table)


@app.command()
def recall(
    database: options.Database,
    query: options.Query,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """The facts that a context shows for a message."""
    asked = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        found = memory.profile.recall(asked, subject=subject)
    if json:
        print_json(found)
        return
    _show(found.facts, json=False)
    for name, ids in (("hidden for its votes", found.voted_down), ("held back: it commands", found.held)):
        for one in ids:
            console().print(Text(f"{name}: {one}", style="yellow"))


@app.command()
def vote(
    database: options.Database,
    key: Key,
    direction: Direction,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """Say that a fact helped, 1, or didn't: put -- before -1."""
    with existing(database) as memory:
        fact = memory.profile.vote(key, direction, subject=subject)
    if json:
        print_json(fact)
    else:
        console().print(Text(f"votes: {fact.vote_score:g}  {_said(fact)}"))


@app.command()
def remove(
    database: options.Database,
    key: Key,
    *,
    subject: options.Subject,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Delete the value of a key; earlier ones stay in its history."""
    with opened_to(database, "Remove", yes=yes) as memory:
        fact = memory.profile.get(key, subject=subject)
        if not yes:
            console(to_stderr=True).print(Text(_said(fact)))
            if not agreed(f"Remove this from the profile of {plain(subject)}?"):
                raise NotConfirmed("not confirmed; nothing was changed")
        removed = memory.profile.remove(key, subject=subject)
    if json:
        print_json({"key": key, "removed": removed})
    else:
        console().print(Text(f"removed: {plain(key)}"))
