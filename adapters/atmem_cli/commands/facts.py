"""``atmem facts``: state facts, look at what holds and what held, search, forget."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.text import Text

from atmem_cli import options
from atmem_cli.commands.removal import agreed, opened_to
from atmem_cli.fact_listing import fact_state, print_facts
from atmem_cli.failures import CommandGroup, NotConfirmed
from atmem_cli.listing import PREVIEW_CHARS, plain_table
from atmem_cli.opening import existing, existing_or_new, text_or_stdin
from atmem_cli.output import console, one_line, plain, print_json
from atmem_core import Fact, FactAction, FactHits, FactWritten, Source

Entity = Annotated[str, typer.Argument(metavar="ENTITY", help="What it is about: user, a name, a thing.")]
Predicate = Annotated[str, typer.Argument(metavar="PREDICATE", help="Such as 'lives in'.")]
Value = Annotated[str, typer.Argument(metavar="OBJECT", help="The value; - reads standard input.")]
FactId = Annotated[str, typer.Argument(metavar="ID", help="Id of a fact, such as f4k2....")]
OfEntity = Annotated[str | None, typer.Option("--entity", metavar="E", help="Only facts about this entity.")]
OfPredicate = Annotated[
    str | None, typer.Option("--predicate", metavar="P", help="Only facts with this predicate.")
]
SourceId = Annotated[str | None, typer.Option("--source-id", metavar="ID", help="Turn or note that said it.")]
Supersedes = Annotated[
    str | None, typer.Option("--supersedes", metavar="ID", help="Fact that it takes the place of.")
]
Single = Annotated[
    bool | None,
    typer.Option("--single/--many", help="One value at a time, or several; else by the list of known ones."),
]
AllStates = Annotated[bool, typer.Option("--all", help="Superseded, ended and forgotten facts too.")]
When = Annotated[
    datetime,
    typer.Argument(metavar="WHEN", parser=options.instant, help="An instant: ISO 8601 with a time zone."),
]
KnownAt = Annotated[
    datetime | None,
    typer.Option(
        "--known-at",
        metavar="WHEN",
        parser=options.instant,
        help="As far as was known at this instant: ISO 8601 with a time zone.",
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most facts to list.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", help="Facts to leave out first.")]
K = Annotated[int, typer.Option("-k", "--k", metavar="N", help="Most facts to show, 1 to 50.")]
Keyword = Annotated[bool, typer.Option("--keyword", help="Search by words alone.")]

app = typer.Typer(cls=CommandGroup, help="State facts, look at what holds and what held, search, forget.")


@app.command()
def add(
    database: options.Database,
    entity: Entity,
    predicate: Predicate,
    value: Value,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    speaker: options.Speaker = "user",
    source: options.From = Source.USER,
    trust: options.Trust = None,
    valid_from: options.ValidFrom = None,
    valid_to: options.ValidTo = None,
    source_id: SourceId = None,
    supersedes: Supersedes = None,
    single: Single = None,
    json: options.Json = False,
) -> None:
    """State a fact; what it contradicts ends where it begins."""
    statement = text_or_stdin(value, "OBJECT")
    with existing_or_new(database) as memory:
        done = memory.facts.add(
            entity,
            predicate,
            statement,
            subject=subject,
            project=project,
            session=session,
            speaker=speaker,
            source=source.value,
            trust=trust,
            valid_from=valid_from,
            valid_to=valid_to,
            source_id=source_id,
            supersedes=supersedes,
            single=single,
        )
    _show_written(done, json=json)


def _show_written(done: FactWritten, *, json: bool) -> None:
    if json:
        print_json(done)
        return
    verb = {FactAction.ADD: "added", FactAction.UPDATE: "updated", FactAction.NOOP: "known"}[done.action]
    out = console()
    out.print(Text(f"{verb}: {done.id}  {one_line(done.fact.text, PREVIEW_CHARS)}"))
    for fact_id in done.closed:
        out.print(Text(f"closed: {fact_id}"))
    for note in (*done.notes, *done.degraded):
        out.print(Text(f"note: {note}", style="yellow"))


@app.command("list")
def list_facts(
    database: options.Database,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    entity: OfEntity = None,
    predicate: OfPredicate = None,
    all_states: AllStates = False,
    limit: Limit = 50,
    offset: Offset = 0,
    json: options.Json = False,
) -> None:
    """Facts that hold now, newest recorded first."""
    with existing(database) as memory:
        found = memory.facts.list(
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            entity=entity,
            predicate=predicate,
            all_states=all_states,
            limit=limit,
            offset=offset,
        )
    _show(found, states=all_states, json=json)


@app.command("as-of")
def as_of(
    database: options.Database,
    when: When,
    *,
    subject: options.Subject,
    known_at: KnownAt = None,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    entity: OfEntity = None,
    predicate: OfPredicate = None,
    limit: Limit = 50,
    offset: Offset = 0,
    json: options.Json = False,
) -> None:
    """Facts that held at an instant, as far as is known, or was known at another one."""
    with existing(database) as memory:
        found = memory.facts.as_of(
            when,
            subject=subject,
            known_at=known_at,
            project=project,
            session=session,
            agent=agent,
            entity=entity,
            predicate=predicate,
            limit=limit,
            offset=offset,
        )
    _show(found, states=False, json=json)


def _show(facts: Sequence[Fact], *, states: bool, json: bool) -> None:
    if json:
        print_json({"facts": facts})
    elif facts:
        print_facts(facts, states=states)
    else:
        console().print("no facts")


@app.command()
def search(
    database: options.Database,
    query: options.Query,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    tag: options.Tags = None,
    as_of: options.AsOf = None,
    deadline_ms: options.DeadlineMs = None,
    k: K = 10,
    keyword: Keyword = False,
    json: options.Json = False,
) -> None:
    """Rank the facts that hold by words and meaning; for looking, not for injecting."""
    asked = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        found = memory.facts.search(
            asked,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            as_of=as_of,
            deadline_ms=deadline_ms,
            k=k,
            mode="keyword" if keyword else "hybrid",
        )
    if json:
        print_json(found)
    else:
        _show_hits(found)


def _show_hits(found: FactHits) -> None:
    out = console()
    if found.hits:
        table = plain_table("score", "id", "fact")
        for hit in found.hits:
            table.add_row(f"{hit.score:.4f}", hit.fact.id, one_line(hit.fact.text, PREVIEW_CHARS))
        out.print(table)
    else:
        out.print("no facts")
    for reason in found.degraded:
        out.print(Text(f"by words alone: {reason}", style="yellow"))


@app.command()
def history(
    database: options.Database,
    fact_id: FactId,
    *,
    subject: options.Subject,
    json: options.Json = False,
) -> None:
    """The chain of facts that superseded each other, oldest first."""
    with existing(database) as memory:
        chain = memory.facts.history(fact_id, subject=subject)
    if json:
        print_json({"history": chain})
    else:
        print_facts(chain, states=True)


@app.command()
def forget(
    database: options.Database,
    fact_id: FactId,
    *,
    subject: options.Subject,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """End a fact and take it out of recall; its row stays in the file."""
    with opened_to(database, "Forget", yes=yes) as memory:
        fact = memory.facts.get(fact_id, subject=subject)
        if not yes:
            line = f"{fact.id}  {fact_state(fact)}  {one_line(fact.text, PREVIEW_CHARS)}"
            console(to_stderr=True).print(Text(line))
            if not agreed(f"Forget 1 fact of {plain(subject)}?"):
                raise NotConfirmed("not confirmed; nothing was changed (1 fact stays)")
        forgotten = memory.facts.forget(fact_id, subject=subject)
    if json:
        print_json({"id": fact_id, "forgotten": forgotten})
    else:
        said = "forgotten" if forgotten else "nothing changed: it doesn't stand any more"
        console().print(Text(f"{said}: {fact_id}"))
