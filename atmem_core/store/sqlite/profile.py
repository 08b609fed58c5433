"""Profile facts on SQLite. Each method is one transaction."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import NotFound
from atmem_core.records import CopyOutcome, ProfileFact, ProfileWritten, Source, Vote
from atmem_core.store.profile_protocol import VoteRule
from atmem_core.store.sqlite.asking import Answer, every, first
from atmem_core.store.sqlite.connections import Connections
from atmem_core.store.sqlite.context_leaving import remove_profile
from atmem_core.store.sqlite.rows import maybe_text, text_of
from atmem_core.store.sqlite.votes import log_vote

COLUMNS = (
    "id, subject, key, value, pinned, keywords, source, trust, vote_score, created_at, supersedes, "
    "superseded_by, superseded_at, row"
)
_SELECT = "SELECT " + COLUMNS + " FROM profile_facts WHERE subject = :subject "
CURRENT = _SELECT + "AND superseded_by IS NULL ORDER BY key"
ONE = _SELECT + "AND superseded_by IS NULL AND key = :key"
HISTORY = _SELECT + "AND key = :key ORDER BY row"
EVERY = _SELECT + "AND row > :after ORDER BY row LIMIT :limit"
KNOWN = "SELECT subject FROM profile_facts WHERE id = :id"
END = (
    "UPDATE profile_facts SET superseded_by = :by, superseded_at = :at "
    "WHERE id = :id AND superseded_by IS NULL RETURNING id"
)
INSERT = (
    "INSERT INTO profile_facts (id, subject, key, value, pinned, keywords, source, trust, vote_score, "
    "created_at, updated_at, supersedes, superseded_by, superseded_at, checksum) VALUES (:id, :subject, "
    ":key, :value, :pinned, :keywords, :source, :trust, :vote_score, :created_at, :created_at, :supersedes, "
    ":superseded_by, :superseded_at, :checksum)"
)
# Before the new version comes in: the unique index is looked at with each statement.
CLOSE = (
    "UPDATE profile_facts SET superseded_by = :by, superseded_at = :at "
    "WHERE subject = :subject AND key = :key AND superseded_by IS NULL RETURNING id"
)
LEAST = (
    "DELETE FROM profile_facts WHERE row IN (SELECT row FROM profile_facts WHERE subject = :subject "
    "AND superseded_by IS NULL AND pinned = 0 AND id <> :id ORDER BY vote_score, updated_at, row "
    "LIMIT MAX(0, (SELECT COUNT(*) FROM profile_facts WHERE subject = :subject AND superseded_by IS NULL "
    "AND pinned = 0) - :most)) RETURNING id"
)
REMOVE = (
    "DELETE FROM profile_facts WHERE subject = :subject AND key = :key AND superseded_by IS NULL RETURNING id"
)
SCORE = "UPDATE profile_facts SET vote_score = :score, updated_at = :at WHERE id = :id AND subject = :subject"
WRITE_STATEMENTS = {
    "current": CURRENT,
    "one": ONE,
    "history": HISTORY,
    "every": EVERY,
    "known": KNOWN,
    "end": END,
    "close": CLOSE,
    "least": LEAST,
    "remove": REMOVE,
    "score": SCORE,
}
"""What a test reads the query plan of."""


class SqliteProfile:
    """See ``ProfileStore``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put(self, fact: ProfileFact, *, supersedes_key: str | None, most: int) -> ProfileWritten:
        """Close, store, trim."""
        with self._connections.writing() as connection:
            closed = [*_close(connection, fact, fact.key)]
            if supersedes_key is not None and supersedes_key != fact.key:
                closed += _close(connection, fact, supersedes_key)
            stored = replace(fact, supersedes=closed[0] if closed else None)
            connection.execute(INSERT, _fields(stored))
            least = {"subject": fact.subject, "id": fact.id, "most": most}
            dropped = [] if fact.pinned else [str(one) for (one,) in every(connection, LEAST, least)]
        return ProfileWritten(id=fact.id, fact=stored, closed=tuple(closed), dropped=tuple(dropped))

    def current(self, subject: str) -> Sequence[ProfileFact]:
        """By key."""
        with self._connections.reading() as connection:
            return [to_fact(row) for row in every(connection, CURRENT, {"subject": subject})]

    def get(self, subject: str, key: str) -> ProfileFact:
        """The current version."""
        with self._connections.reading() as connection:
            return _one(connection, subject, key)

    def history(self, subject: str, key: str) -> list[ProfileFact]:
        """Oldest first."""
        with self._connections.reading() as connection:
            return [to_fact(row) for row in every(connection, HISTORY, {"subject": subject, "key": key})]

    def remove(self, subject: str, key: str) -> str | None:
        """Delete the current version."""
        with self._connections.writing() as connection:
            found = [str(one) for (one,) in every(connection, REMOVE, {"subject": subject, "key": key})]
            if found:
                remove_profile(connection, found, subject)
        return found[0] if found else None

    def vote(self, subject: str, key: str, vote: Vote, *, rule: VoteRule, most: int) -> ProfileFact:
        """Count it."""
        with self._connections.writing() as connection:
            fact = _one(connection, subject, key)
            score = rule(fact.vote_score, vote.direction)
            at = to_micros(vote.at)
            connection.execute(SCORE, {"id": fact.id, "subject": subject, "score": score, "at": at})
            log_vote(connection, subject, fact.id, vote, most=most)
        return replace(fact, vote_score=score)

    def every(self, subject: str, *, after: int, limit: int) -> list[tuple[int, ProfileFact]]:
        """By row."""
        fields = {"subject": subject, "after": after, "limit": limit}
        with self._connections.reading() as connection:
            return [(row[-1], to_fact(row)) for row in every(connection, EVERY, fields)]

    def bring(self, subject: str, facts: Sequence[ProfileFact]) -> list[CopyOutcome | None]:
        """Store versions as they are."""
        with self._connections.writing() as connection:
            return [_brought(connection, subject, fact) for fact in facts]


def _brought(connection: apsw.Connection, subject: str, fact: ProfileFact) -> CopyOutcome | None:
    known = first(connection, KNOWN, {"id": fact.id})
    if known is not None:
        if known[0] != subject:
            return None
        ends = {"id": fact.id, "by": fact.superseded_by, "at": _micros(fact.superseded_at)}
        ended = fact.superseded_by is not None and bool(every(connection, END, ends))
        return CopyOutcome.UPDATED if ended else CopyOutcome.UNCHANGED
    standing = first(connection, ONE, {"subject": subject, "key": fact.key})
    if fact.current and standing is not None:
        fact = replace(fact, superseded_by=standing[0], superseded_at=fact.created_at)
    connection.execute(INSERT, _fields(fact))
    return CopyOutcome.CREATED


def _close(connection: apsw.Connection, fact: ProfileFact, key: str) -> list[str]:
    fields = {"subject": fact.subject, "key": key, "by": fact.id, "at": to_micros(fact.created_at)}
    return [str(one) for (one,) in every(connection, CLOSE, fields)]


def _one(connection: apsw.Connection, subject: str, key: str) -> ProfileFact:
    found = first(connection, ONE, {"subject": subject, "key": key})
    if found is None:
        raise NotFound(f"this subject's profile has no {key!r}; list it with profile.list()")
    return to_fact(found)


def to_fact(row: Answer) -> ProfileFact:
    """The profile fact in a row of ``COLUMNS``."""
    return ProfileFact(
        id=text_of(row[0]),
        subject=text_of(row[1]),
        key=text_of(row[2]),
        value=text_of(row[3]),
        pinned=bool(int(row[4])),
        keywords=tuple(map(text_of, json.loads(row[5]))),
        source=Source(row[6]),
        trust=float(row[7]),
        vote_score=float(row[8]),
        created_at=from_micros(row[9]),
        supersedes=maybe_text(row[10]),
        superseded_by=maybe_text(row[11]),
        superseded_at=None if row[12] is None else from_micros(row[12]),
    )


def _fields(fact: ProfileFact) -> dict[str, object]:
    return {
        "id": fact.id,
        "subject": fact.subject,
        "key": fact.key,
        "value": fact.value,
        "pinned": int(fact.pinned),
        "keywords": json.dumps(fact.keywords, ensure_ascii=False),
        "source": fact.source.value,
        "trust": fact.trust,
        "vote_score": fact.vote_score,
        "created_at": to_micros(fact.created_at),
        "supersedes": fact.supersedes,
        "superseded_by": fact.superseded_by,
        "superseded_at": _micros(fact.superseded_at),
        "checksum": zlib.crc32("\0".join([fact.id, fact.key, fact.value]).encode()).to_bytes(4, "big"),
    }


def _micros(at: datetime | None) -> int | None:
    return None if at is None else to_micros(at)
