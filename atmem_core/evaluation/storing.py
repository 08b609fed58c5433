"""A store of a data set, told to a memory, note by note."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from atmem_core.errors import WriteRefused
from atmem_core.evaluation.cases import FixedClock
from atmem_core.evaluation.dataset import DatasetNote, DatasetStore, NoteStatus
from atmem_core.memory import Memory

PART_CHARS = 3_600
"""A longer note is told in parts, cut where a sentence or a word ends: a memory refuses long texts."""
_ENDS = ("\n", ". ", "? ", "! ", " ")
_INSTANT = timedelta(microseconds=1)
_LATER_THAN_HALF = 2


class CountingClock(FixedClock):
    """Stands still, and numbers its ids, so that a run repeats to the digit."""

    def __init__(self, at: datetime) -> None:
        super().__init__(at)
        self._made = 0

    def new_id(self, prefix: str) -> str:
        """``prefix`` and a count."""
        self._made += 1
        return f"{prefix}{self._made:010d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was stored."""

    ids: Mapping[str, tuple[str, ...]]
    """Key to record ids: several for a note told in parts; equal notes share one."""
    refused: int


def tell(memory: Memory, store: DatasetStore) -> Told:
    """Store every note in order, then forget those that are forgotten."""
    ids: dict[str, tuple[str, ...]] = {}
    refused = 0
    replaced = {note.supersedes for note in store.notes}
    for note in store.notes:
        over = note.status is NoteStatus.EXPIRED or (
            note.status is NoteStatus.SUPERSEDED and note.key not in replaced
        )
        try:
            # A status counts also where nothing says since when, or which note took its place.
            until = note.valid_to or (store.now - _INSTANT if over else None)
            ids[note.key] = _told(memory, note, until, ids)
        except WriteRefused:
            refused += 1
    for note in store.notes:
        if note.status is NoteStatus.FORGOTTEN:
            for record_id in ids.get(note.key, ()):
                memory.forget(record_id, subject=note.scope.subject)
    return Told(ids=ids, refused=refused)


def _told(
    memory: Memory, note: DatasetNote, until: datetime | None, ids: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    replaced = ids.get(note.supersedes, ()) if note.supersedes else ()
    scope = note.scope
    stored: list[str] = []
    for number, text in enumerate(parts(note.text)):
        done = memory.remember(
            text,
            subject=scope.subject,
            project=scope.project,
            session=scope.session,
            agent=scope.agent,
            speaker=note.speaker,
            source=note.source,
            tags=note.tags,
            occurred_at=note.occurred_at,
            valid_from=note.valid_from,
            valid_to=until,
            supersedes=replaced[number] if number < len(replaced) else None,
        )
        stored.append(done.id)
    for record_id in replaced[len(stored) :]:
        memory.forget(record_id, subject=scope.subject)  # a part too many of the older note
    return tuple(dict.fromkeys(stored))


def parts(text: str) -> list[str]:
    """The text in parts of at most PART_CHARS characters."""
    rest, found = text.strip(), []
    while len(rest) > PART_CHARS:
        head = rest[:PART_CHARS]
        cuts = (head.rfind(end) + len(end) for end in _ENDS)
        cut = next((at for at in cuts if at > PART_CHARS // _LATER_THAN_HALF), PART_CHARS)
        found.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*found, rest]
