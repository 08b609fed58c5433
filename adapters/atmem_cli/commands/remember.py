"""``atmem remember``: store a text."""

from rich.text import Text

from atmem_cli import options
from atmem_cli.opening import existing_or_new, text_or_stdin
from atmem_cli.output import console, print_json
from atmem_core import RecordKind, Remembered, Source


def remember(
    database: options.Database,
    text: options.Text,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    tag: options.Tags = None,
    kind: options.Kind = RecordKind.NOTE,
    speaker: options.Speaker = "user",
    source: options.From = Source.USER,
    trust: options.Trust = None,
    occurred_at: options.OccurredAt = None,
    valid_from: options.ValidFrom = None,
    valid_to: options.ValidTo = None,
    idempotency_key: options.IdempotencyKey = None,
    json: options.Json = False,
) -> None:
    """Store a text as it is; makes the database when it isn't there."""
    statement = text_or_stdin(text, "TEXT")
    with existing_or_new(database) as memory:
        done = memory.remember(
            statement,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            speaker=speaker,
            source=source,
            trust=trust,
            tags=tag or (),
            kind=kind,
            occurred_at=occurred_at,
            valid_from=valid_from,
            valid_to=valid_to,
            idempotency_key=idempotency_key,
        )
    show_remembered(done, json=json)


def show_remembered(done: Remembered, *, json: bool) -> None:
    """What a write did: the id first, so that it can be copied."""
    if json:
        print_json(done)
        return
    out = console()
    out.print(Text(f"stored {done.id}" if done.created else f"already stored: {done.id}"))
    if done.similar:
        out.print(Text(f"similar notes, kept apart: {', '.join(done.similar)}"))
    for code in done.degraded:
        out.print(Text(f"degraded: {code}; the note is stored all the same", style="yellow"))
