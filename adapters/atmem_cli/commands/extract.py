"""``atmem facts extract``: read facts out of a text, or out of the turns that wait."""

from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.fact_listing import print_facts
from atmem_cli.opening import existing, existing_or_new, text_or_stdin
from atmem_cli.output import console, plain, print_json
from atmem_cli.servers import OLLAMA, BaseUrl, KeyEnv, server
from atmem_core import Fact, Memory, Turn

SomeText = Annotated[
    str | None,
    typer.Argument(metavar="TEXT", help="What the person said; - reads standard input. Or give --pending."),
]
Pending = Annotated[bool, typer.Option("--pending", help="Read the turns of the subject that still wait.")]
Model = Annotated[
    str | None, typer.Option("--model", metavar="M", help="A chat model that reads; rules read without one.")
]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Most turns of one pass.")]
Session = Annotated[str, typer.Option("--session", metavar="S", help="Session that the text belongs to.")]
_WAIT_MS = 120_000


def extract(
    database: options.Database,
    text: SomeText = None,
    *,
    subject: options.Subject,
    pending: Pending = False,
    session: Session = "command line",
    speaker: options.Speaker = "user",
    model: Model = None,
    base_url: BaseUrl = OLLAMA,
    key_env: KeyEnv = None,
    limit: Limit = None,
    json: options.Json = False,
) -> None:
    """Read facts out of TEXT, which becomes a turn of a session; or with --pending out of turns that wait.

    Rules read, without a model, unless --model names one. Exit status 1 when a turn gave no facts for a
    fault; it waits for the next pass.
    """
    if pending == (text is not None):
        raise typer.BadParameter("give a text or --pending, one of them", param_hint="TEXT")
    said = None if text is None else text_or_stdin(text, "TEXT")
    opened = existing(database) if said is None else existing_or_new(database)
    with opened as memory:
        if model is not None:
            memory.sessions.extract_with(server(model, base_url, key_env))
        if said is None:
            failure = _pass(memory, subject=subject, limit=limit, json=json)
        else:
            turn = memory.sessions.finish(said, subject=subject, session=session, speaker=speaker)
            failure = _turn(memory, turn, json=json)
    if failure:
        raise typer.Exit(1)


def _pass(memory: Memory, *, subject: str, limit: int | None, json: bool) -> bool:
    run = memory.sessions.extract_pending(subject=subject, limit=limit)
    reader = memory.sessions.health().extractor
    if json:
        print_json({"extractor": reader, "run": run})
    else:
        failed = f", {run.failed} failed ({run.failure or 'see the log'})" if run.failed else ""
        console().print(
            plain(f"{reader}: {run.done} turns read, {run.facts} facts{failed}, {run.waiting} turns wait")
        )
    return run.failed > 0


def _turn(memory: Memory, turn: Turn | None, *, json: bool) -> bool:
    memory.sessions.drain(_WAIT_MS)
    health = memory.sessions.health()
    facts = [] if turn is None else _given(memory, turn)
    if json:
        print_json(
            {"extractor": health.extractor, "turn": turn, "facts": facts, "failure": health.last_failure}
        )
    elif facts:
        print_facts(facts, states=False)
    else:
        console().print(plain(f"{health.extractor}: {health.last_failure or 'no facts'}"))
    return health.failed > 0


def _given(memory: Memory, turn: Turn) -> list[Fact]:
    recent = memory.facts.list(subject=turn.scope.subject, session=turn.scope.session)
    return [fact for fact in recent if fact.source_id == turn.id]
