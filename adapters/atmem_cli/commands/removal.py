"""``atmem notes forget`` and ``erase``: what is meant is shown first, and done after a yes."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import typer
from rich.text import Text

from atmem_cli import options
from atmem_cli.failures import NotConfirmed
from atmem_cli.listing import PREVIEW_CHARS, state, told
from atmem_cli.opening import existing
from atmem_cli.output import console, one_line, plain, print_json
from atmem_core import EraseReceipt, Forgotten, Memory, Note

_BESIDE_NOTES = ("p", "l", "r")
"""How ids of profile facts, lessons and procedures begin."""
_SHOWN = 5
"""Notes that a preview shows; it counts them all."""
_ALL = 2**31 - 1
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Exactly one way to say which notes; the facade's own keywords."""

    note_id: str | None
    session: str | None
    project: str | None
    older_than: datetime | None
    everything: bool

    def __post_init__(self) -> None:
        """Refuse before anything is opened: no selector must ever mean "all"."""
        named = (self.note_id, self.session, self.project, self.older_than)
        if sum(one is not None for one in named) + self.everything != 1:
            raise typer.BadParameter(
                "give exactly one of ID, --session, --project, --older-than and --everything",
                param_hint="selector",
            )

    def records(self, memory: Memory, subject: str) -> Iterator[Note]:
        """What it means now: notes, then facts, newest first, superseded and forgotten ones too."""
        if self.beside_notes:
            return
        if self.note_id is not None:
            yield memory.get(self.note_id, subject=subject)
            return
        offset = 0
        while page := memory.notes(
            subject=subject,
            session=self.session,
            project=self.project,
            limit=_PAGE,
            offset=offset,
            all_states=True,
        ):
            offset += len(page)
            for note in page:
                at = note.occurred_at or note.created_at
                if self.older_than is None or at < self.older_than:
                    yield note
        yield from self._facts(memory, subject)

    def turns(self, memory: Memory, subject: str) -> str:
        """How many turns of the history go with it, for a question; empty for none."""
        if self.note_id is not None:
            return ""
        if self.session is not None:
            found = len(memory.sessions.recent(subject=subject, session=self.session, limit=_ALL))
        else:
            found = memory.stats(subject).turns
        if not found:
            return ""
        exact = self.session is not None or self.everything
        return f"{'' if exact else 'up to '}{found} {'turn' if found == 1 else 'turns'}"

    @property
    def beside_notes(self) -> bool:
        """Does the id name a profile fact, a lesson or a procedure?"""
        return self.note_id is not None and self.note_id.startswith(_BESIDE_NOTES)

    def along(self, memory: Memory, subject: str) -> str:
        """Profile facts, lessons and procedures that go too, for a question; empty for none."""
        if self.beside_notes:
            return f"record {plain(str(self.note_id))}"
        if self.note_id is not None or self.session is not None:
            return ""
        counts = memory.stats(subject)
        found = counts.lessons + counts.procedures + (0 if self.project else counts.profile_facts)
        exact = "" if self.everything else "up to "
        return f"{exact}{found} profile facts, lessons and procedures" if found else ""

    def _facts(self, memory: Memory, subject: str) -> Iterator[Note]:
        offset = 0
        while page := memory.facts.list(
            subject=subject,
            session=self.session,
            project=self.project,
            limit=_PAGE,
            offset=offset,
            all_states=True,
        ):
            offset += len(page)
            for fact in page:
                record = memory.get(fact.id, subject=subject)
                at = record.occurred_at or record.created_at
                if self.older_than is None or at < self.older_than:
                    yield record


def forget(
    database: options.Database,
    note_id: options.SomeNoteId = None,
    *,
    subject: options.Subject,
    session: options.OfSession = None,
    project: options.OfProject = None,
    older_than: options.OlderThan = None,
    everything: options.Everything = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Take notes out of recall at once; their text and history stay in the file."""
    chosen = Chosen(
        note_id=note_id,
        session=session,
        project=project,
        older_than=older_than,
        everything=everything,
    )
    with opened_to(database, "Forget", yes=yes) as memory:
        meant = [note for note in chosen.records(memory, subject) if note.forgotten_at is None]
        # A session may hold turns and no record: what isn't an id always reaches the memory.
        many = chosen.note_id is None or chosen.beside_notes
        _confirm("Forget", meant, subject, also=[chosen.along(memory, subject)], yes=yes)
        done = memory.forget(subject=subject, **asdict(chosen)) if meant or many else Forgotten(ids=())
    if json:
        print_json(done)
    else:
        console().print(Text(f"forgotten: {_count(len(done.ids))}; their text stays in the file"))


def erase(
    database: options.Database,
    note_id: options.SomeNoteId = None,
    *,
    subject: options.Subject,
    session: options.OfSession = None,
    project: options.OfProject = None,
    older_than: options.OlderThan = None,
    everything: options.Everything = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Remove the bytes of notes from the whole file. This can't be undone."""
    chosen = Chosen(
        note_id=note_id,
        session=session,
        project=project,
        older_than=older_than,
        everything=everything,
    )
    with opened_to(database, "Erase", yes=yes) as memory:
        meant = list(chosen.records(memory, subject))
        many = chosen.note_id is None or chosen.beside_notes
        turns = chosen.turns(memory, subject)
        said = f"{turns} that were said" if turns else ""
        _confirm("Erase", meant, subject, also=[said, chosen.along(memory, subject)], yes=yes)
        done = memory.erase(subject=subject, **asdict(chosen)) if meant or many else EraseReceipt(ids=())
    if json:
        print_json(done)
        return
    out = console()
    out.print(Text(f"erased: {_erased(done)}"))
    if done.pending_checkpoint:
        out.print(
            Text(
                "Another process is reading, so its log still holds the bytes. "
                "They go with the next open, close or erase.",
                style="yellow",
            )
        )


def _erased(done: EraseReceipt) -> str:
    counts = done.counts
    turns = counts.get("turns", 0)
    others = counts.get("profile_facts", 0) + counts.get("advice", 0)
    said = f", {turns} of the turns that were said" if turns else ""
    beside = f", {others} profile facts, lessons and procedures" if others else ""
    return f"{_count(len(done.ids) - turns - others)}{said}{beside}"


def opened_to(database: Path, act: str, *, yes: bool) -> Memory:
    """The database, unless nobody could be asked."""
    asked = sys.stdin is not None and sys.stdin.isatty()
    if not yes and not asked:
        raise typer.BadParameter(
            f"standard input is no terminal, so nobody can be asked; add --yes to {act.lower()} "
            "without a question",
            param_hint="--yes",
        )
    return existing(database)


def _confirm(act: str, meant: list[Note], subject: str, *, also: list[str], yes: bool) -> None:
    """Show what is meant on stderr, and what goes along, and go on only after a yes.

    Raises:
        NotConfirmed: The answer was no.
    """
    along = [one for one in also if one]
    if yes or not (meant or along):
        return
    out = console(to_stderr=True)
    for note in meant[:_SHOWN]:
        line = f"{note.id}  {told(note)}  {state(note)}  {one_line(note.text, PREVIEW_CHARS)}"
        out.print(Text(line))
    if len(meant) > _SHOWN:
        out.print(Text(f"and {len(meant) - _SHOWN} more"))
    history = "".join(f", and {one}" for one in along)
    question = f"{act} {_count(len(meant))} of {plain(subject)}{history}?"
    if not agreed(question):
        raise NotConfirmed(f"not confirmed; nothing was changed ({_count(len(meant))} stay)")


def agreed(question: str) -> bool:
    """Ask on stderr: typer's own prompt writes a space to stdout, where the JSON goes."""
    print(f"{question} [y/N]: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def _count(number: int) -> str:
    return "1 note" if number == 1 else f"{number} notes"
