"""Rows of the advice table as lessons and procedures."""

import json
import zlib
from collections.abc import Iterable
from typing import Any

from atmem_core.clock import from_micros, to_micros
from atmem_core.records import (
    Advice,
    AdviceStatus,
    Lesson,
    Procedure,
    ProcedureStep,
    RecordKind,
    Scope,
    Source,
)
from atmem_core.store.advice_protocol import HeldAdvice
from atmem_core.store.sqlite.asking import Answer
from atmem_core.store.sqlite.rows import maybe_text, text_of

COLUMNS = (
    "advice.row, id, subject, kind, project, activation, body, tags, search_text, source, trust, status, "
    "success_count, failure_count, use_count, vote_score, created_at, updated_at, deprecated_at"
)


def to_held(row: Answer, parents: Iterable[Answer]) -> HeldAdvice:
    """The advice in a row of ``COLUMNS``, with the ids and kinds of its parents."""
    ids = [(text_of(parent), kind) for parent, kind in parents]
    fields: dict[str, Any] = {
        "id": text_of(row[1]),
        "scope": Scope(subject=text_of(row[2]), project=maybe_text(row[4])),
        "activation": text_of(row[5]),
        "tags": tuple(map(text_of, json.loads(row[7]))),
        "source": Source(row[9]),
        "trust": float(row[10]),
        "status": AdviceStatus(row[11]),
        "success_count": int(row[12]),
        "failure_count": int(row[13]),
        "use_count": int(row[14]),
        "vote_score": float(row[15]),
        "created_at": from_micros(row[16]),
        "updated_at": from_micros(row[17]),
        "deprecated_at": None if row[18] is None else from_micros(row[18]),
        "parent_ids": tuple(parent for parent, kind in ids if kind == RecordKind.NOTE),
    }
    search_text = text_of(row[8])
    if RecordKind(row[3]) is RecordKind.LESSON:
        return HeldAdvice(advice=Lesson(principle=text_of(row[6]), **fields), search_text=search_text)
    steps = tuple(
        ProcedureStep(description=text_of(said), tool_hint=maybe_text(tool))
        for said, tool in json.loads(row[6])
    )
    lessons = tuple(parent for parent, kind in ids if kind == RecordKind.LESSON)
    return HeldAdvice(advice=Procedure(steps=steps, lesson_ids=lessons, **fields), search_text=search_text)


def body_of(advice: Advice) -> str:
    """What is stored of a principle or of steps."""
    if isinstance(advice, Lesson):
        return advice.principle
    if isinstance(advice, Procedure):
        return json.dumps([[step.description, step.tool_hint] for step in advice.steps], ensure_ascii=False)
    raise TypeError(f"{type(advice).__name__} is neither a lesson nor a procedure")


def to_row(held: HeldAdvice) -> dict[str, object]:
    """Named parameters of an insert."""
    advice = held.advice
    body = body_of(advice)
    content = "\0".join([advice.id, advice.activation, body])
    return {
        "id": advice.id,
        "subject": advice.scope.subject,
        "kind": (RecordKind.LESSON if isinstance(advice, Lesson) else RecordKind.PROCEDURE).value,
        "project": advice.scope.project,
        "activation": advice.activation,
        "body": body,
        "tags": json.dumps(advice.tags, ensure_ascii=False),
        "search_text": held.search_text,
        "source": advice.source.value,
        "trust": advice.trust,
        "status": advice.status.value,
        "success_count": advice.success_count,
        "failure_count": advice.failure_count,
        "use_count": advice.use_count,
        "vote_score": advice.vote_score,
        "created_at": to_micros(advice.created_at),
        "updated_at": to_micros(advice.updated_at),
        "deprecated_at": None if advice.deprecated_at is None else to_micros(advice.deprecated_at),
        "checksum": zlib.crc32(content.encode()).to_bytes(4, "big"),
    }


def parent_fields(advice: Advice, row: int) -> list[dict[str, object]]:
    """Named parameters of the rows of its parents."""
    lessons = advice.lesson_ids if isinstance(advice, Procedure) else ()
    by_kind = ((RecordKind.NOTE, advice.parent_ids), (RecordKind.LESSON, lessons))
    return [{"row": row, "parent_id": parent, "kind": kind.value} for kind, ids in by_kind for parent in ids]
