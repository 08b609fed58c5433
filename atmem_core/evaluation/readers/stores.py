"""Labelled stores of our own: a folder of files, as ``atmem_core.evaluation.cases`` reads them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from atmem_core.evaluation.dataset import SUBJECT, DatasetNote, DatasetStore, Question, told_in_order
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope

NEGATIVE: Mapping[str, NegativeKind] = {
    "unrelated": NegativeKind.UNRELATED,
    "chore": NegativeKind.CHORE,
    "smalltalk": NegativeKind.CHORE,
    "same_names": NegativeKind.SAME_NAMES,
    "wrong_person": NegativeKind.WRONG_PERSON,
}
"""A kind of case to the kind of negative; any other kind without an answer is a fact that is absent."""


def read(files: Sequence[tuple[str, object]]) -> tuple[DatasetStore, ...]:
    """The stores of files, each with its name."""
    return tuple(_store(Fields.of(data, name)) for name, data in files)


def _store(file: Fields) -> DatasetStore:
    notes = told_in_order([_note(one) for one in file.objects("notes")])
    return DatasetStore(
        name=file.text("store"),
        now=file.moment("now") or datetime(2026, 1, 1, tzinfo=UTC),
        notes=notes,
        questions=tuple(_question(one) for one in file.objects("cases")),
    )


def _note(one: Fields) -> DatasetNote:
    return DatasetNote(
        key=one.text("key"),
        text=one.text("text"),
        scope=Scope(subject=SUBJECT, session=one.some_text("session")),
        speaker=one.some_text("speaker") or "user",
        source=one.some_text("source") or "user",
        tags=one.texts("tags"),
        occurred_at=one.moment("occurred_at"),
        valid_to=one.moment("valid_to"),
        supersedes=one.some_text("supersedes"),
    )


def _question(one: Fields) -> Question:
    kind = one.text("kind")
    answers = one.texts("answers")
    return Question(
        text=one.text("query"),
        label=kind,
        evidence=(answers,) if answers else (),
        negative=None if answers else NEGATIVE.get(kind, NegativeKind.FACT_ABSENT),
    )
