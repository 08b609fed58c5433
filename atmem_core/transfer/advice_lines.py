"""Lessons and procedures as lines, and back."""

import json
from collections.abc import Iterator, Sequence

from atmem_core.advice.drafting import (
    ACTIVATION_CHARS,
    PRINCIPLE_CHARS,
    checked_marks,
    checked_parents,
    checked_said,
    checked_steps,
)
from atmem_core.advice.shelf import held
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import (
    Advice,
    AdviceStatus,
    CopyRefused,
    Lesson,
    Procedure,
    RecordKind,
    Scope,
    Source,
    member,
)
from atmem_core.remember.ingest import checked_trust
from atmem_core.store.protocol import Store
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import ERASED, PAGE, Answer, Arrival, refusal
from atmem_core.transfer.profile_lines import FOREIGN


class AdviceTransfer:
    """See ``RecordTransfer``. Behind the notes and lessons that it was drawn from.

    Args:
        kind: Lesson or procedure.
    """

    def __init__(self, kind: RecordKind) -> None:
        self._kind = kind
        self.name = kind.value

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """In the order in which they were stored."""
        after = 0
        while page := store.advice_store.every(subject, self._kind, after=after, limit=PAGE):
            after = page[-1][0]
            yield [_line(one.advice) for _, one in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store them with their ids, parents, counts and state."""
        read = [self._read(arrival, fields) for fields in lines]
        advice = [held(one) for one in read if isinstance(one, Advice)]
        stored = iter(arrival.store.advice_store.put(arrival.subject, advice) if advice else ())
        return [next(stored) or FOREIGN if isinstance(one, Advice) else one for one in read]

    def _read(self, arrival: Arrival, fields: Fields) -> Advice | CopyRefused:
        try:
            return _advice(arrival, fields, self._kind)
        except (InvalidInput, WriteRefused) as error:
            return refusal(error)


def _line(advice: Advice) -> dict[str, object]:
    line: dict[str, object] = {
        "id": advice.id,
        "project": advice.scope.project,
        "activation": advice.activation,
        "tags": list(advice.tags),
        "parent_ids": list(advice.parent_ids),
        "source": advice.source.value,
        "trust": advice.trust,
        "status": advice.status.value,
        "success_count": advice.success_count,
        "failure_count": advice.failure_count,
        "use_count": advice.use_count,
        "vote_score": advice.vote_score,
        "created_at": advice.created_at,
        "updated_at": advice.updated_at,
        "deprecated_at": advice.deprecated_at,
    }
    if isinstance(advice, Lesson):
        line["principle"] = advice.principle
    if isinstance(advice, Procedure):
        line["steps"] = [json.dumps([one.description, one.tool_hint]) for one in advice.steps]
        line["lesson_ids"] = list(advice.lesson_ids)
    return sparse(line)


def _advice(arrival: Arrival, fields: Fields, kind: RecordKind) -> Advice:
    given = fields.name("id")
    if given == ERASED:
        raise InvalidInput("id", "stands for what was erased")
    source = member(Source, "source", fields.text("source"))
    common = {
        "id": arrival.id(given),
        "scope": Scope(subject=arrival.subject, project=fields.maybe_name("project")),
        "activation": checked_said(
            "activation", fields.text("activation"), ACTIVATION_CHARS, arrival.redaction
        ),
        "tags": checked_marks(fields.texts("tags")),
        "parent_ids": _ids(arrival, fields, "parent_ids"),
        "source": source,
        "trust": checked_trust(fields.number("trust"), source),
        "status": member(AdviceStatus, "status", fields.text("status")),
        "success_count": fields.whole("success_count"),
        "failure_count": fields.whole("failure_count"),
        "use_count": fields.whole("use_count"),
        "vote_score": fields.number("vote_score") or 0.0,
        "created_at": fields.sure_moment("created_at"),
        "updated_at": fields.sure_moment("updated_at"),
        "deprecated_at": fields.moment("deprecated_at"),
    }
    if kind is RecordKind.LESSON:
        said = checked_said("principle", fields.text("principle"), PRINCIPLE_CHARS, arrival.redaction)
        return Lesson(principle=said, **common)  # type: ignore[arg-type]  # fields of advice, by name
    steps = checked_steps([_step(one) for one in fields.texts("steps")], arrival.redaction)
    lessons = _ids(arrival, fields, "lesson_ids")
    return Procedure(steps=steps, lesson_ids=lessons, **common)  # type: ignore[arg-type]  # as above


def _ids(arrival: Arrival, fields: Fields, name: str) -> tuple[str, ...]:
    given = checked_parents(name, fields.texts(name))
    return tuple(arrival.aliases.get(found, found) for found in map(arrival.id, given))


def _step(text: str) -> dict[str, object]:
    try:
        said, hint = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput("steps", "must each be a list of a text and a tool's name") from None
    return {"description": said, "tool_hint": hint}
