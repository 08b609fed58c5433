"""LoCoMo's layout: conversations of two people, each turn a note, questions with the turns that answer them.

A list of objects with ``sample_id``, ``conversation`` (``session_N`` lists of turns with ``speaker``,
``dia_id``, ``text`` and sometimes ``blip_caption``, and ``session_N_date_time``) and ``qa``.
Categories 1 to 4 are answerable; 5 asks one person's detail of the other.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import DatasetNote, DatasetStore, Question, asked_at
from atmem_core.evaluation.readers.fields import Fields
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope

LABELS = {"1": "multi-hop", "2": "temporal", "3": "inference", "4": "single-hop", "5": "wrong person"}
_WRONG_PERSON = "5"
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")
"""One evidence text may name several turns, and some name them as ``D:11:26`` or ``D4:07``."""
_DATE = "%I:%M %p on %d %B, %Y"


def read(data: object) -> tuple[tuple[DatasetStore, ...], int]:
    """The stores, and how many questions were left out since no turn is their evidence."""
    conversations = data if isinstance(data, list) else [data]
    read_ones = [_store(Fields.of(one, f"[{index}]"), index) for index, one in enumerate(conversations)]
    return tuple(store for store, _ in read_ones), sum(skipped for _, skipped in read_ones)


def _store(sample: Fields, index: int) -> tuple[DatasetStore, int]:
    name = sample.some_text("sample_id") or f"conversation {index + 1}"
    talk = Fields.of(sample.values.get("conversation"), f"{sample.where}.conversation")
    notes = tuple(_notes(name, talk))
    keys = {note.key for note in notes}
    questions: list[Question] = []
    skipped = 0
    for one in sample.objects("qa"):
        question = _question(name, one, keys)
        if question is None:
            skipped += 1
        else:
            questions.append(question)
    speakers = tuple(dict.fromkeys(note.speaker for note in notes))
    store = DatasetStore(
        name=name, now=asked_at(notes), notes=notes, questions=tuple(questions), speakers=speakers
    )
    return store, skipped


def _notes(subject: str, talk: Fields) -> Iterator[DatasetNote]:
    numbers = sorted(int(found[1]) for name in talk.values if (found := _SESSION.fullmatch(name)))
    for number in numbers:
        session = f"session_{number}"
        told_at = _moment(talk, f"{session}_date_time")
        for turn in talk.objects(session):
            yield DatasetNote(
                key=_key(turn),
                text=_text(turn),
                scope=Scope(subject=subject, session=session),
                speaker=turn.text("speaker"),
                occurred_at=told_at,
            )


def _key(turn: Fields) -> str:
    found = _TURN.fullmatch(turn.text("dia_id"))
    if found is None:
        raise InvalidInput("dataset", f"{turn.where}: 'dia_id' must look like 'D1:3'")
    return _turn_key(found)


def _turn_key(found: re.Match[str]) -> str:
    return f"D{int(found[1])}:{int(found[2])}"


def _text(turn: Fields) -> str:
    caption = turn.some_text("blip_caption")
    said = turn.some_text("text") or ""
    return f"{said} [photo: {caption}]".strip() if caption else said


def _question(subject: str, one: Fields, keys: set[str]) -> Question | None:
    category = one.text("category")
    named = [_turn_key(found) for text in one.texts("evidence") for found in _TURN.finditer(text)]
    evidence = tuple((key,) for key in dict.fromkeys(named) if key in keys)
    wrong_person = category == _WRONG_PERSON
    if not evidence and not wrong_person:
        return None
    return Question(
        text=one.text("question"),
        label=LABELS.get(category, f"category {category}"),
        scope=Scope(subject=subject),
        evidence=() if wrong_person else evidence,
        negative=NegativeKind.WRONG_PERSON if wrong_person else None,
    )


def _moment(talk: Fields, name: str) -> datetime | None:
    """Such as ``1:56 pm on 8 May, 2023``, taken as UTC: the layout names no zone."""
    value = talk.some_text(name)
    if value is None:
        return None
    try:
        return datetime.strptime(value, _DATE).replace(tzinfo=UTC)
    except ValueError:
        raise InvalidInput(
            "dataset", f"{talk.where}: {name!r} must look like '1:56 pm on 8 May, 2023', got {value!r}"
        ) from None
