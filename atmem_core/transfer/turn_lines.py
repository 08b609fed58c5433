"""Turns of sessions as lines, and back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import CopyRefused, ExtractionState, Scope, TurnCopy, member
from atmem_core.remember.history import Said, SessionHistory
from atmem_core.remember.redaction import cleared_turn
from atmem_core.store.protocol import Store
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import ERASED, PAGE, Answer, Arrival, refusal


class TurnTransfer:
    """See ``RecordTransfer``. They are history: they come whether or not facts were made of them."""

    name = "turn"

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """Turns of every session, in the order in which they were stored."""
        after = 0
        while page := store.page_of_turns(subject, after=after, limit=PAGE):
            after = page[-1].row
            yield [_line(held) for held in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store the turns with their ids; one that still waits for extraction waits here, too."""
        history = SessionHistory(
            arrival.store.turn_store,
            arrival.clock,
            clear=partial(cleared_turn, redaction=arrival.redaction),
        )
        read = [_read(arrival, history, fields) for fields in lines]
        copies = [one for one in read if isinstance(one, TurnCopy)]
        stored = iter(
            arrival.store.copy_turns(arrival.subject, copies, aliases=arrival.aliases) if copies else ()
        )
        return [next(stored) if isinstance(one, TurnCopy) else one for one in read]


def _line(held: TurnCopy) -> dict[str, object]:
    turn = held.turn
    return sparse(
        {
            "id": turn.id,
            "text": turn.text,
            "project": turn.scope.project,
            "session": turn.scope.session,
            "agent": turn.scope.agent,
            "role": turn.role.value,
            "speaker": turn.speaker,
            "source": turn.source.value,
            "created_at": turn.created_at,
            "answers": turn.answers,
            "idempotency_key": turn.idempotency_key,
            "extraction": turn.extraction.value,
            "attempts": held.attempts,
        }
    )


def _read(arrival: Arrival, history: SessionHistory, fields: Fields) -> TurnCopy | CopyRefused:
    try:
        return _copy(arrival, history, fields)
    except (InvalidInput, WriteRefused) as error:
        return refusal(error)


def _copy(arrival: Arrival, history: SessionHistory, fields: Fields) -> TurnCopy:
    given = fields.name("id")
    if given == ERASED:
        raise InvalidInput("id", "stands for what was erased")
    said = Said(
        text=fields.text("text"),
        scope=Scope(
            subject=arrival.subject,
            project=fields.maybe_name("project"),
            session=fields.name("session"),
            agent=fields.maybe_name("agent"),
        ),
        role=fields.text("role"),
        speaker=fields.name("speaker"),
        source=fields.text("source"),
        occurred_at=fields.sure_moment("created_at"),
        idempotency_key=fields.maybe_name("idempotency_key"),
    )
    draft = history.draft(said)
    turn = replace(
        draft.turn,
        id=arrival.id(given),
        answers=arrival.maybe_id(fields.maybe_name("answers")),
        extraction=member(ExtractionState, "extraction", fields.text("extraction")),
    )
    return TurnCopy(turn=turn, attempts=fields.whole("attempts"), search_text=draft.search_text)
