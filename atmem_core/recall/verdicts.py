"""The judge's answers about the records that might be released, or the reason why there are none.

Runs after the snapshot is closed: no read transaction stays open across a model call.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from atmem_core.errors import JudgeUnavailable
from atmem_core.judge import Judge
from atmem_core.recall.in_time import Closed, NotInTime, in_time
from atmem_core.records import Candidate, Query, ReasonCode, attributed


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a judge said."""

    by_record: Mapping[str, float] = field(default_factory=dict)
    """Record id to an answer from 0 to 1."""
    failed: ReasonCode | None = None


def ask(
    judge: Judge, query: Query, candidates: Sequence[Candidate], *, pool: Executor, deadline_ms: float | None
) -> Answers:
    """One answer a candidate, or none at all."""
    if not candidates:
        return Answers()
    texts = [attributed(candidate.speaker, candidate.text) for candidate in candidates]
    try:
        found = in_time(lambda: judge.answered(query.focus, texts), pool=pool, deadline_ms=deadline_ms)
    except NotInTime:
        return Answers(failed=ReasonCode.JUDGE_DEADLINE)
    except (JudgeUnavailable, Closed):
        return Answers(failed=ReasonCode.JUDGE_UNAVAILABLE)
    return Answers(by_record={one.record_id: score for one, score in zip(candidates, found, strict=True)})
