"""Facts by id, by listing, by chain, at two times; and what judgement asks about a record."""

import json
from collections.abc import Mapping, Sequence

import apsw

from atmem_core.clock import to_micros
from atmem_core.records import Fact
from atmem_core.store.fact_protocol import FactFilter
from atmem_core.store.protocol import FactPart, ReadFilter
from atmem_core.store.sqlite.asking import every, first
from atmem_core.store.sqlite.fact_rows import FACT_COLUMNS, FROM_FACTS, by_id, find, to_fact
from atmem_core.store.sqlite.rows import SEQUENCE_BITS

NUMBER = "SELECT number FROM subjects WHERE name = :subject"
_SELECT = "SELECT " + FACT_COLUMNS + FROM_FACTS + "WHERE facts.subject_number = :number "
_NEWEST = " ORDER BY facts.row DESC LIMIT :limit OFFSET :offset"
_NOW = (
    "AND facts.forgotten_at IS NULL AND facts.valid_from <= :at "
    "AND (facts.valid_to IS NULL OR facts.valid_to > :at) "
)
# As was known then: recorded by then, and with the end that it had then. What was forgotten stays away.
_THEN = (
    "AND facts.forgotten_at IS NULL AND facts.valid_from <= :at AND notes.created_at <= :known_at "
    "AND NOT EXISTS (SELECT 1 FROM fact_ends WHERE fact_ends.row = facts.row "
    "AND fact_ends.recorded_at <= :known_at AND fact_ends.valid_to <= :at) "
)
PARTS = {
    "project": "AND notes.project = :project ",
    "session": "AND notes.session = :session ",
    "agent": "AND notes.agent = :agent ",
    "entity": "AND facts.entity_key = :entity ",
    "predicate": "AND facts.predicate_key = :predicate ",
}
LIST_ALL = _SELECT + _NEWEST
LIST_NOW = _SELECT + _NOW + _NEWEST
LIST_THEN = _SELECT + _THEN + _NEWEST
OLDER = (
    "SELECT notes.id"
    + FROM_FACTS
    + ("WHERE facts.superseded_by = :id AND +facts.subject_number = :number ORDER BY facts.valid_from DESC")
)
OF_IDS = (
    "SELECT " + FACT_COLUMNS + " FROM notes CROSS JOIN facts ON facts.row = notes.row "
    "WHERE notes.id IN (SELECT value FROM json_each(:ids)) AND +notes.subject_number = :number"
)
DERIVED = (
    "SELECT notes.id" + FROM_FACTS + "WHERE facts.subject_number = :number "
    "AND facts.source_id IN (SELECT value FROM json_each(:ids))"
)
ANY = "SELECT EXISTS (SELECT 1 FROM facts WHERE subject_number = :number)"
PARTS_OF_ROWS = (
    "SELECT row, entity, predicate, object, source_id FROM facts "
    "WHERE row IN (SELECT value FROM json_each(:rows)) AND +subject_number = :number"
)
NAMED = (
    "SELECT row FROM facts WHERE subject_number = :number "
    "AND predicate_key IN (SELECT value FROM json_each(:predicates))"
)
# How many facts each note said, and how many of them still hold: what was superseded after the instant
# that is looked at, or gives way on a day to come, does.
BACKED = (
    "SELECT source_id, COUNT(*), SUM(forgotten_at IS NULL AND (superseded_by IS NULL OR valid_to > :at "
    "OR (:as_of AND superseded_at > :at))) FROM facts "
    "WHERE subject_number = :number AND source_id IN (SELECT value FROM json_each(:ids)) GROUP BY source_id"
)
READ_STATEMENTS = {
    "list all": LIST_ALL,
    "list now": LIST_NOW,
    "list then": LIST_THEN,
    "older": OLDER,
    "of ids": OF_IDS,
    "derived": DERIVED,
    "any": ANY,
    "parts of rows": PARTS_OF_ROWS,
    "named": NAMED,
    "backed": BACKED,
}
"""What reading facts runs; a test reads the query plan of each."""


def facts(connection: apsw.Connection, wanted: FactFilter, *, limit: int, offset: int) -> list[Fact]:
    """A page of the subject's facts, newest recorded first."""
    subject = wanted.scope.subject
    fields = {
        "number": _number(connection, subject),
        "at": to_micros(wanted.at),
        "known_at": None if wanted.known_at is None else to_micros(wanted.known_at),
        "project": wanted.scope.project,
        "session": wanted.scope.session,
        "agent": wanted.scope.agent,
        "entity": wanted.entity,
        "predicate": wanted.predicate,
        "limit": limit,
        "offset": offset,
    }
    given = [sql for part, sql in PARTS.items() if fields[part] is not None]
    found = every(connection, _SELECT + _states(wanted) + "".join(given) + _NEWEST, fields)
    return [to_fact(row, subject) for row in found]


def _states(wanted: FactFilter) -> str:
    if wanted.known_at is not None:
        return _THEN
    return "" if wanted.all_states else _NOW


def of_ids(connection: apsw.Connection, subject: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
    """Facts by id."""
    fields = {"number": _number(connection, subject), "ids": json.dumps(list(fact_ids))}
    return {row[1]: to_fact(row, subject) for row in every(connection, OF_IDS, fields)}


def history(connection: apsw.Connection, subject: str, fact_id: str) -> list[Fact]:
    """Back to the first of the chain and on to the last; an erased or missing link ends it.

    As with notes: an import may be under way, and a ring is walked once.
    """
    row, fact = by_id(connection, subject, fact_id)
    number = row >> SEQUENCE_BITS
    newest_first, seen = [fact], {fact.id}
    for one in newest_first:  # grows on the way: several facts may have given way to one
        older = every(connection, OLDER, {"id": one.id, "number": number})
        new = [older_id for (older_id,) in older if older_id not in seen]
        seen.update(new)
        newest_first += [by_id(connection, subject, older_id)[1] for older_id in new]
    chain = newest_first[::-1]
    while (newer := chain[-1].superseded_by) is not None and newer not in seen:
        found = find(connection, subject, newer)
        if found is None:
            break
        seen.add(newer)
        chain.append(found[1])
    return chain


def derived(connection: apsw.Connection, subject: str, source_ids: Sequence[str]) -> list[str]:
    """Ids of the facts that these said."""
    fields = {"number": _number(connection, subject), "ids": json.dumps(list(source_ids))}
    return [fact_id for (fact_id,) in every(connection, DERIVED, fields)]


def _number(connection: apsw.Connection, subject: str) -> int:
    found = first(connection, NUMBER, {"subject": subject})
    return int(found[0]) if found else 0


def parts_of_rows(connection: apsw.Connection, number: int, rows: Sequence[int]) -> Mapping[int, FactPart]:
    """Entity, predicate, object and source of those rows that are facts."""
    found = every(connection, PARTS_OF_ROWS, {"number": number, "rows": json.dumps(list(rows))})
    return {
        row: FactPart(entity=entity, predicate=predicate, object=stated, source_id=source_id)
        for row, entity, predicate, stated, source_id in found
    }


def outdated(
    connection: apsw.Connection, number: int, record_ids: Sequence[str], read_filter: ReadFilter
) -> frozenset[str]:
    """Those records that said facts none of which still holds."""
    fields = {
        "number": number,
        "ids": json.dumps(list(record_ids)),
        "at": to_micros(read_filter.at),
        "as_of": int(read_filter.as_of),
    }
    found = every(connection, BACKED, fields)
    return frozenset([source_id for source_id, _, standing in found if not standing])


def rows_named(connection: apsw.Connection, number: int, predicates: Sequence[str]) -> list[int]:
    """Rows of the subject's facts with one of these predicates, in their one form; unfiltered."""
    found = every(connection, NAMED, {"number": number, "predicates": json.dumps(list(predicates))})
    return [row for (row,) in found]
