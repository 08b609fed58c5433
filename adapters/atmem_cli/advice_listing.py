"""Lessons and procedures for people, and the options that their commands share."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from atmem_cli.listing import PREVIEW_CHARS, plain_table
from atmem_cli.output import console, one_line, plain, print_json
from atmem_core import Lesson, Procedure

Activation = Annotated[str, typer.Argument(metavar="WHEN", help="When it applies, at most 240 characters.")]
AdviceId = Annotated[str, typer.Argument(metavar="ID", help="Its id, such as l4k2... or r4k2....")]
Marks = Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="Tag; repeat it for several.")]
Parents = Annotated[
    list[str] | None, typer.Option("--parent", metavar="ID", help="Note that it was drawn from; repeatable.")
]
Direction = Annotated[int, typer.Argument(metavar="VOTE", help="1: it helped. -1: it didn't.", min=-1, max=1)]
AllStates = Annotated[bool, typer.Option("--all", help="Deprecated ones too.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="How many at most, 1 to 100.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="How many to leave out first.")]
K = Annotated[int, typer.Option("-k", "--k", metavar="N", help="How many at most, 1 to 10.")]


def show_all(found: Sequence[Lesson | Procedure], name: str, *, json: bool) -> None:
    """A row each, in the given order."""
    if json:
        print_json({name: found})
    elif not found:
        console().print(f"no {name}")
    else:
        table = plain_table("id", "state", "votes", "worked", "failed", "when it applies")
        for one in found:
            worth = (f"{one.vote_score:g}", str(one.success_count), str(one.failure_count))
            said = one_line(one.activation, PREVIEW_CHARS)
            table.add_row(one.id, one.status.value, *worth, said)
        console().print(table)


def show_one(advice: Lesson | Procedure, *, json: bool) -> None:
    """All of it."""
    if json:
        print_json(advice)
        return
    out = console()
    out.print(Text(f"{advice.id}  {advice.status.value}, {advice.source.value}, trust {advice.trust:g}"))
    out.print(Text(f"when: {plain(advice.activation)}"))
    if isinstance(advice, Lesson):
        out.print(Text(plain(advice.principle)))
    else:
        for number, step in enumerate(advice.steps, 1):
            tool = f"  ({plain(step.tool_hint)})" if step.tool_hint else ""
            out.print(Text(f"{number}. {plain(step.description)}{tool}"))
    for name, ids in (("parents", advice.parent_ids), ("tags", advice.tags)):
        if ids:
            out.print(Text(f"{name}: {plain(', '.join(ids))}"))


def show_held(ids: Sequence[str], *, json: bool) -> None:
    """Better matches that wait for a person's word; in JSON they aren't listed apart."""
    for one in () if json else ids:
        console().print(Text(f"held back, nobody vouched for it: {one}", style="yellow"))


def show_changed(ids: Sequence[str], *, json: bool) -> None:
    """What a deprecation changed."""
    if json:
        print_json({"deprecated": ids})
    else:
        console().print(Text(f"deprecated: {', '.join(ids)}" if ids else "nothing changed"))


def show_score(advice_id: str, score: float, *, json: bool) -> None:
    """What a vote came to."""
    if json:
        print_json({"id": advice_id, "vote_score": score})
    else:
        console().print(Text(f"votes: {score:g}  {plain(advice_id)}"))
