"""Which rows a read may see: one query a view, applied before any cut.

Without a scope the few rows that some rule hides are looked up and excluded; with one, the rows that
belong are looked up and all others are out. Either way keywords, vectors and records pass the same gate.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import apsw

from atmem_core.clock import to_micros
from atmem_core.records import RecordKind
from atmem_core.store.protocol import ReadFilter
from atmem_core.store.sqlite.asking import every
from atmem_core.store.sqlite.rows import own_rows

_HOLDS = (
    "forgotten_at IS NULL "
    "AND (valid_from IS NULL OR valid_from <= :at) AND (valid_to IS NULL OR valid_to > :at "
    # A fact's end comes with what superseded it: before that was known, it was open.
    "OR (:as_of AND kind = 'fact' AND superseded_at > :at)) "
    "AND (superseded_by IS NULL OR (:as_of AND superseded_at > :at))"
)
EXCLUDED = "SELECT row FROM notes WHERE subject_number = :number AND restricted = 1 AND NOT (" + _HOLDS + ")"
LATER = "SELECT row FROM notes WHERE subject_number = :number AND created_at > :at"
_OF_SUBJECT = "SELECT row FROM notes WHERE subject_number = :number AND "
# The rows of the tags lead, and lie among the subject's own.
_TAGGED = (
    "SELECT row FROM notes WHERE row IN (SELECT row FROM note_tags "
    "WHERE tag IN (SELECT value FROM json_each(:tags)) AND row BETWEEN :low AND :high "
    "GROUP BY row HAVING COUNT(*) = :tag_count) AND "
)
# Among many notes the few facts lead.
_FACTS = (
    "SELECT row FROM notes WHERE row IN (SELECT row FROM facts WHERE facts.subject_number = :number) AND "
)
_RULES = (
    _HOLDS + " AND (NOT :as_of OR created_at <= :at) "
    "AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))"
)
PARTS = {
    "project": " AND project = :project",
    "session": " AND session = :session",
    "agent": " AND agent = :agent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """A set of rows, and whether it lists who is in or who is out."""

    rows: frozenset[int]
    included: bool
    low: int
    """The subject's own rows lie from here to ``high``."""
    high: int

    def keep(self, rows: Iterable[int]) -> list[int]:
        """Those of the rows that pass, in the given order."""
        if self.included:
            return [row for row in rows if row in self.rows]
        kept = list(rows)
        # Another subject's row is never given, whoever asks; two passes in C are cheap.
        if kept and (min(kept) < self.low or max(kept) > self.high):
            kept = [row for row in kept if self.low <= row <= self.high]
        return [row for row in kept if row not in self.rows] if self.rows else kept

    def as_json(self) -> str:
        """The rows as a JSON array, for ``json_each``."""
        return json.dumps(sorted(self.rows))


def eligibility(connection: apsw.Connection, number: int, read_filter: ReadFilter) -> Eligibility:
    """Ask once for the whole view."""
    fields = filter_fields(number, read_filter)
    scoped = any(fields[part] is not None for part in PARTS)
    if scoped or read_filter.tags or read_filter.kinds:
        found = every(connection, included_sql(read_filter), fields)
        return _of(number, found, included=True)
    found = every(connection, EXCLUDED, fields)
    if read_filter.as_of:
        found += every(connection, LATER, fields)
    return _of(number, found, included=False)


def _of(number: int, found: list[tuple[int]], *, included: bool) -> Eligibility:
    low, high = own_rows(number)
    rows = frozenset([row for (row,) in found])
    return Eligibility(rows=rows, included=included, low=low, high=high)


def included_sql(read_filter: ReadFilter) -> str:
    """The statement for the scope that was given: constants joined, no value in them."""
    given = [sql for part, sql in PARTS.items() if getattr(read_filter.scope, part) is not None]
    return _leading(read_filter) + _RULES + "".join(given)


def _leading(read_filter: ReadFilter) -> str:
    """How the rows that the rules then look at are found."""
    if read_filter.tags:
        return _TAGGED
    return _FACTS if read_filter.kinds == (RecordKind.FACT,) else _OF_SUBJECT


def filter_fields(number: int, read_filter: ReadFilter) -> Mapping[str, object]:
    """Named parameters of the statements above."""
    tags = sorted(set(read_filter.tags))
    return {
        "number": number,
        "low": own_rows(number)[0],
        "high": own_rows(number)[1],
        "at": to_micros(read_filter.at),
        "as_of": int(read_filter.as_of),
        "project": read_filter.scope.project,
        "session": read_filter.scope.session,
        "agent": read_filter.scope.agent,
        "kinds": json.dumps([kind.value for kind in read_filter.kinds]),
        "tags": json.dumps(tags),
        "tag_count": len(tags),
    }
