"""LongMemEval's layout: every question has a haystack of sessions of its own, so every question is a store.

A list of objects with ``question_id``, ``question_type``, ``question``, ``question_date``,
``haystack_session_ids``, ``haystack_dates``, ``haystack_sessions`` (lists of turns with ``role``, ``content``
and sometimes ``has_answer``) and ``answer_session_ids``. An id that ends in ``_abs`` asks what isn't there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import DatasetNote, DatasetStore, Question, asked_at
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope

_ABSENT = "_abs"
_WEEKDAY = re.compile(r"\s*\(\w+\)\s*")
_DATES = ("%Y/%m/%d %H:%M", "%Y/%m/%d")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    note: DatasetNote
    session: str
    answers: bool


def read(data: object) -> tuple[tuple[DatasetStore, ...], int]:
    """The stores, and how many questions were left out since no session is their evidence."""
    if not isinstance(data, list):
        raise InvalidInput("dataset", "the file must hold a list of questions with 'haystack_sessions'")
    stores = [_store(Fields.of(one, f"[{index}]")) for index, one in enumerate(data)]
    kept = tuple(store for store in stores if store is not None)
    return kept, len(stores) - len(kept)


def _store(one: Fields) -> DatasetStore | None:
    name = one.text("question_id")
    turns = list(_turns(name, one))
    notes = tuple(turn.note for turn in turns)
    absent = name.endswith(_ABSENT)
    evidence = () if absent else _evidence(turns, one.texts("answer_session_ids"))
    if not evidence and not absent:
        return None
    question = Question(
        text=one.text("question"),
        label="abstention" if absent else one.text("question_type"),
        scope=Scope(subject=name),
        evidence=evidence,
        negative=NegativeKind.FACT_ABSENT if absent else None,
    )
    asked = _moment(one.some_text("question_date"), one.where) or asked_at(notes)
    return DatasetStore(name=name, now=asked, notes=notes, questions=(question,))


def _turns(subject: str, one: Fields) -> Iterator[_Turn]:
    sessions = one.values.get("haystack_sessions")
    dates = one.texts("haystack_dates")
    if not isinstance(sessions, list):
        raise InvalidInput("dataset", f"{one.where} must hold 'haystack_sessions', a list of sessions")
    names = one.texts("haystack_session_ids") or tuple(f"session_{n + 1}" for n in range(len(sessions)))
    if len(names) != len(sessions) or (dates and len(dates) != len(sessions)):
        raise InvalidInput(
            "dataset",
            f"{one.where}: {len(sessions)} haystack_sessions, {len(names)} haystack_session_ids, "
            f"{len(dates)} haystack_dates; there must be one of each a session",
        )
    for number, session in enumerate(sessions):
        told_at = _moment(dates[number] if dates else None, one.where)
        yield from _of_session(session, number, Scope(subject=subject, session=names[number]), told_at)


def _of_session(session: object, number: int, scope: Scope, told_at: datetime | None) -> Iterator[_Turn]:
    if not isinstance(session, list):
        raise InvalidInput("dataset", f"haystack_sessions[{number}] must be a list of turns")
    for index, value in enumerate(session):
        turn = Fields.of(value, f"haystack_sessions[{number}][{index}]")
        note = DatasetNote(
            key=f"{number}:{index}",
            text=turn.text("content"),
            scope=scope,
            speaker=turn.text("role"),
            source="assistant" if turn.text("role") == "assistant" else "user",
            occurred_at=told_at,
        )
        yield _Turn(note=note, session=scope.session or "", answers=turn.values.get("has_answer") is True)


def _evidence(turns: Sequence[_Turn], sessions: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """A piece for each answer session: its turns marked ``has_answer``, or any of its turns."""
    pieces = []
    for session in dict.fromkeys(sessions):
        inside = [turn for turn in turns if turn.session == session]
        marked = [turn for turn in inside if turn.answers]
        pieces.append(tuple(turn.note.key for turn in marked or inside))
    return tuple(piece for piece in pieces if piece)


def _moment(value: str | None, where: str) -> datetime | None:
    """Such as ``2023/05/20 (Sat) 02:21``, taken as UTC: the layout names no zone."""
    if value is None:
        return None
    plain = _WEEKDAY.sub(" ", value).strip()
    for form in _DATES:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise InvalidInput("dataset", f"{where}: a date must look like '2023/05/20 (Sat) 02:21', got {value!r}")
