"""JSON lines of our own: notes and questions, one object a line. docs/reference/evaluation.md shows them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import (
    SUBJECT,
    DatasetNote,
    DatasetStore,
    NoteStatus,
    Question,
    asked_at,
    told_in_order,
)
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import ROLES, Scope

TYPES = ("store", "note", "question")
_ONE_STORE = "store"


@dataclass(slots=True, kw_only=True)
class _Gathered:
    now: datetime | None = None
    notes: list[DatasetNote] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def read(text: str) -> tuple[DatasetStore, ...]:
    """The stores, in order of their first line."""
    stores: dict[str, _Gathered] = {}
    for one in _lines(text):
        gathered = stores.setdefault(one.some_text("store") or _ONE_STORE, _Gathered())
        match one.text("type"):
            case "store":
                gathered.now = one.moment("now")
            case "note":
                gathered.notes.append(note(one))
            case "question":
                gathered.questions.append(_question(one))
            case other:
                known = ", ".join(TYPES)
                raise InvalidInput("dataset", f"{one.where}: type {other!r} is none of {known}")
    return tuple(_store(name, gathered) for name, gathered in stores.items())


def _lines(text: str) -> Iterator[Fields]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value: object = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidInput("dataset", f"line {number} is no JSON: {error}") from None
        yield Fields.of(value, f"line {number}")


def _store(name: str, gathered: _Gathered) -> DatasetStore:
    notes = told_in_order(gathered.notes)
    named = [one.speaker for one in notes if one.speaker.casefold() not in ROLES]
    return DatasetStore(
        name=name,
        now=gathered.now or asked_at(notes),
        notes=notes,
        questions=tuple(gathered.questions),
        speakers=tuple(dict.fromkeys(named)),
    )


def note(one: Fields, *, superseded_by: Mapping[str, str] | None = None) -> DatasetNote:
    """A note of this layout or of the precision layout.

    Args:
        one: The object.
        superseded_by: Key of a note to the key of the one that it supersedes, where the layout says it
            on the older of the two.
    """
    key = one.text("key", "id")
    return DatasetNote(
        key=key,
        text=one.text("text"),
        scope=scope(one),
        speaker=one.some_text("speaker") or "user",
        source=one.some_text("source") or "user",
        tags=one.texts("tags"),
        occurred_at=one.moment("occurred_at"),
        valid_from=one.moment("valid_from"),
        valid_to=one.moment("valid_to"),
        status=_status(one),
        supersedes=one.some_text("supersedes") or (superseded_by or {}).get(key),
    )


def scope(one: Fields, fallback: Scope | None = None) -> Scope:
    """The object's scope: under ``scope``, as an object or as a subject alone, or among its own fields."""
    inner = one.values.get("scope")
    if isinstance(inner, str):
        return Scope(subject=inner)
    fields = one if inner is None else Fields.of(inner, f"{one.where}.scope")
    parts = {name: fields.some_text(name) for name in ("subject", "project", "session", "agent")}
    if fallback is not None and not any(parts.values()):
        return fallback
    return Scope(
        subject=parts["subject"] or (fallback.subject if fallback else SUBJECT),
        project=parts["project"],
        session=parts["session"],
        agent=parts["agent"],
    )


def kind(one: Fields) -> NegativeKind:
    """Why nothing answers; a fact that is absent when the object doesn't say."""
    value = one.some_text("kind")
    try:
        return NegativeKind.FACT_ABSENT if value is None else NegativeKind(value)
    except ValueError:
        known = ", ".join(NegativeKind)
        raise InvalidInput("dataset", f"{one.where}: kind {value!r} is none of {known}") from None


def _question(one: Fields) -> Question:
    evidence = one.texts("evidence")
    negative = None if evidence else kind(one)
    return Question(
        text=one.text("text"),
        label=one.some_text("label") or ("answerable" if negative is None else negative.value),
        scope=scope(one),
        evidence=tuple((key,) for key in evidence),
        negative=negative,
    )


def _status(one: Fields) -> NoteStatus:
    value = one.some_text("status") or NoteStatus.ACTIVE.value
    try:
        return NoteStatus(value)
    except ValueError:
        known = ", ".join(NoteStatus)
        raise InvalidInput("dataset", f"{one.where}: status {value!r} is none of {known}") from None
