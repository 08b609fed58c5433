"""The precision layout: records in every state of life, and cases that say what must and mustn't return.

An object with ``records`` (``id``, ``text``, ``scope``, ``status``, ``supersedes`` or ``superseded_by``,
times) and ``cases``: a single turn with ``query``, ``must_return`` and ``must_not_return``, or a session
whose ``turns`` have these. A case passes when all that must return is injected and nothing that mustn't;
where nothing must return, when nothing is injected.
"""

from collections.abc import Iterator

from atmem_core.evaluation.dataset import DatasetStore, Question, asked_at, told_in_order
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.evaluation.readers.jsonl import kind, note, scope
from atmem_core.records import Scope


def read(data: object) -> tuple[DatasetStore, ...]:
    """One store: all records live together, so that scopes are put to the test too."""
    file = Fields.of(data, "the file")
    records = file.objects("records")
    older = {
        newer: one.text("key", "id")
        for one in records
        if (newer := one.some_text("superseded_by")) is not None
    }
    notes = told_in_order([note(one, superseded_by=older) for one in records])
    questions = tuple(
        question for index, case in enumerate(file.objects("cases"), 1) for question in _case(case, index)
    )
    return (
        DatasetStore(
            name=file.some_text("name") or "precision",
            now=file.moment("now") or asked_at(notes),
            notes=notes,
            questions=questions,
        ),
    )


def _case(case: Fields, number: int) -> Iterator[Question]:
    name = case.some_text("id") or f"case {number}"
    whose = scope(case)
    if "turns" not in case.values:
        yield _turn(case, name, whose, label="single turn")
        return
    for turn in case.objects("turns"):
        yield _turn(turn, name, whose, label="session")


def _turn(one: Fields, case: str, whose: Scope, *, label: str) -> Question:
    must = one.texts("must_return")
    return Question(
        text=one.text("query", "text"),
        label=label,
        scope=scope(one, fallback=whose),
        evidence=tuple((key,) for key in must),
        negative=None if must else kind(one),
        forbidden=one.texts("must_not_return"),
        case=case,
    )
