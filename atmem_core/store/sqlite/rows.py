"""Rows of the notes table as notes."""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import NotFound
from atmem_core.records import Note, NoteDraft, RecordKind, Scope, Source
from atmem_core.store.sqlite.asking import first

SEQUENCE_BITS = 32
LAST_SEQUENCE = (1 << SEQUENCE_BITS) - 1
NOTE_COLUMNS = (
    "notes.row, notes.id, notes.project, notes.session, notes.agent, notes.kind, notes.speaker, "
    "notes.source, notes.trust, notes.tags, notes.text, notes.content_hash, notes.occurred_at, "
    "notes.created_at, notes.valid_from, notes.valid_to, notes.superseded_by, notes.superseded_at, "
    "notes.forgotten_at, notes.archived_at, notes.use_count, notes.last_used_at"
)

BY_ID = (
    "SELECT " + NOTE_COLUMNS + " FROM notes JOIN subjects ON subjects.number = notes.subject_number "
    "WHERE notes.id = :id AND subjects.name = :subject"
)


def own_rows(number: int) -> tuple[int, int]:
    """First and last row that the subject of this number may ever use."""
    low = number << SEQUENCE_BITS
    return low, low | LAST_SEQUENCE


def to_note(row: tuple[object, ...], subject: str) -> Note:
    """The note in a row of ``NOTE_COLUMNS``."""
    (
        _, note_id, project, session, agent, kind, speaker, source, trust, tags, text, content_hash,
        occurred_at, created_at, valid_from, valid_to, superseded_by, superseded_at, forgotten_at,
        archived_at, use_count, last_used_at,
    ) = row  # fmt: skip
    return Note(
        id=text_of(note_id),
        scope=Scope(
            subject=subject, project=maybe_text(project), session=maybe_text(session), agent=maybe_text(agent)
        ),
        text=text_of(text),
        speaker=text_of(speaker),
        source=Source(text_of(source)),
        trust=float(trust),  # type: ignore[arg-type]  # a REAL column
        content_hash=text_of(content_hash),
        created_at=from_micros(created_at),  # type: ignore[arg-type]  # an INTEGER column
        kind=RecordKind(text_of(kind)),
        tags=tuple(json.loads(text_of(tags))),
        occurred_at=_moment(occurred_at),
        valid_from=_moment(valid_from),
        valid_to=_moment(valid_to),
        superseded_by=maybe_text(superseded_by),
        superseded_at=_moment(superseded_at),
        forgotten_at=_moment(forgotten_at),
        archived_at=_moment(archived_at),
        use_count=int(use_count),  # type: ignore[call-overload]  # an INTEGER column
        last_used_at=_moment(last_used_at),
    )


def text_of(value: object) -> str:
    """Never the text of something else, such as "None"."""
    if not isinstance(value, str):
        raise TypeError(f"a column of text holds {type(value).__name__}")
    return value


def maybe_text(value: object) -> str | None:
    """As ``text_of``, of a column that may hold nothing."""
    return None if value is None else text_of(value)


def _moment(value: object) -> datetime | None:
    return None if value is None else from_micros(value)  # type: ignore[arg-type]  # an INTEGER column


def checksum(note_id: str, text: str, search_text: str, content_hash: str) -> bytes:
    """CRC-32 over what must not rot, 4 bytes: SQLite's own check misses flipped content."""
    return zlib.crc32("\0".join((note_id, text, search_text, content_hash)).encode()).to_bytes(4, "big")


def by_id(connection: apsw.Connection, subject: str, note_id: str) -> tuple[int, Note]:
    """Row and note. Raises NotFound, also for another subject's id."""
    if isinstance(note_id, str):
        found = first(connection, BY_ID, {"id": note_id, "subject": subject})
        if found is not None:
            return int(found[0]), to_note(found, subject)
    raise NotFound(f"this subject has no note {note_id!r}; list them with notes()")


def values(draft: NoteDraft, row: int) -> Mapping[str, object]:
    """The named parameters of an insert."""
    moments = {
        name: None if moment is None else to_micros(moment)
        for name, moment in (
            ("occurred_at", draft.occurred_at),
            ("created_at", draft.created_at),
            ("valid_from", draft.valid_from),
            ("valid_to", draft.valid_to),
        )
    }
    return {
        "row": row,
        "id": draft.id,
        "subject_number": row >> SEQUENCE_BITS,
        "project": draft.scope.project,
        "session": draft.scope.session,
        "agent": draft.scope.agent,
        "kind": draft.kind.value,
        "speaker": draft.speaker,
        "source": draft.source.value,
        "trust": draft.trust,
        "tags": json.dumps(draft.tags, ensure_ascii=False),
        "text": draft.text,
        "content_hash": draft.content_hash,
        "checksum": checksum(draft.id, draft.text, draft.search_text, draft.content_hash),
        "dedupe_hash": draft.dedupe_hash,
        "idempotency_key": draft.idempotency_key,
        "search_text": draft.search_text,
        "token_count": draft.token_count,
        "vocabulary": json.dumps(sorted(draft.vocabulary), ensure_ascii=False),
        "restricted": int(draft.valid_from is not None or draft.valid_to is not None),
        **moments,
    }
