"""Notes as lines, with every field, and back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import CopyRefused, HeldNote, NoteCopy, Scope
from atmem_core.remember.ingest import Telling, draft
from atmem_core.remember.redaction import cleared_telling
from atmem_core.store.protocol import Store
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import ERASED, PAGE, Answer, Arrival, refusal


class NoteTransfer:
    """See ``RecordTransfer``."""

    name = "note"

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """Notes in every state, in the order in which they were stored."""
        after = 0
        while page := store.page_of_notes(subject, after=after, limit=PAGE):
            after = page[-1].row
            yield [note_line(held) for held in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store the notes with their ids and states."""
        read = [_read(arrival, fields) for fields in lines]
        copies = [one for one in read if isinstance(one, NoteCopy)]
        stored = iter(copy_in(arrival, copies))
        return [next(stored) if isinstance(one, NoteCopy) else one for one in read]


def copy_in(arrival: Arrival, copies: Sequence[NoteCopy]) -> list[Answer]:
    """Store these in one transaction."""
    if not copies:
        return []
    return arrival.store.copy_notes(arrival.subject, copies, aliases=arrival.aliases, at=arrival.clock.now())


def note_line(held: HeldNote) -> dict[str, object]:
    """Every field of a record."""
    note = held.note
    return sparse(
        {
            "id": note.id,
            "text": note.text,
            "project": note.scope.project,
            "session": note.scope.session,
            "agent": note.scope.agent,
            "speaker": note.speaker,
            "source": note.source.value,
            "trust": note.trust,
            "kind": note.kind.value,
            "tags": note.tags,
            "created_at": note.created_at,
            "occurred_at": note.occurred_at,
            "valid_from": note.valid_from,
            "valid_to": note.valid_to,
            "superseded_by": note.superseded_by,
            "superseded_at": note.superseded_at,
            "forgotten_at": note.forgotten_at,
            "archived_at": note.archived_at,
            "use_count": note.use_count,
            "last_used_at": note.last_used_at,
            "idempotency_key": held.idempotency_key,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Who took a record's place, and when."""

    by: str | None
    at: datetime | None


def closing(arrival: Arrival, fields: Fields) -> Closing:
    """Both or neither. Raises InvalidInput."""
    by, at = fields.maybe_name("superseded_by"), fields.moment("superseded_at")
    if (by is None) != (at is None):
        raise InvalidInput("superseded_by", "goes with superseded_at")
    return Closing(by=arrival.maybe_id(by), at=at)


def own_id(arrival: Arrival, fields: Fields) -> str:
    """The record's id, which isn't its successor's. Raises InvalidInput."""
    given = fields.name("id")
    if given in {fields.maybe_name("superseded_by"), ERASED}:
        raise InvalidInput("id", "is that of its successor, or stands for what was erased")
    return arrival.id(given)


def _read(arrival: Arrival, fields: Fields) -> NoteCopy | CopyRefused:
    try:
        return _copy(arrival, fields)
    except (InvalidInput, WriteRefused) as error:
        return refusal(error)


def _copy(arrival: Arrival, fields: Fields) -> NoteCopy:
    scope = Scope(
        subject=arrival.subject,
        project=fields.maybe_name("project"),
        session=fields.maybe_name("session"),
        agent=fields.maybe_name("agent"),
    )
    telling = Telling(
        text=fields.text("text"),
        scope=scope,
        speaker=fields.name("speaker"),
        source=fields.text("source"),
        trust=fields.number("trust"),
        tags=fields.texts("tags"),
        kind=fields.maybe_text("kind") or "note",
        occurred_at=fields.moment("occurred_at"),
        valid_from=fields.moment("valid_from"),
        valid_to=fields.moment("valid_to"),
        idempotency_key=fields.maybe_name("idempotency_key"),
    )
    closed = closing(arrival, fields)
    return NoteCopy(
        draft=replace(
            draft(cleared_telling(telling, arrival.redaction), arrival.clock),
            id=own_id(arrival, fields),
            created_at=fields.sure_moment("created_at"),
        ),
        superseded_by=closed.by,
        superseded_at=closed.at,
        forgotten_at=fields.moment("forgotten_at"),
        archived_at=fields.moment("archived_at"),
        use_count=fields.whole("use_count"),
        last_used_at=fields.moment("last_used_at"),
    )
