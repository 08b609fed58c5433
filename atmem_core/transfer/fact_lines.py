"""Facts as lines: their record as a note's line, what they state beside it; and back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import (
    CopyRefused,
    FactCopy,
    FactDraft,
    FactEnd,
    HeldFact,
    NoteCopy,
    RecordKind,
    Scope,
)
from atmem_core.remember.fact_draft import Statement, draft_fact
from atmem_core.remember.redaction import cleared_statement
from atmem_core.store.protocol import Store
from atmem_core.text import digest
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import PAGE, Answer, Arrival, refusal
from atmem_core.transfer.note_lines import Closing, closing, note_line, own_id


class FactTransfer:
    """See ``RecordTransfer``. Facts come behind the notes and turns that said them."""

    name = "fact"

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """Facts in every state, in the order in which they were stored."""
        after = 0
        while page := store.page_of_facts(subject, after=after, limit=PAGE):
            after = page[-1].record.row
            yield [_line(held) for held in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store the facts with their ids, states and ends."""
        read = [_read(arrival, fields) for fields in lines]
        copies = [one for one in read if isinstance(one, FactCopy)]
        at = arrival.clock.now()
        stored = iter(
            arrival.store.copy_facts(arrival.subject, copies, aliases=arrival.aliases, at=at)
            if copies
            else ()
        )
        return [next(stored) if isinstance(one, FactCopy) else one for one in read]


def _line(held: HeldFact) -> dict[str, object]:
    fact, record = held.fact, note_line(held.record)
    del record["text"], record["kind"]  # the one is made of what it states, the other stands in `record`
    stated = {
        "entity": fact.entity,
        "predicate": fact.predicate,
        "object": fact.object,
        "confidence": fact.confidence,
        "source_id": fact.source_id,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "superseded_by": fact.superseded_by,
        "superseded_at": fact.superseded_at,
        "ends": [[end.recorded_at.isoformat(), end.valid_to.isoformat()] for end in held.ends] or None,
    }
    return {**record, "fact": sparse(stated)}


def _read(arrival: Arrival, fields: Fields) -> FactCopy | CopyRefused:
    try:
        return _copy(arrival, fields, fields.inner("fact"))
    except (InvalidInput, WriteRefused) as error:
        return refusal(error)


def _copy(arrival: Arrival, fields: Fields, stated: Fields) -> FactCopy:
    outer, inner = closing(arrival, fields), closing(arrival, stated)
    forgotten_at, valid_to = fields.moment("forgotten_at"), stated.moment("valid_to")
    ended = fields.moment("valid_to") if forgotten_at else valid_to
    draft = _draft(arrival, fields, stated, ended)
    return FactCopy(
        draft=draft,
        record=_record(draft, fields, outer),
        valid_to=valid_to,
        superseded_by=inner.by,
        superseded_at=inner.at,
        forgotten_at=forgotten_at,
        ends=tuple(_end(one) for one in stated.pairs("ends")),
    )


def _record(draft: FactDraft, fields: Fields, outer: Closing) -> NoteCopy:
    return NoteCopy(
        draft=draft.note,
        superseded_by=outer.by,
        superseded_at=outer.at,
        forgotten_at=fields.moment("forgotten_at"),
        archived_at=fields.moment("archived_at"),
        use_count=fields.whole("use_count"),
        last_used_at=fields.moment("last_used_at"),
    )


def _draft(arrival: Arrival, fields: Fields, stated: Fields, ended: datetime | None) -> FactDraft:
    """Everything that the store indexes, made anew; ids, times and the end as the file has them."""
    source = arrival.maybe_id(stated.maybe_name("source_id"))
    dated = fields.moment("valid_from")
    statement = Statement(
        entity=stated.text("entity"),
        predicate=stated.text("predicate"),
        object=stated.text("object"),
        scope=Scope(
            subject=arrival.subject,
            project=fields.maybe_name("project"),
            session=fields.maybe_name("session"),
            agent=fields.maybe_name("agent"),
        ),
        speaker=fields.name("speaker"),
        source=fields.text("source"),
        trust=fields.number("trust"),
        confidence=stated.sure_number("confidence"),
        occurred_at=fields.moment("occurred_at"),
        valid_from=dated,
        source_id=arrival.aliases.get(source or "", source),
        tags=fields.texts("tags"),
    )
    draft = draft_fact(cleared_statement(statement, arrival.redaction), arrival.clock)
    fact_id = own_id(arrival, fields)
    note = replace(
        draft.note,
        id=fact_id,
        dedupe_hash=digest(RecordKind.FACT.value, fact_id),
        created_at=fields.sure_moment("created_at"),
        valid_to=ended,
    )
    return replace(draft, note=note, valid_from=stated.sure_moment("valid_from"))


def _end(pair: Fields) -> FactEnd:
    return FactEnd(recorded_at=pair.sure_moment("0"), valid_to=pair.sure_moment("1"))
