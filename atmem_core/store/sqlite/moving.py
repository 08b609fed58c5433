"""Moving notes and links out and in: pages by key, copies with their whole state."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import StoreError
from atmem_core.records import CopyOutcome, CopyRefused, HeldNote, ImportCode, NoteCopy, NoteDraft, NoteLink
from atmem_core.store.sqlite import adding
from atmem_core.store.sqlite.asking import Answer, every, first, sole
from atmem_core.store.sqlite.leaving import REVISE, leave_index
from atmem_core.store.sqlite.rows import (
    LAST_SEQUENCE,
    NOTE_COLUMNS,
    SEQUENCE_BITS,
    maybe_text,
    own_rows,
    text_of,
    to_note,
    values,
)

NUMBER = "SELECT number FROM subjects WHERE name = :subject"
RECORDS = (
    "SELECT (SELECT COUNT(*) FROM turns WHERE subject = :subject) + (SELECT COUNT(*) FROM notes "
    "WHERE subject_number = (SELECT number FROM subjects WHERE name = :subject)) + (SELECT COUNT(*) "
    "FROM profile_facts WHERE subject = :subject) + (SELECT COUNT(*) FROM advice WHERE subject = :subject)"
)
PAGE = (
    "SELECT " + NOTE_COLUMNS + ", notes.idempotency_key FROM notes "
    "WHERE notes.row > :after AND notes.row <= :high AND notes.kind = 'note' "
    "ORDER BY notes.row LIMIT :limit"
)
LINKS_PAGE = (
    "SELECT one.id, other.id, links.kind, links.weight, links.created_at FROM links "
    "JOIN notes AS one ON one.row = links.from_row JOIN notes AS other ON other.row = links.to_row "
    "WHERE links.from_row BETWEEN :low AND :high "
    # In a damaged file an end may be another's: that page would come again for ever.
    "AND +one.subject_number = :number AND +other.subject_number = :number "
    "AND (links.from_row, links.to_row, links.kind) > (:from_row, :to_row, :kind) "
    "ORDER BY links.from_row, links.to_row, links.kind LIMIT :limit"
)
ROW = "SELECT row FROM notes WHERE id = :id AND +subject_number = :number"
HELD = (
    "SELECT row, subject_number, content_hash, superseded_by, forgotten_at, archived_at "
    "FROM notes WHERE id = :id"
)
BY_KEY = (
    "SELECT id, dedupe_hash, superseded_by IS NULL AND forgotten_at IS NULL FROM notes "
    "WHERE subject_number = :subject_number AND idempotency_key = :idempotency_key"
)
SAME = (
    "SELECT id FROM notes WHERE subject_number = :subject_number AND dedupe_hash = :dedupe_hash "
    "AND superseded_by IS NULL AND forgotten_at IS NULL"
)
# The state goes in with the row: a superseded note may say what a current one says.
INSERT = (
    "INSERT INTO notes (row, id, subject_number, project, session, agent, kind, speaker, source, trust, "
    "tags, text, content_hash, checksum, dedupe_hash, idempotency_key, search_text, token_count, "
    "vocabulary, occurred_at, created_at, valid_from, valid_to, superseded_by, superseded_at, forgotten_at, "
    "archived_at, use_count, last_used_at, restricted) VALUES (:row, :id, :subject_number, :project, "
    ":session, :agent, :kind, :speaker, :source, :trust, :tags, :text, :content_hash, :checksum, "
    ":dedupe_hash, :idempotency_key, :search_text, :token_count, :vocabulary, :occurred_at, :created_at, "
    ":valid_from, :valid_to, :superseded_by, :superseded_at, :forgotten_at, :archived_at, :use_count, "
    ":last_used_at, :restricted)"
)
COUNT = (
    "UPDATE subjects SET next_sequence = next_sequence + 1, documents = documents + :indexed, "
    "total_length = total_length + :length, active = active + :active WHERE number = :subject_number"
)
ACTIVE = (
    "SELECT number, active, (SELECT MAX(row) FROM notes WHERE row BETWEEN number << 32 "
    "AND (number + 1 << 32) - 1) FROM subjects WHERE name = :subject"
)
CLOSE = (
    "UPDATE notes SET superseded_by = COALESCE(superseded_by, :superseded_by), "
    "superseded_at = COALESCE(superseded_at, :superseded_at), "
    "forgotten_at = COALESCE(forgotten_at, :forgotten_at), "
    "archived_at = COALESCE(archived_at, :archived_at), "
    "restricted = restricted OR :restricted WHERE row = :row"
)
REPOINT = "UPDATE notes SET superseded_by = :kept WHERE superseded_by = :id AND +subject_number = :number"
LINK = (
    "INSERT INTO links (from_row, to_row, kind, weight, created_at) "
    "VALUES (:from_row, :to_row, :kind, :weight, :created_at) ON CONFLICT DO NOTHING RETURNING from_row"
)
WRITE_STATEMENTS = {
    "number": NUMBER,
    "records": RECORDS,
    "page": PAGE,
    "links page": LINKS_PAGE,
    "row": ROW,
    "held": HELD,
    "by key": BY_KEY,
    "same": SAME,
    "insert": INSERT,
    "count": COUNT,
    "active": ACTIVE,
    "close": CLOSE,
    "repoint": REPOINT,
    "link": LINK,
}
"""What moving runs; a test reads the query plan of each."""


def count_records(connection: apsw.Connection, subject: str) -> int:
    """Notes, facts, turns, profile facts, lessons and procedures in every state; no links."""
    return int(sole(connection, RECORDS, {"subject": subject})[0])


def page_of_notes(connection: apsw.Connection, subject: str, after: int, limit: int) -> list[HeldNote]:
    """The next notes in every state, in the order of their rows."""
    low, high = _own(connection, subject)
    fields = {"after": max(after, low), "high": high, "limit": limit}
    return [
        HeldNote(row=found[0], note=to_note(found[:-1], subject), idempotency_key=maybe_text(found[-1]))
        for found in every(connection, PAGE, fields)
    ]


def page_of_links(
    connection: apsw.Connection, subject: str, after: NoteLink | None, limit: int
) -> list[NoteLink]:
    """The next links, by the rows of both ends and the kind."""
    low, high = _own(connection, subject)
    number = low >> SEQUENCE_BITS
    fields: dict[str, object] = {"low": low, "high": high, "limit": limit, "number": number}
    fields |= {"from_row": 0, "to_row": 0, "kind": ""}
    if after is not None:
        fields |= {
            "from_row": _row(connection, after.from_id, number) or 0,
            "to_row": _row(connection, after.to_id, number) or 0,
            "kind": after.kind,
        }
    return [
        NoteLink(
            from_id=text_of(one),
            to_id=text_of(other),
            kind=text_of(kind),
            weight=float(weight),
            created_at=from_micros(at),
        )
        for one, other, kind, weight, at in every(connection, LINKS_PAGE, fields)
    ]


def _own(connection: apsw.Connection, subject: str) -> tuple[int, int]:
    found = first(connection, NUMBER, {"subject": subject})
    return own_rows(found[0]) if found else (0, 0)


def _row(connection: apsw.Connection, note_id: str, number: int) -> int | None:
    found = first(connection, ROW, {"id": note_id, "number": number})
    return None if found is None else int(found[0])


def copy_notes(
    connection: apsw.Connection,
    subject: str,
    copies: Sequence[NoteCopy],
    *,
    aliases: MutableMapping[str, str],
) -> list[CopyOutcome | CopyRefused]:
    """Store each copy, or find what it repeats, inside the caller's transaction."""
    answers = []
    for copy in copies:
        pointed = aliases.get(copy.superseded_by or "", copy.superseded_by)
        answers.append(_copy(connection, subject, replace(copy, superseded_by=pointed), aliases))
    return answers


def archive_excess(connection: apsw.Connection, subject: str, *, max_notes: int | None, at: datetime) -> None:
    """Archive the least useful above the limit, never the newest."""
    found = first(connection, ACTIVE, {"subject": subject})
    if max_notes is None or found is None or found[1] <= max_notes:
        return
    number, active, newest = found
    fields = {"subject_number": number, "row": newest, "excess": active - max_notes, "at": to_micros(at)}
    connection.execute(adding.LEAST_USEFUL, fields)
    connection.execute(adding.FEWER_ACTIVE, fields)


def _copy(
    connection: apsw.Connection,
    subject: str,
    copy: NoteCopy,
    aliases: MutableMapping[str, str],
) -> CopyOutcome | CopyRefused:
    found = first(connection, NUMBER, {"subject": subject})
    number = int(found[0]) if found else 0
    held = first(connection, HELD, {"id": copy.draft.id})
    if held is not None:
        if held[1] != number or held[2] != copy.draft.content_hash:
            return CopyRefused(code=ImportCode.ID_CONFLICT, message="this id stands for another record")
        return merge_state(connection, held, copy)
    repeated = _repeated(connection, number, copy, aliases)
    if repeated is not None:
        return repeated
    insert_copy(connection, subject, copy)
    return CopyOutcome.CREATED


def _repeated(
    connection: apsw.Connection, number: int, copy: NoteCopy, aliases: MutableMapping[str, str]
) -> CopyOutcome | CopyRefused | None:
    """The answer for a copy whose key or content is there under another id."""
    draft = copy.draft
    fields = {
        "subject_number": number,
        "idempotency_key": draft.idempotency_key,
        "dedupe_hash": draft.dedupe_hash,
    }
    by_key = first(connection, BY_KEY, fields)
    if by_key is not None and by_key[1] != draft.dedupe_hash:
        return CopyRefused(
            code=ImportCode.IDEMPOTENCY_CONFLICT, message="its idempotency key was used for another text"
        )
    same = first(connection, SAME, fields) if copy.current else None
    if by_key is None and same is None:
        return None
    # To a note that isn't current nothing is pointed: the chain could become a ring.
    kept = same[0] if same else by_key[0] if by_key and by_key[2] else None
    if kept is not None:
        aliases[draft.id] = kept
        connection.execute(REPOINT, {"kept": kept, "id": draft.id, "number": number})
    return CopyOutcome.UNCHANGED


def merge_state(connection: apsw.Connection, held: Answer, copy: NoteCopy) -> CopyOutcome:
    """Close what the copy says is closed; never open anything again."""
    row, number, _, superseded, forgotten, archived = held
    told = _state(copy)
    pairs = ((superseded, "superseded_by"), (forgotten, "forgotten_at"), (archived, "archived_at"))
    if all(here is not None or told[name] is None for here, name in pairs):
        return CopyOutcome.UNCHANGED
    active = superseded is None and forgotten is None and archived is None
    if forgotten is None and copy.forgotten_at is not None:
        leave_index(connection, row, active=active)
    elif active:
        connection.execute(adding.LESS_ACTIVE, {"subject_number": number})
    connection.execute(CLOSE, {**told, "row": row, "restricted": int(not copy.current)})
    connection.execute(REVISE, {"number": number})
    return CopyOutcome.UPDATED


def insert_copy(connection: apsw.Connection, subject: str, copy: NoteCopy) -> int:
    """A new row with the copy's state; the row."""
    number, sequence = map(int, sole(connection, adding.SUBJECT, {"name": subject}))
    if sequence > LAST_SEQUENCE:
        raise StoreError("this subject has used all its sequence numbers; start another one")
    draft, row = copy.draft, number << SEQUENCE_BITS | sequence
    fields = {**values(draft, row), **_state(copy)}
    fields["restricted"] = fields["restricted"] or int(not copy.current)
    connection.execute(INSERT, fields)
    connection.executemany(adding.TAG, [{"row": row, "tag": tag} for tag in draft.tags])
    indexed = copy.forgotten_at is None
    if indexed:
        _index(connection, draft, fields)
    counted = {
        **fields,
        "indexed": int(indexed),
        "length": draft.token_count if indexed else 0,
        "active": int(copy.current and copy.archived_at is None),
    }
    connection.execute(COUNT, counted)
    return row


def _index(connection: apsw.Connection, draft: NoteDraft, fields: Mapping[str, object]) -> None:
    connection.execute(adding.INDEX, fields)
    connection.execute(adding.WORDS, fields)
    connection.executemany(adding.NEAR, [{**fields, "key": key} for key in draft.near_keys])
    connection.execute(adding.WAIT, fields)


def _state(copy: NoteCopy) -> dict[str, object]:
    """The named parameters of a copy's state."""
    moments = {
        "superseded_at": copy.superseded_at,
        "forgotten_at": copy.forgotten_at,
        "archived_at": copy.archived_at,
        "last_used_at": copy.last_used_at,
    }
    return {
        "superseded_by": copy.superseded_by,
        "use_count": copy.use_count,
        **{name: None if at is None else to_micros(at) for name, at in moments.items()},
    }


def copy_links(
    connection: apsw.Connection, subject: str, links: Sequence[NoteLink]
) -> list[CopyOutcome | CopyRefused]:
    """Tie notes that are there; a tie of the same kind stays as it is."""
    found = first(connection, NUMBER, {"subject": subject})
    number = int(found[0]) if found else 0
    return [_link(connection, number, link) for link in links]


def _link(connection: apsw.Connection, number: int, link: NoteLink) -> CopyOutcome | CopyRefused:
    ends = [_row(connection, note_id, number) for note_id in (link.from_id, link.to_id)]
    if None in ends:
        return CopyRefused(code=ImportCode.UNKNOWN_TARGET, message="links a record that isn't there")
    fields = {
        "from_row": ends[0],
        "to_row": ends[1],
        "kind": link.kind,
        "weight": link.weight,
        "created_at": to_micros(link.created_at),
    }
    made = every(connection, LINK, fields)
    return CopyOutcome.CREATED if made else CopyOutcome.UNCHANGED
