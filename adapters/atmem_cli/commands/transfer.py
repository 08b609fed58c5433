"""``atmem export`` and ``atmem import``: records out of a database and into one."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.commands.receipt import print_receipt
from atmem_cli.failures import Problems
from atmem_cli.opening import existing, existing_or_new
from atmem_cli.output import console, plain, print_json
from atmem_cli.progress import Tell, bar
from atmem_core import ImportFormat, Memory

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A file, a ZIP archive as the program sent it, or - for a stream."),
]
Format = Annotated[ImportFormat, typer.Option("--from", help="What the file is.")]
Project = Annotated[
    str | None, typer.Option("--project", metavar="P", help="Put every note into this project.")
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="A", help="Put every note to this agent.")]
Owner = Annotated[
    str | None,
    typer.Option(
        "--owner",
        metavar="ID",
        help="Whose records, in a file of several people; the first one's when not given.",
    ),
]
SkipAssistant = Annotated[bool, typer.Option("--skip-assistant", help="Leave out what assistants said.")]
IntoOtherSubject = Annotated[
    bool,
    typer.Option("--into-other-subject", help="Take an export of another subject, with ids made anew."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write to a file that isn't there yet, for your eyes only."),
]


def import_(
    database: options.Database,
    file: File,
    *,
    subject: options.Subject,
    from_: Format = ImportFormat.JSONL,
    project: Project = None,
    agent: Agent = None,
    tag: options.Tags = None,
    owner: Owner = None,
    skip_assistant: SkipAssistant = False,
    into_other_subject: IntoOtherSubject = False,
    json: options.Json = False,
) -> None:
    """Store an export, or what another program wrote; the same file again changes nothing."""
    source = sys.stdin.buffer if file == "-" else _file(file)
    with existing_or_new(database) as memory, bar("importing", quiet=json) as tell:
        receipt = memory.import_file(
            source,
            subject=subject,
            format=from_.value,
            project=project,
            agent=agent,
            tags=tag or (),
            owner=owner,
            assistant=not skip_assistant,
            into_other_subject=into_other_subject,
            progress=tell,
        )
    if json:
        print_json(receipt)
    else:
        print_receipt(receipt)
    if not receipt.whole:
        raise Problems("a part of the file wasn't stored")


def export(
    database: options.Database,
    *,
    subject: options.Subject,
    out: Out = None,
    json: options.Json = False,
) -> None:
    """All records of a subject as JSON lines, in every state; `atmem import` reads them."""
    with existing(database) as memory:
        if out is None:
            for line in memory.export_records(subject=subject):
                # The bytes: a terminal's own encoding may lack what was told.
                sys.stdout.buffer.write(line.encode() + b"\n")
            sys.stdout.buffer.flush()
            return
        with bar("exporting", quiet=json) as tell:
            count = _write(memory, subject, out, tell)
    if json:
        print_json({"path": str(out), "subject": subject, "records": count})
    else:
        console().print(plain(f"exported to {out}: {count} records of {subject}"))


def _file(name: str) -> Path:
    """Looked at before the database is made."""
    path = Path(name)
    if not path.is_file():
        raise typer.BadParameter(f"there is no file {name}", param_hint="FILE")
    return path


def _write(memory: Memory, subject: str, out: Path, tell: Tell) -> int:
    """Write beside the file and rename at the end: half an export never bears its name."""
    if out.exists():
        raise typer.BadParameter(f"{out} exists; give a path that doesn't", param_hint="--out")
    stats, count = memory.stats(subject), -2  # header and end are no records
    about = stats.notes + stats.facts
    part = out.with_name(out.name + ".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            for line in memory.export_records(subject=subject):
                file.write(line.encode() + b"\n")
                count += 1
                tell(max(count, 0), max(count, about))
        part.replace(out)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count
