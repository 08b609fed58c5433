"""Lessons and procedures on SQLite. Each method is one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import apsw

from atmem_core.clock import to_micros
from atmem_core.errors import NotFound
from atmem_core.records import Advice, AdviceStatus, CopyOutcome, RecordKind, Vote
from atmem_core.store.advice_protocol import HeldAdvice, Staleness, Standing
from atmem_core.store.profile_protocol import VoteRule
from atmem_core.store.sqlite.advice_rows import COLUMNS, parent_fields, to_held, to_row
from atmem_core.store.sqlite.asking import Answer, every, first
from atmem_core.store.sqlite.connections import Connections
from atmem_core.store.sqlite.rows import text_of
from atmem_core.store.sqlite.votes import log_vote

_OF_KIND = "SELECT " + COLUMNS + " FROM advice WHERE subject = :subject AND kind = :kind "
_PROJECT = "AND (:project IS NULL OR project = :project) "
BY_ID = _OF_KIND + "AND id = :id"
LISTED = (
    _OF_KIND + _PROJECT + "AND (:status IS NULL OR status = :status) "
    "ORDER BY vote_score DESC, updated_at DESC, row DESC LIMIT :limit OFFSET :offset"
)
# A parent that is gone, or isn't what it was, takes its advice out of recall at once.
STANDING = (
    "SELECT id, search_text, vote_score, success_count, failure_count FROM advice WHERE subject = :subject "
    "AND kind = :kind "
    + _PROJECT
    + "AND status = 'active' AND NOT EXISTS (SELECT 1 FROM advice_parents AS parent "
    "WHERE parent.row = advice.row AND CASE parent.kind WHEN 'lesson' THEN NOT EXISTS "
    "(SELECT 1 FROM advice AS lesson WHERE lesson.id = parent.parent_id AND lesson.subject = :subject "
    "AND lesson.status = 'active') ELSE NOT EXISTS (SELECT 1 FROM notes WHERE notes.id = parent.parent_id "
    "AND notes.superseded_by IS NULL AND notes.forgotten_at IS NULL AND notes.subject_number = "
    "(SELECT number FROM subjects WHERE name = :subject)) END) ORDER BY advice.row"
)
EVERY = _OF_KIND + "AND row > :after ORDER BY row LIMIT :limit"
KNOWN = "SELECT subject FROM advice WHERE id = :id"
INSERT = (
    "INSERT INTO advice (id, subject, kind, project, activation, body, tags, search_text, source, trust, "
    "status, success_count, failure_count, use_count, vote_score, created_at, updated_at, deprecated_at, "
    "checksum) VALUES (:id, :subject, :kind, :project, :activation, :body, :tags, :search_text, :source, "
    ":trust, :status, :success_count, :failure_count, :use_count, :vote_score, :created_at, :updated_at, "
    ":deprecated_at, :checksum) RETURNING row"
)
INSERT_PARENT = "INSERT INTO advice_parents (row, parent_id, kind) VALUES (:row, :parent_id, :kind)"
PARENTS = "SELECT parent_id, kind FROM advice_parents WHERE row = :row ORDER BY kind, parent_id"
_OWN = "WHERE id = :id AND subject = :subject AND kind = :kind"
OUTCOME = (
    "UPDATE advice SET success_count = success_count + :success, failure_count = failure_count + :failure, "
    "updated_at = :at " + _OWN + " RETURNING row"
)
USE = "UPDATE advice SET use_count = use_count + 1, updated_at = :at " + _OWN
SCORE = "UPDATE advice SET vote_score = :score, updated_at = :at " + _OWN
_DEPRECATE = "UPDATE advice SET status = 'deprecated', deprecated_at = :at WHERE status = 'active' AND "
DEPRECATE = _DEPRECATE + "id = :id AND subject = :subject RETURNING id"
WITH_LESSON = (
    _DEPRECATE + "subject = :subject AND row IN (SELECT row FROM advice_parents WHERE parent_id = :id) "
    "RETURNING id"
)
BY_AGE = (
    _DEPRECATE + "subject = :subject AND kind = :kind AND success_count = 0 AND created_at < :before "
    "AND (kind = 'lesson' OR use_count = 0) RETURNING id"
)
BY_VOTES = (
    _DEPRECATE + "subject = :subject AND kind = :kind AND vote_score < 0 AND success_count = 0 RETURNING id"
)
OVERFLOW = (
    _DEPRECATE + "subject = :subject AND row IN (SELECT row FROM advice WHERE subject = :subject "
    "AND kind = :kind AND status = 'active' ORDER BY CASE kind WHEN 'procedure' THEN vote_score ELSE 0 END, "
    "updated_at, row LIMIT MAX(0, (SELECT COUNT(*) FROM advice WHERE subject = :subject AND kind = :kind "
    "AND status = 'active') - :most)) RETURNING id"
)
WRITE_STATEMENTS = {
    "by id": BY_ID,
    "listed": LISTED,
    "standing": STANDING,
    "every": EVERY,
    "known": KNOWN,
    "parents": PARENTS,
    "outcome": OUTCOME,
    "use": USE,
    "score": SCORE,
    "deprecate": DEPRECATE,
    "with lesson": WITH_LESSON,
    "by age": BY_AGE,
    "by votes": BY_VOTES,
    "overflow": OVERFLOW,
}
"""What a test reads the query plan of."""


class SqliteAdvice:
    """See ``AdviceStore``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put(self, subject: str, advice: Sequence[HeldAdvice]) -> list[CopyOutcome | None]:
        """Store each with its parents."""
        with self._connections.writing() as connection:
            return [_put(connection, subject, held) for held in advice]

    def get(self, subject: str, advice_id: str, kind: RecordKind) -> Advice:
        """One of them."""
        with self._connections.reading() as connection:
            return _one(connection, subject, advice_id, kind)

    def advice(
        self,
        subject: str,
        kind: RecordKind,
        *,
        project: str | None,
        status: AdviceStatus | None,
        limit: int,
        offset: int = 0,
    ) -> list[Advice]:
        """Best votes first."""
        fields: dict[str, object] = {"subject": subject, "kind": kind.value, "project": project}
        fields["limit"] = limit
        more = {"status": None if status is None else status.value, "offset": offset}
        with self._connections.reading() as connection:
            return [_held(connection, row).advice for row in every(connection, LISTED, fields | more)]

    def standing(self, subject: str, kind: RecordKind, *, project: str | None) -> Sequence[Standing]:
        """What may be recalled."""
        fields = {"subject": subject, "kind": kind.value, "project": project}
        with self._connections.reading() as connection:
            return [
                Standing(
                    id=text_of(row[0]),
                    search_text=text_of(row[1]),
                    vote_score=float(row[2]),
                    success_count=int(row[3]),
                    failure_count=int(row[4]),
                )
                for row in every(connection, STANDING, fields)
            ]

    def deprecate(self, subject: str, advice_id: str, kind: RecordKind, *, at: datetime) -> list[str]:
        """Take it out of recall, with what hangs on it."""
        with self._connections.writing() as connection:
            _one(connection, subject, advice_id, kind)
            return deprecated(connection, subject, advice_id, to_micros(at))

    def count_outcome(
        self, subject: str, advice_id: str, kind: RecordKind, *, success: bool, at: datetime
    ) -> None:
        """Count a success or a failure."""
        counted = {"success": int(success), "failure": int(not success), "at": to_micros(at)}
        fields: dict[str, object] = {"subject": subject, "id": advice_id, "kind": kind.value}
        with self._connections.writing() as connection:
            if not every(connection, OUTCOME, fields | counted):
                raise _missing(advice_id, kind)

    def count_uses(self, subject: str, advice_ids: Sequence[str], kind: RecordKind, *, at: datetime) -> None:
        """Count one use of each."""
        with self._connections.writing() as connection:
            for one in dict.fromkeys(advice_ids):
                fields = {"subject": subject, "id": one, "kind": kind.value, "at": to_micros(at)}
                connection.execute(USE, fields)

    def vote(
        self, subject: str, advice_id: str, kind: RecordKind, vote: Vote, *, rule: VoteRule, most: int
    ) -> float:
        """Count it."""
        with self._connections.writing() as connection:
            score = rule(_one(connection, subject, advice_id, kind).vote_score, vote.direction)
            fields: dict[str, object] = {"subject": subject, "id": advice_id, "kind": kind.value}
            connection.execute(SCORE, fields | {"score": score, "at": to_micros(vote.at)})
            log_vote(connection, subject, advice_id, vote, most=most)
            return score

    def deprecate_stale(self, subject: str, stale: Staleness, *, at: datetime) -> list[str]:
        """By age, by votes, by overflow."""
        gone: list[str] = []
        with self._connections.writing() as connection:
            for kind in (RecordKind.LESSON, RecordKind.PROCEDURE):
                fields: Mapping[str, object] = {
                    "subject": subject,
                    "kind": kind.value,
                    "at": to_micros(at),
                    "before": to_micros(stale.unused_before),
                    "most": stale.most,
                }
                for sql in (BY_AGE, BY_VOTES, OVERFLOW):
                    gone += [str(one) for (one,) in every(connection, sql, fields)]
            for lesson in tuple(gone):
                fields = {"subject": subject, "id": lesson, "at": to_micros(at)}
                gone += [str(one) for (one,) in every(connection, WITH_LESSON, fields)]
        return gone

    def every(
        self, subject: str, kind: RecordKind, *, after: int, limit: int
    ) -> list[tuple[int, HeldAdvice]]:
        """By row."""
        fields = {"subject": subject, "kind": kind.value, "after": after, "limit": limit}
        with self._connections.reading() as connection:
            return [(row[0], _held(connection, row)) for row in every(connection, EVERY, fields)]


def _put(connection: apsw.Connection, subject: str, held: HeldAdvice) -> CopyOutcome | None:
    advice = held.advice
    known = first(connection, KNOWN, {"id": advice.id})
    if known is not None:
        if known[0] != subject:
            return None
        gone = advice.deprecated_at
        ended = gone is not None and every(
            connection, DEPRECATE, {"id": advice.id, "subject": subject, "at": to_micros(gone)}
        )
        return CopyOutcome.UPDATED if ended else CopyOutcome.UNCHANGED
    row = every(connection, INSERT, to_row(held))[0][0]
    connection.executemany(INSERT_PARENT, parent_fields(advice, row))
    return CopyOutcome.CREATED


def deprecated(connection: apsw.Connection, subject: str, advice_id: str, at: int) -> list[str]:
    """Deprecate it and the procedures that name it, inside the caller's transaction; ids that changed."""
    fields = {"subject": subject, "id": advice_id, "at": at}
    changed = [*every(connection, DEPRECATE, fields), *every(connection, WITH_LESSON, fields)]
    return [str(one) for (one,) in changed]


def _one(connection: apsw.Connection, subject: str, advice_id: str, kind: RecordKind) -> Advice:
    found = first(connection, BY_ID, {"subject": subject, "id": advice_id, "kind": kind.value})
    if found is None:
        raise _missing(advice_id, kind)
    return _held(connection, found).advice


def _missing(advice_id: str, kind: RecordKind) -> NotFound:
    return NotFound(f"this subject has no {kind.value} {advice_id!r}; list them with list()")


def _held(connection: apsw.Connection, row: Answer) -> HeldAdvice:
    return to_held(row, every(connection, PARENTS, {"row": row[0]}))
