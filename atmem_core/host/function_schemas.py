"""What each of the functions ``memory.*`` takes, as JSON schema, and whether it changes something."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["reads", "adds", "removes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSchema:
    """One function's arguments."""

    kind: Kind
    parameters: Mapping[str, Any]


def _object(required: list[str], **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _said(description: str, **more: object) -> Mapping[str, Any]:
    return {"type": "string", "minLength": 1, "description": description, **more}


def _labels(description: str, most: int) -> Mapping[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "maxItems": most, "description": description}


_ID = _said("Id at the head of a recalled line", maxLength=200)
_KEY = _said("Letters, digits and _ . - such as diet", maxLength=120)
_K = {"type": "integer", "minimum": 1, "maximum": 10}
_QUERY = _said("The user's request, or words of it")
_ADVICE = _object([], query=_QUERY, id=_ID, k=_K)
SCHEMAS: Mapping[str, FunctionSchema] = {
    "memory.notes.store": FunctionSchema(
        kind="adds", parameters=_object(["content"], content=_said("One statement"), tags=_labels("Tags", 16))
    ),
    "memory.notes.recall": FunctionSchema(
        kind="reads",
        parameters=_object(
            [],
            query=_QUERY,
            id=_ID,
            k=_K,
            tags=_labels("All of them must be there", 16),
            scope={"type": "string", "enum": ["all", "project"], "description": "all by default"},
        ),
    ),
    "memory.notes.forget": FunctionSchema(kind="removes", parameters=_object(["id"], id=_ID)),
    "memory.profile.set": FunctionSchema(
        kind="adds",
        parameters=_object(
            ["key", "value"],
            key=_KEY,
            value=_said("The value", maxLength=2_000),
            pinned={"type": "boolean", "description": "Show it always; true by default"},
            keywords=_labels("Show it when a message holds one, if it isn't pinned", 8),
        ),
    ),
    "memory.profile.remove": FunctionSchema(kind="removes", parameters=_object(["key"], key=_KEY)),
    "memory.profile.list": FunctionSchema(kind="reads", parameters=_object([])),
    "memory.profile.history": FunctionSchema(kind="reads", parameters=_object(["key"], key=_KEY)),
    "memory.lessons.recall": FunctionSchema(kind="reads", parameters=_ADVICE),
    "memory.procedures.recall": FunctionSchema(kind="reads", parameters=_ADVICE),
}
