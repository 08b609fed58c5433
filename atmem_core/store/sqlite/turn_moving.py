"""Moving the turns of sessions out and in."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace

import apsw

from atmem_core.records import CopyOutcome, CopyRefused, ExtractionState, ImportCode, TurnCopy
from atmem_core.store.sqlite.asking import Answer, every, first
from atmem_core.store.sqlite.turns import COLUMNS, to_turn, values

# By the row, whatever the planner thinks: another index would sort all turns for each page.
PAGE = (
    "SELECT " + COLUMNS + ", turns.attempts, turns.row FROM turns WHERE turns.row > :after "
    "AND +turns.subject = :subject ORDER BY turns.row LIMIT :limit"
)
HELD = "SELECT subject, text, session, extraction FROM turns WHERE id = :id"
BY_KEY = "SELECT id, text, session FROM turns WHERE subject = :subject AND idempotency_key = :idempotency_key"
INSERT = (
    "INSERT INTO turns (id, subject, session, project, agent, role, speaker, source, text, search_text, "
    "created_at, answers, idempotency_key, extraction, attempts, checksum) VALUES (:id, :subject, :session, "
    ":project, :agent, :role, :speaker, :source, :text, :search_text, :created_at, :answers, "
    ":idempotency_key, :extraction, :attempts, :checksum)"
)
SETTLE = "UPDATE turns SET extraction = :extraction, attempts = :attempts WHERE id = :id"
WRITE_STATEMENTS = {"page": PAGE, "held": HELD, "by key": BY_KEY, "insert": INSERT, "settle": SETTLE}
"""What moving turns runs; a test reads the query plan of each."""


def page_of_turns(connection: apsw.Connection, subject: str, after: int, limit: int) -> list[TurnCopy]:
    """The next turns, in the order of their rows."""
    fields = {"subject": subject, "after": after, "limit": limit}
    return [
        TurnCopy(turn=to_turn(row[:-2]), attempts=int(row[-2]), row=row[-1])
        for row in every(connection, PAGE, fields)
    ]


def copy_turns(
    connection: apsw.Connection,
    subject: str,
    copies: Sequence[TurnCopy],
    *,
    aliases: MutableMapping[str, str],
) -> list[CopyOutcome | CopyRefused]:
    """Store each copy, or find what it repeats, inside the caller's transaction."""
    return [_copy(connection, subject, copy, aliases) for copy in copies]


def _copy(
    connection: apsw.Connection, subject: str, copy: TurnCopy, aliases: MutableMapping[str, str]
) -> CopyOutcome | CopyRefused:
    fields = _values(subject, copy, aliases)
    held = first(connection, HELD, fields)
    if held is not None:
        if held[:3] != (subject, copy.turn.text, copy.turn.session):
            return CopyRefused(code=ImportCode.ID_CONFLICT, message="this id stands for another turn")
        return _settle(connection, held, fields)
    by_key = first(connection, BY_KEY, fields)
    if by_key is not None:
        if by_key[1:] != (copy.turn.text, copy.turn.session):
            return CopyRefused(
                code=ImportCode.IDEMPOTENCY_CONFLICT, message="its idempotency key was used for another turn"
            )
        aliases[copy.turn.id] = by_key[0]
        return CopyOutcome.UNCHANGED
    connection.execute(INSERT, fields)
    return CopyOutcome.CREATED


def _settle(connection: apsw.Connection, held: Answer, fields: Mapping[str, object]) -> CopyOutcome:
    """A turn that waits here and not in the copy was extracted meanwhile."""
    waiting = ExtractionState.PENDING.value
    if held[3] != waiting or fields["extraction"] == waiting:
        return CopyOutcome.UNCHANGED
    connection.execute(SETTLE, fields)
    return CopyOutcome.UPDATED


def _values(subject: str, copy: TurnCopy, aliases: Mapping[str, str]) -> dict[str, object]:
    turn = copy.turn
    kept = replace(
        turn,
        scope=replace(turn.scope, subject=subject),
        answers=aliases.get(turn.answers or "", turn.answers),
    )
    return {**values(kept, copy.search_text), "attempts": copy.attempts}
