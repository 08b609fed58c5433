"""Arguments and options, each declared once: one name and one help text everywhere."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from atmem_core import RecordKind, Source


def instant(text: str) -> datetime:
    """An instant in ISO 8601, with a time zone: without one it has no meaning."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no time; write 2026-05-01T18:00:00Z or 2026-05-01T20:00:00+02:00"
        ) from None
    if moment.utcoffset() is None:
        raise typer.BadParameter(
            f"{text!r} has no time zone; write {moment.isoformat()}Z for UTC, or an offset"
        )
    return moment


Database = Annotated[Path, typer.Argument(metavar="DB", help="The database: one SQLite file.")]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="The question; - reads standard input.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="What to store; - reads standard input.")]
NoteId = Annotated[str, typer.Argument(metavar="ID", help="Id of a note, such as n4k2....")]
SomeNoteId = Annotated[
    str | None, typer.Argument(metavar="ID", help="Id of a note; or give one of the selectors.")
]

Subject = Annotated[
    str,
    typer.Option(
        "--subject",
        metavar="S",
        envvar="ATMEM_SUBJECT",
        help="Whose memory: a person, team or tenant.",
    ),
]
SomeSubject = Annotated[
    str | None,
    typer.Option(
        "--subject",
        metavar="S",
        envvar="ATMEM_SUBJECT",
        help="Count the records of this subject too.",
    ),
]
Project = Annotated[
    str | None, typer.Option("--project", metavar="P", help="Project, such as a working directory.")
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="S", help="Session, such as a conversation.")
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="A", help="Agent.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="Tag; repeat it for several.")]
Kinds = Annotated[
    list[RecordKind] | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help=f"Only records of this kind, of {', '.join(RecordKind)}; repeat it for several.",
    ),
]
Kind = Annotated[RecordKind, typer.Option("--kind", help="Kind of record.")]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        metavar="WHEN",
        parser=instant,
        help="What was valid and known at this instant: ISO 8601 with a time zone.",
    ),
]
DeadlineMs = Annotated[
    float | None,
    typer.Option(
        "--deadline-ms",
        metavar="MS",
        help="Do without the model's vector after so many milliseconds.",
    ),
]
AllowBackground = Annotated[bool, typer.Option("--allow-background", help="Release background context too.")]
BudgetTokens = Annotated[
    int | None,
    typer.Option("--budget-tokens", metavar="N", min=1, help="Most tokens of the rendered block."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]
Everything = Annotated[bool, typer.Option("--everything", help="Selector: all notes of the subject.")]
OfSession = Annotated[
    str | None, typer.Option("--session", metavar="S", help="Selector: notes of this session.")
]
OfProject = Annotated[
    str | None, typer.Option("--project", metavar="P", help="Selector: notes of this project.")
]
OlderThan = Annotated[
    datetime | None,
    typer.Option(
        "--older-than",
        metavar="WHEN",
        parser=instant,
        help="Selector: notes told before this instant: ISO 8601 with a time zone.",
    ),
]
Speaker = Annotated[str, typer.Option("--speaker", metavar="WHO", help="Who said it.")]
From = Annotated[Source, typer.Option("--source", help="Where it came from; sets the trust.")]
Trust = Annotated[
    float | None, typer.Option("--trust", metavar="0..1", help="Trust, instead of the source's.")
]
OccurredAt = Annotated[
    datetime | None,
    typer.Option("--occurred-at", metavar="WHEN", parser=instant, help="When it was said."),
]
ValidFrom = Annotated[
    datetime | None,
    typer.Option("--valid-from", metavar="WHEN", parser=instant, help="True from this instant."),
]
ValidTo = Annotated[
    datetime | None,
    typer.Option("--valid-to", metavar="WHEN", parser=instant, help="True until this instant."),
]
IdempotencyKey = Annotated[
    str | None,
    typer.Option("--idempotency-key", metavar="KEY", help="The same key stores once only."),
]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, errors as JSON too.")]
