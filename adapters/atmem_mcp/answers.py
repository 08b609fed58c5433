"""What the tools answer: a typed object for programs, and a text for a model."""

from typing import Any, Literal

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

NOTHING = "Nothing useful is in memory for this."


class RecallDecision(BaseModel):
    """The decision and what it released."""

    decision: dict[str, Any] = Field(description="atmem-retrieval-decision-v1")
    context: str = Field(description="Fenced text that may be put before a model; empty when none may")


class Stored(BaseModel):
    """What was stored, or was there already."""

    record_id: str
    created: bool


class ForgottenIds(BaseModel):
    """What left recall."""

    record_ids: list[str]


class LegacyHit(BaseModel):
    """One row of a diagnostic ranking."""

    record_id: str
    score: float
    text: str


class LegacyHits(BaseModel):
    """A ranking that nobody judged."""

    injection_authority: Literal[False] = False
    hits: list[LegacyHit]


def recalled(decision: dict[str, Any], context: str, *, most_bytes: int) -> CallToolResult:
    """The decision and its text; of the candidates as many, best first, as the size allows."""
    candidates = decision["candidates"]
    while True:
        whole = answer(RecallDecision(decision=decision, context=context), context or NOTHING)
        if not candidates or len(whole.model_dump_json(by_alias=True)) <= most_bytes:
            return whole
        candidates = candidates[:-1]
        decision = {**decision, "candidates": candidates}


def answer(structured: BaseModel, text: str) -> CallToolResult:
    """A result whose text isn't the object over again: a model pays for each of its bytes."""
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content=structured.model_dump(mode="json"),
    )
