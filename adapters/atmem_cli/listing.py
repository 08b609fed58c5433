"""Notes and small tables for people."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from atmem_cli.output import console, one_line, plain
from atmem_core import Note

PREVIEW_CHARS = 160


def told(note: Note) -> str:
    """The day it was said, or else stored, in UTC."""
    return f"{note.occurred_at or note.created_at:%Y-%m-%d}"


def state(note: Note) -> str:
    """Where the note is in its life, besides its validity."""
    if note.forgotten_at is not None:
        return "forgotten"
    if note.superseded_by is not None:
        return "superseded"
    return "archived" if note.archived_at is not None else "current"


def print_notes(notes: Sequence[Note], *, states: bool = False) -> None:
    """One row a note, in the given order."""
    table = plain_table("id", "told", "speaker", "text")
    if states:
        table.add_column("state", no_wrap=True)
    for note in notes:
        row = [note.id, told(note), plain(note.speaker), one_line(note.text, PREVIEW_CHARS)]
        table.add_row(*row, *([state(note)] if states else []))
    console().print(table)


def plain_table(*columns: str) -> Table:
    """A table whose last column takes what room is left; the ones before are never cut."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns[:-1]:
        table.add_column(name, no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    return table


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values under each other."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


def print_note(note: Note) -> None:
    """Everything about one note, then its whole text."""
    places = {
        "project": note.scope.project,
        "session": note.scope.session,
        "agent": note.scope.agent,
    }
    moments = {
        "occurred": note.occurred_at,
        "stored": note.created_at,
        "valid from": note.valid_from,
        "valid to": note.valid_to,
        "superseded": note.superseded_at,
        "forgotten": note.forgotten_at,
    }
    rows = [("id", note.id), ("state", state(note)), ("subject", plain(note.scope.subject))]
    rows += [(name, plain(value)) for name, value in places.items() if value is not None]
    rows += [
        ("speaker", plain(note.speaker)),
        ("source", f"{note.source.value}, trust {note.trust}"),
    ]
    rows += [("tags", plain(", ".join(note.tags)))] if note.tags else []
    rows += [(name, _moment(value)) for name, value in moments.items() if value is not None]
    rows += [("superseded by", note.superseded_by)] if note.superseded_by else []
    out = console()
    out.print(pairs(rows))
    out.print()
    out.print(Text("\n".join(plain(line) for line in note.text.split("\n"))))


def _moment(value: datetime) -> str:
    return value.isoformat(sep=" ", timespec="seconds")
