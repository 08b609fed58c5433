"""Small builders of what judgement takes."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from atmem_core.policy.calibration import Calibration
from atmem_core.policy.question import read_query
from atmem_core.policy.weigh import Situation
from atmem_core.records import Candidate, Query, Scope, SemanticState, Source
from atmem_core.text import STEMS, digest, tokenise

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CALIBRATION = Calibration(
    version="test",
    bias=-4.0,
    weights={
        "lexical": 3.0,
        "bm25": 1.0,
        "semantic": 4.0,
        "agreement": 2.0,
        "contrast": 1.0,
        "unnamed_contrast": 1.0,
    },
    ranking={"candidate_prior": 0.4, "trust": 0.2, "recency": 0.2, "speaker": 1.0, "window": 1.0},
    direct=0.6,
    background=0.2,
    drop_off=1.5,
)


def query(text: str) -> Query:
    return read_query(text, max_chars=4000)


def candidate(text: str, **changes: Any) -> Candidate:
    made = Candidate(
        record_id="n" + digest(text)[:8],
        content_hash=digest(text),
        text=text,
        token_count=len(tokenise(text)),
        speaker="user",
        source=Source.USER,
        trust=0.9,
        told_at=datetime(2026, 1, 1, tzinfo=UTC),
        dated=False,
        coverage=1.0,
        typo_coverage=1.0,
        bm25=1.0,
        matched=frozenset(STEMS[token.word] for token in tokenise(text)),
        cosine=0.8,
    )
    return replace(made, **changes)


def situation(**changes: Any) -> Situation:
    made = Situation(
        now=NOW,
        scope=Scope(subject="ada"),
        calibration=CALIBRATION,
        semantic=SemanticState(identity="0" * 32, epoch=None, health="healthy"),
        semantic_counts=True,
    )
    return replace(made, **changes)
