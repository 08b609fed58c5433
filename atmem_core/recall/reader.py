"""The read path, whole: query, vector, candidates, decision. Writes nothing."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import Protocol

from atmem_core.clock import Clock, Deadline
from atmem_core.config import Config
from atmem_core.embedding import ServingFor
from atmem_core.judge import Judge
from atmem_core.policy.answers import doubtful, reordered
from atmem_core.policy.calibration import Calibration
from atmem_core.policy.decide import conclude, decide
from atmem_core.policy.question import read_query
from atmem_core.policy.weigh import Situation, weigh
from atmem_core.recall.candidates import Found, Pools, find
from atmem_core.recall.embed import Sight, look
from atmem_core.recall.request import Request
from atmem_core.recall.verdicts import ask
from atmem_core.records import (
    Candidate,
    Decision,
    EmbeddingIdentity,
    JudgedCandidate,
    Note,
    Query,
    ReasonCode,
)
from atmem_core.store.protocol import Store

_WIDE = 120
_WIDER = 4
_NOTHING = Found(candidates=(), notes={}, pool_cut=False, vectors_missing=0)


class CalibrationFor(Protocol):
    """The port to the calibrations: which one serves this identity, with or without a judge."""

    def __call__(
        self, identity: EmbeddingIdentity | None, *, configured: bool, judge: str | None
    ) -> Calibration:
        """One without a rule for a judge when there is none for ``judge``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A decision and the notes of its candidates."""

    decision: Decision
    notes: dict[str, Note]

    @property
    def released(self) -> tuple[Note, ...]:
        """The notes that may be injected, best first."""
        return tuple(self.notes[record_id] for record_id in self.decision.ranked_record_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Everything that was found, weighed, in no order, and its notes."""

    verdicts: Sequence[JudgedCandidate]
    notes: dict[str, Note]


class Reader:
    """Answers queries over one store."""

    def __init__(
        self,
        store: Store,
        serving_for: ServingFor,
        judge: Judge | None,
        *,
        config: Config,
        clock: Clock,
        calibration_for: CalibrationFor,
    ) -> None:
        self._store = store
        self._serving_for = serving_for
        self._judge = judge
        self._config = config
        self._clock = clock
        self._calibration_for = calibration_for
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="atmem-model")

    def decide(
        self, text: str, request: Request, *, allow_background: bool = False, finding: str | None = None
    ) -> Answer:
        """The decision on one query.

        Args:
            text: What was asked. It alone establishes support.
            request: Of whom, and within which bounds.
            allow_background: Release background context too.
            finding: A rewritten query. What only its words find may be background at most, and changes no
                class of what the text itself finds.
        """
        query = read_query(text, max_chars=self._config.query_max_chars)
        deadline = Deadline(request.deadline_ms)
        if query.refusal is not None:
            situation = self._situation(Sight(), _NOTHING, request, allow_background=allow_background)
            return Answer(decision=decide(query, (), situation), notes={})
        judge = self._judge if query.reading.english else None
        sight = self._look(query, request, deadline)
        calibration = self._calibration(sight, judge)
        found = self._find(
            query, sight, request, calibration, limit=self._config.judged_candidates, finding=finding
        )
        situation = self._situation(sight, found, request, allow_background=allow_background)
        if calibration.judge is None or judge is None:
            return Answer(decision=decide(query, found.candidates, situation), notes=found.notes)
        reckoned = replace(situation, calibration=calibration)
        weighed = weigh(query, found.candidates, reckoned)
        asked = doubtful(query, weighed, limit=self._config.judged_answers)
        answers = ask(judge, query, asked, pool=self._pool, deadline_ms=deadline.left_ms)
        by_record = answers.by_record
        if answers.failed is not None:
            by_record = {one.record_id: calibration.judge.silent for one in asked}
            reckoned = replace(reckoned, degraded=(*reckoned.degraded, answers.failed))
        return Answer(decision=conclude(query, weighed, reckoned, by_record), notes=found.notes)

    def rank(self, text: str, request: Request, *, k: int, judged: int = 0) -> Ranked:
        """All that was found, weighed but not refused: for a search, which injects nothing.

        The judge's answers about the best ``judged`` have their part in the order.
        """
        query = replace(read_query(text, max_chars=self._config.query_max_chars), refusal=None)
        deadline = Deadline(request.deadline_ms)
        sight = self._look(query, request, deadline)
        # More than k are measured: what was said around a turn may lift it into the k best.
        found = self._find(query, sight, request, self._calibration(sight), limit=max(_WIDE, _WIDER * k))
        situation = self._situation(sight, found, request, listed=len(found.candidates))
        verdicts = decide(query, found.candidates, situation).candidates
        judge = self._judge if judged and query.reading.english else None
        rule = self._calibration(sight, judge).judge
        if judge is None or rule is None:
            return Ranked(verdicts=verdicts, notes=found.notes)
        best = nlargest(judged, verdicts, key=lambda one: one.rank_score)
        asked = _those(best, found.candidates)
        answers = ask(judge, query, asked, pool=self._pool, deadline_ms=deadline.left_ms)
        if answers.failed is None:
            verdicts = reordered(verdicts, rule, answers.by_record)
        return Ranked(verdicts=verdicts, notes=found.notes)

    def _look(self, query: Query, request: Request, deadline: Deadline) -> Sight:
        serving = self._serving_for(request.scope.subject)
        sight = look(serving.embedder, query, pool=self._pool, deadline_ms=deadline.left_ms)
        return sight.in_epoch(serving.epoch)

    def _calibration(self, sight: Sight, judge: Judge | None = None) -> Calibration:
        version = None if judge is None else judge.version
        return self._calibration_for(sight.identity, configured=sight.configured, judge=version)

    def _find(
        self,
        query: Query,
        sight: Sight,
        request: Request,
        calibration: Calibration,
        *,
        limit: int,
        finding: str | None = None,
    ) -> Found:
        further = () if finding is None else read_query(finding, max_chars=self._config.query_max_chars).terms
        pools = Pools(keyword=self._config.keyword_pool, vector=self._config.vector_pool, judged=limit)
        with self._store.read(request.filter(self._clock.now())) as view:
            return find(view, query, sight.vector, calibration=calibration, pools=pools, finding=further)

    def _situation(
        self,
        sight: Sight,
        found: Found,
        request: Request,
        *,
        allow_background: bool = False,
        listed: int | None = None,
    ) -> Situation:
        """How things stand for this query, under the calibration that needs no judge."""
        return Situation(
            now=self._clock.now(),
            scope=request.scope,
            calibration=self._calibration(sight),
            semantic=sight.state,
            semantic_counts=sight.vector is not None and sight.vector.counts,
            failing=sight.configured and sight.vector is None,
            degraded=_degraded(sight, found),
            allow_background=allow_background,
            max_released=self._config.max_released,
            max_listed=listed or self._config.judged_candidates,
        )

    def close(self) -> None:
        """Let late embedding calls end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _degraded(sight: Sight, found: Found) -> tuple[ReasonCode, ...]:
    codes = list(sight.degraded)
    if found.vectors_missing:
        codes.append(ReasonCode.VECTORS_MISSING)
    if found.vectors_unscanned:
        codes.append(ReasonCode.VECTORS_UNSCANNED)
    if found.pool_cut:
        codes.append(ReasonCode.KEYWORD_POOL_CUT)
    return tuple(codes)


def _those(verdicts: Sequence[JudgedCandidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """What was found, for each of the verdicts."""
    by_id = {one.record_id: one for one in candidates}
    return [by_id[one.record_id] for one in verdicts]
