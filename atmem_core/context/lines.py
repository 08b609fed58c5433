"""One record, one line. Pure: the same record gives the same bytes, with a date and without a clock.

Every text of a record is escaped here; the head of a line is ours. Where a record has a shorter form it comes
second, for a budget that the longer one doesn't fit.
"""

from atmem_core.recall.render import bare, note_line, preview
from atmem_core.records import Advice, Lesson, Linked, Note, Procedure, ProfileFact
from atmem_core.text import escape

_KIND_CHARS = 40
Lines = tuple[str, ...]
"""The fullest form first."""


def recalled_line(note: Note, *, preview_chars: int) -> Lines:
    """A released note."""
    return (note_line(note, preview_chars=preview_chars),)


def linked_line(linked: Linked, *, preview_chars: int) -> Lines:
    """A neighbour, with what it hangs on."""
    tie = f"linked: {bare(linked.kind, _KIND_CHARS)} {linked.via}"
    return (note_line(linked.note, preview_chars=preview_chars, tie=tie),)


def index_line(note: Note, *, preview_chars: int) -> Lines:
    """The first line of a note, under an id that tools take."""
    told = note.occurred_at or note.created_at
    first = next((line for line in note.text.splitlines() if line.strip()), "")
    said = escape(preview(first, preview_chars))
    return (f"- [{note.id} {told:%Y-%m-%d} {note.source.value} {note.trust:.2g}] {said}",)


def profile_line(fact: ProfileFact) -> Lines:
    """A key and its value."""
    head = f"{fact.id} {fact.created_at:%Y-%m-%d} {fact.source.value} {fact.trust:.2g}"
    return (f"- [{head}] {escape(fact.key)}: {escape(fact.value)}",)


def lesson_line(lesson: Lesson) -> Lines:
    """When it applies and what it says; or when it applies alone, for a model to ask for the rest."""
    return _advice(lesson)


def procedure_line(procedure: Procedure) -> Lines:
    """When it applies and its steps; or when it applies alone."""
    return _advice(procedure)


def _advice(advice: Advice) -> Lines:
    head = f"{advice.id} {advice.created_at:%Y-%m-%d} {advice.source.value} {advice.trust:.2g}"
    pointer = f"- [{head}] {escape(advice.activation)}"
    return (f"{pointer}: {escape(advice.told)}", f"{pointer} …")
