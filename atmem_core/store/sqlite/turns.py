"""Turns of sessions on SQLite. Erasing them happens with the erasing of records, in its transaction."""

from collections.abc import Mapping, Sequence

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import WriteRefused
from atmem_core.records import (
    EraseReceipt,
    ExtractionJob,
    ExtractionState,
    Role,
    Scope,
    Selector,
    Source,
    Turn,
)
from atmem_core.store.sqlite import leaving
from atmem_core.store.sqlite.asking import Answer, every, first, sole
from atmem_core.store.sqlite.connections import Connections
from atmem_core.store.sqlite.rows import maybe_text, text_of
from atmem_core.store.sqlite.turn_upkeep import turn_checksum
from atmem_core.store.turn_protocol import TurnDraft

COLUMNS = (
    "turns.id, turns.subject, turns.project, turns.session, turns.agent, turns.role, turns.speaker, "
    "turns.source, turns.text, turns.created_at, turns.answers, turns.extraction, turns.idempotency_key"
)
INSERT = (
    "INSERT INTO turns (id, subject, session, project, agent, role, speaker, source, text, search_text, "
    "created_at, answers, idempotency_key, extraction, checksum) VALUES (:id, :subject, :session, :project, "
    ":agent, :role, :speaker, :source, :text, :search_text, :created_at, :answers, :idempotency_key, "
    ":extraction, :checksum)"
)
SAME_KEY = "SELECT " + COLUMNS + " FROM turns WHERE subject = :subject AND idempotency_key = :idempotency_key"
RECENT = (
    "SELECT " + COLUMNS + " FROM turns WHERE subject = :subject AND session = :session "
    "ORDER BY created_at DESC, row DESC LIMIT :limit"
)
TEXTS = (
    "SELECT id, search_text FROM turns WHERE subject = :subject AND session = :session "
    "ORDER BY created_at DESC, row DESC"
)
BY_ID = "SELECT " + COLUMNS + " FROM turns WHERE id = :id AND subject = :subject"
_JOB = (
    "SELECT turns.row, turns.id, turns.subject, turns.project, turns.session, turns.agent, turns.text, "
    "COALESCE((SELECT reply.text FROM turns AS reply WHERE reply.answers = turns.id "
    "ORDER BY reply.row LIMIT 1), ''), "
    "turns.created_at, turns.speaker, turns.source FROM turns WHERE turns.extraction = 'pending' "
    "AND turns.row > :after "
)
PENDING = _JOB + "ORDER BY turns.row LIMIT :limit"
PENDING_OF = _JOB + "AND turns.subject = :subject ORDER BY turns.row LIMIT :limit"
SETTLE = "UPDATE turns SET extraction = :state WHERE id = :id AND extraction <> 'none'"
ATTEMPTED = (
    "UPDATE turns SET attempts = attempts + 1, "
    "extraction = CASE WHEN attempts + 1 >= :most THEN 'failed' ELSE extraction END "
    "WHERE id = :id AND extraction = 'pending' RETURNING extraction"
)
_RELEASE = "UPDATE turns SET extraction = 'none' WHERE subject = :subject AND extraction = 'pending' "
_DELETE = "DELETE FROM turns WHERE subject = :subject "
_CHOSEN = {
    # With the answer, which may repeat what was said.
    "note_id": "AND (id = :note_id OR answers = :note_id)",
    "session": "AND session = :session",
    "project": "AND project = :project",
    "older_than": "AND created_at < :older_than",
    "everything": "",
}
RELEASES = {name: _RELEASE + chosen for name, chosen in _CHOSEN.items()}
DELETES = {name: _DELETE + chosen + " RETURNING id" for name, chosen in _CHOSEN.items()}
SAID = (
    "SELECT notes.id FROM facts JOIN notes ON notes.row = facts.row WHERE facts.source_id = :turn_id "
    "AND facts.subject_number = (SELECT number FROM subjects WHERE name = :subject)"
)
COUNTS = (
    "SELECT extraction, COUNT(*) FROM turns WHERE :subject IS NULL OR subject = :subject GROUP BY extraction"
)
WRITE_STATEMENTS = {
    "insert": INSERT,
    "same key": SAME_KEY,
    "said": SAID,
    "by id": BY_ID,
    "recent": RECENT,
    "texts": TEXTS,
    "pending": PENDING,
    "pending of": PENDING_OF,
    "settle": SETTLE,
    "attempted": ATTEMPTED,
    **{f"release {name}": sql for name, sql in RELEASES.items()},
    **{f"delete {name}": sql for name, sql in DELETES.items()},
}
"""What a test reads the query plan of."""


class SqliteTurns:
    """See ``TurnStore``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def append(self, drafts: Sequence[TurnDraft]) -> list[Turn]:
        """Store them in order, one transaction."""
        with self._connections.writing() as connection:
            return [_append(connection, draft) for draft in drafts]

    def recent(self, subject: str, session: str, *, limit: int) -> list[Turn]:
        """Newest first."""
        fields = {"subject": subject, "session": session, "limit": limit}
        with self._connections.reading() as connection:
            return [to_turn(row) for row in every(connection, RECENT, fields)]

    def texts(self, subject: str, session: str) -> Mapping[str, str]:
        """Folded tokens by id, newest first."""
        with self._connections.reading() as connection:
            found = every(connection, TEXTS, {"subject": subject, "session": session})
            return {text_of(turn_id): text_of(said) for turn_id, said in found}

    def of_ids(self, subject: str, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Turns by id."""
        with self._connections.reading() as connection:
            rows = [first(connection, BY_ID, {"id": one, "subject": subject}) for one in turn_ids]
            return {str(row[0]): to_turn(row) for row in rows if row is not None}

    def pending(
        self, *, limit: int, subject: str | None = None, after: int = 0
    ) -> list[tuple[int, ExtractionJob]]:
        """Jobs of waiting turns, oldest first."""
        fields = {"limit": limit, "subject": subject, "after": after}
        with self._connections.reading() as connection:
            return [_job(row) for row in every(connection, PENDING_OF if subject else PENDING, fields)]

    def settle(self, turn_id: str, state: ExtractionState) -> None:
        """Note where the extraction stands."""
        with self._connections.writing() as connection:
            connection.execute(SETTLE, {"id": turn_id, "state": state.value})

    def attempted(self, turn_id: str, *, most: int) -> ExtractionState:
        """Count a failed attempt."""
        with self._connections.writing() as connection:
            found = first(connection, ATTEMPTED, {"id": turn_id, "most": most})
            return ExtractionState.NONE if found is None else ExtractionState(found[0])

    def counts(self, subject: str | None = None) -> Mapping[ExtractionState, int]:
        """Turns by state."""
        with self._connections.reading() as connection:
            rows = every(connection, COUNTS, {"subject": subject})
            return {ExtractionState(state): count for state, count in rows}


def release_turns(connection: apsw.Connection, subject: str, selector: Selector) -> None:
    """What is forgotten isn't extracted afterwards; inside the caller's transaction."""
    name, fields = _selected(subject, selector)
    connection.execute(RELEASES[name], fields)


def erase_with_turns(connection: apsw.Connection, subject: str, selector: Selector) -> EraseReceipt:
    """Erase the chosen records and turns, and what the erased turns said.

    Raises:
        NotFound: The subject has no record and no turn of this id.
    """
    name, fields = _selected(subject, selector)
    turns = tuple(str(turn_id) for (turn_id,) in every(connection, DELETES[name], fields))
    if not turns:
        return leaving.erase(connection, subject, selector)
    by_id = selector.note_id is not None
    receipt = EraseReceipt(ids=(), counts={}) if by_id else leaving.erase(connection, subject, selector)
    for fact_id in _said_by(connection, subject, turns):
        more = leaving.erase(connection, subject, Selector(note_id=fact_id))
        counts = {table: count + receipt.counts.get(table, 0) for table, count in more.counts.items()}
        receipt = EraseReceipt(ids=receipt.ids + more.ids, counts=counts)
    erasure = sole(connection, leaving.ONE_MORE)[0]
    connection.execute(leaving.PENDING, {"erasure": erasure})
    return EraseReceipt(ids=receipt.ids + turns, counts={**receipt.counts, "turns": len(turns)})


def _said_by(connection: apsw.Connection, subject: str, turns: Sequence[str]) -> list[str]:
    """Ids of the facts that these turns said, whenever and wherever they were stated."""
    return [
        str(fact_id)
        for turn_id in turns
        for (fact_id,) in every(connection, SAID, {"subject": subject, "turn_id": turn_id})
    ]


def _selected(subject: str, selector: Selector) -> tuple[str, Mapping[str, object]]:
    older_than = None if selector.older_than is None else to_micros(selector.older_than)
    fields = {
        "note_id": selector.note_id,
        "session": selector.session,
        "project": selector.project,
        "older_than": older_than,
    }
    name = next((name for name, value in fields.items() if value is not None), "everything")
    return name, fields | {"subject": subject}


def _append(connection: apsw.Connection, draft: TurnDraft) -> Turn:
    turn = draft.turn
    if turn.idempotency_key is not None:
        fields = {"subject": turn.scope.subject, "idempotency_key": turn.idempotency_key}
        found = first(connection, SAME_KEY, fields)
        if found is not None:
            return _same(to_turn(found), turn)
    connection.execute(INSERT, values(turn, draft.search_text))
    return turn


def _same(found: Turn, asked: Turn) -> Turn:
    if (found.text, found.session) != (asked.text, asked.session):
        raise WriteRefused("idempotency_conflict", "the key was used for another turn of this subject")
    return found


def values(turn: Turn, search_text: str) -> dict[str, object]:
    """The named parameters of an insert."""
    said = (turn.role.value, turn.speaker, turn.source.value, turn.text, search_text)
    return {
        **turn.scope.to_dict(),
        "id": turn.id,
        "role": turn.role.value,
        "speaker": turn.speaker,
        "source": turn.source.value,
        "text": turn.text,
        "search_text": search_text,
        "created_at": to_micros(turn.created_at),
        "answers": turn.answers,
        "idempotency_key": turn.idempotency_key,
        "extraction": turn.extraction.value,
        "checksum": turn_checksum(turn.id, turn.scope.subject, turn.session, *said),
    }


def to_turn(row: Answer) -> Turn:
    """The turn in a row of ``COLUMNS``."""
    return Turn(
        id=text_of(row[0]),
        scope=Scope(subject=row[1], project=row[2], session=row[3], agent=row[4]),
        role=Role(row[5]),
        speaker=text_of(row[6]),
        source=Source(row[7]),
        text=text_of(row[8]),
        created_at=from_micros(row[9]),
        answers=maybe_text(row[10]),
        extraction=ExtractionState(row[11]),
        idempotency_key=maybe_text(row[12]),
    )


def _job(row: Answer) -> tuple[int, ExtractionJob]:
    return int(row[0]), ExtractionJob(
        turn_id=row[1],
        scope=Scope(subject=row[2], project=row[3], session=row[4], agent=row[5]),
        user_text=text_of(row[6]),
        assistant_text=text_of(row[7]),
        at=from_micros(row[8]),
        speaker=row[9],
        source=Source(row[10]),
    )
