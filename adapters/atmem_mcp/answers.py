"""What the tools answer: a typed object for programs, and a text for a model."""

from datetime import datetime
from typing import Any, Literal

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from atmem_core import Fact, FactHits, Note, RecordKind
from atmem_core.context import escape, render_notes

NOTHING = "Nothing useful is in memory for this."
NO_FACT = "No fact that holds has a word or a meaning of this."
NO_ROOM = "Facts were found; none fits the size of an answer."


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


class FoundFact(BaseModel):
    """One fact that holds; its summary is escaped."""

    fact_id: str
    summary: str
    score: float
    valid_from: datetime


class FoundFacts(BaseModel):
    """A ranking of facts that nobody judged, best first."""

    injection_authority: Literal[False] = False
    hits: list[FoundFact]
    left_out: int = Field(description="Facts that were found and have no room here")
    degraded: list[str]


class ForgottenFact(BaseModel):
    """Whether a fact left recall."""

    forgotten: bool
    fact_id: str


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


def found(ranked: FactHits, *, budget_tokens: int, most_bytes: int) -> CallToolResult:
    """The facts that were found; as many, best first, as the size allows, and one in any case."""
    shown = len(ranked.hits)
    while True:
        whole = _of_best(ranked, shown, budget_tokens)
        if shown <= 1 or len(whole.model_dump_json(by_alias=True).encode()) <= most_bytes:
            return whole
        shown -= 1


def _of_best(ranked: FactHits, shown: int, budget_tokens: int) -> CallToolResult:
    notes = [_as_note(hit.fact) for hit in ranked.hits[:shown]]
    block = render_notes(notes, budget_tokens=budget_tokens)
    hits = [
        FoundFact(
            fact_id=hit.fact.id,
            summary=escape(hit.fact.text),
            score=hit.score,
            valid_from=hit.fact.valid_from,
        )
        for hit in ranked.hits[:shown]
        if hit.fact.id in block.record_ids
    ]
    left_out = len(ranked.hits) - len(hits)
    facts = FoundFacts(hits=hits, left_out=left_out, degraded=list(ranked.degraded))
    return answer(facts, block.text or (NO_ROOM if ranked.hits else NO_FACT))


def _as_note(fact: Fact) -> Note:
    """As a recall shows a fact: dated from when it holds."""
    return Note(
        id=fact.id,
        scope=fact.scope,
        text=fact.text,
        speaker=fact.speaker,
        source=fact.source,
        trust=fact.trust,
        content_hash=fact.content_hash,
        created_at=fact.recorded_at,
        occurred_at=fact.valid_from,
        kind=RecordKind.FACT,
    )


def answer(structured: BaseModel, text: str) -> CallToolResult:
    """A result whose text isn't the object over again: a model pays for each of its bytes."""
    return CallToolResult(
        content=[TextContent(text=text)],
        structured_content=structured.model_dump(mode="json"),
    )
