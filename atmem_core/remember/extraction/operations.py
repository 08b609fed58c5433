"""A model's reply as operations. A bad entry is left out and counted; the others stay."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from atmem_core.chat import ChatReply
from atmem_core.errors import ExtractionFailed
from atmem_core.records import (
    OWNER,
    DropReason,
    Extraction,
    ExtractionJob,
    FactOperation,
    FactRef,
    OperationKind,
)
from atmem_core.remember.extraction.grounding import grounded
from atmem_core.remember.extraction.prompts import TOOL_NAME
from atmem_core.text import fold, storable, without_fence

MOST_OPERATIONS = 16
"""Most operations of one turn; a turn that seems to hold more is a list that was pasted."""
_MOST_CHARS = {"subject": 100, "predicate": 80, "object": 400}
_SELF = frozenset({"user", "the user", "i", "me", "myself", "owner", "speaker", "self", "users"})


def read_reply(
    reply: ChatReply, *, job: ExtractionJob, told: Sequence[str], priors: Sequence[FactRef]
) -> Extraction:
    """The operations of a reply.

    Raises:
        ExtractionFailed: ``extractor_invalid_args``: a call or an object that isn't what was asked for.
    """
    dropped: Counter[DropReason] = Counter()
    stray = 0
    taken: dict[tuple[str, str, str], FactOperation] = {}
    for entry in _entries(reply):
        read = _operation(entry, job, priors)
        if isinstance(read, DropReason):
            dropped[read] += 1
            continue
        if read is None:
            continue
        operation, strays = read
        why = _unfit(operation, told, job, taken)
        if why is not None:
            dropped[why] += 1
        else:
            taken[_key(operation)] = operation
            stray += strays
    return Extraction(operations=tuple(taken.values()), dropped=dict(dropped), stray_supersedes=stray)


def _unfit(
    operation: FactOperation,
    told: Sequence[str],
    job: ExtractionJob,
    taken: Mapping[tuple[str, str, str], FactOperation],
) -> DropReason | None:
    if _key(operation) in taken:
        return DropReason.REPEATED
    if not grounded(operation, told, speaker=job.speaker):
        return DropReason.UNGROUNDED
    return DropReason.TOO_MANY if len(taken) >= MOST_OPERATIONS else None


def _key(operation: FactOperation) -> tuple[str, str, str]:
    return fold(operation.entity), fold(operation.predicate), fold(operation.object)


def _entries(reply: ChatReply) -> list[object]:
    calls = [call for call in reply.tool_calls if call.name == TOOL_NAME]
    if calls:
        return _ops(_loaded(calls[-1].arguments))
    text = reply.text.strip()
    # Talk without an object is a model that has nothing to keep, or doesn't know how to say so.
    return _ops(_loaded(text)) if "{" in text else []


def _loaded(text: str) -> object:
    """The first JSON value that begins with ``{``, whatever stands around it."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    except (ValueError, RecursionError):
        raise ExtractionFailed(
            "extractor_invalid_args", f"{len(text)} characters are no JSON object"
        ) from None
    return value


def _ops(value: object) -> list[object]:
    ops = value.get("ops") if isinstance(value, Mapping) else None
    if not isinstance(ops, list):
        raise ExtractionFailed("extractor_invalid_args", "the object has no list of ops")
    return ops


def _operation(
    entry: object, job: ExtractionJob, priors: Sequence[FactRef]
) -> tuple[FactOperation, int] | DropReason | None:
    """The operation and 1 if it named a fact that it may not close; None for a NOOP."""
    if not isinstance(entry, Mapping):
        return DropReason.NO_OBJECT
    kind = str(entry.get("op", "")).strip().upper()
    if kind == OperationKind.NOOP:
        return None
    known = kind in (OperationKind.ADD, OperationKind.UPDATE)
    parts = _parts(entry) if known else DropReason.UNKNOWN_OPERATION
    if isinstance(parts, DropReason):
        return parts
    entity, predicate, stated = parts
    operation = FactOperation(
        kind=OperationKind.ADD, entity=whose(entity, job.speaker), predicate=predicate, object=stated
    )
    if kind == OperationKind.ADD:
        return operation, 0
    prior = _prior(entry.get("supersedes_fact_id"), operation, priors)
    if prior is None:
        # The new fact isn't lost for a number that the model made up.
        return operation, 1
    return replace(operation, kind=OperationKind.UPDATE, supersedes=prior.id), 0


def _parts(entry: Mapping[str, object]) -> tuple[str, str, str] | DropReason:
    found = []
    for name, most in _MOST_CHARS.items():
        value = entry.get(name)
        text = " ".join(without_fence(storable(value)).split()) if isinstance(value, str) else ""
        if not text:
            return DropReason.MISSING_PART
        if len(text) > most:
            return DropReason.TOO_LONG
        found.append(text)
    return found[0], found[1], found[2]


def whose(entity: str, speaker: str) -> str:
    """The speaker under one name: the owner for the user, the name for anybody else."""
    if fold(entity) not in _SELF:
        return entity
    return OWNER if fold(speaker) == "user" else speaker


def _prior(number: object, operation: FactOperation, priors: Sequence[FactRef]) -> FactRef | None:
    """The listed fact of this number, if it is about the same thing."""
    if isinstance(number, str) and number.isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(priors):
        return None
    prior = priors[number - 1]
    return prior if fold(prior.entity) == fold(operation.entity) else None
