"""A run: each store into a memory of its own, each question decided, what came of it kept as an outcome."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from atmem_core.evaluation.dataset import Dataset, DatasetStore, Question
from atmem_core.evaluation.model import Model
from atmem_core.evaluation.storing import CountingClock, tell
from atmem_core.memory import Memory
from atmem_core.policy.answers import certainty
from atmem_core.policy.guards import OBJECTIONS
from atmem_core.policy.metrics import Outcome
from atmem_core.records import Decision, Hit

RANKED = 10
"""Places of the ranking that are looked at."""
_MS = 1_000
_WARM_UP = "What is there?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    done: int
    total: int
    """Notes to store and questions to ask."""
    store: str


@dataclass(slots=True, kw_only=True)
class Run:
    """What a run brought, outcomes in the data set's order."""

    outcomes: list[Outcome] = field(default_factory=list)
    notes: int = 0
    """Notes told, those of copies included."""
    refused: int = 0
    """Notes that the memory did not take."""
    judge: Mapping[str, object] = field(default_factory=dict)
    """Versions and thresholds of the first decision that looked at candidates."""
    degraded: Counter[str] = field(default_factory=Counter)
    """Decisions by what was not available to them."""

    def count(self, decision: Decision) -> None:
        """Keep what a decision says about its judge."""
        self.degraded.update(code.value for code in decision.degraded)
        if decision.candidates and not self.judge:
            self.judge = _judge(decision)


def run(dataset: Dataset, model: Model, *, progress: Callable[[Progress], None] | None = None) -> Run:
    """Store and ask everything.

    Args:
        dataset: What to store and ask.
        model: What embeds.
        progress: Called after each store's notes and after each question.
    """
    brought = Run()
    total = sum(len(store.notes) + len(store.questions) for store in dataset.stores)

    def tell_progress(store: DatasetStore) -> None:
        if progress is not None:
            done = brought.notes + len(brought.outcomes)
            progress(Progress(done=done, total=total, store=store.name))

    for store in dataset.stores:
        clock = CountingClock(store.now)
        with Memory.open(":memory:", embedder=model.embedder, clock=clock) as memory:
            told = tell(memory, store)
            brought.notes += len(store.notes)
            brought.refused += told.refused
            memory.decide(_WARM_UP, subject=store.notes[0].scope.subject)
            for question in store.questions:
                tell_progress(store)
                model.forget_queries()
                answer = _ask(memory, question)
                brought.count(answer.decision)
                brought.outcomes.append(_outcome(question, answer, told.ids))
        tell_progress(store)
    return brought


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    decision: Decision
    hits: Sequence[Hit]
    """The ranking; empty for a question without evidence, whose ranking tells nothing."""
    cpu_ms: float


def _ask(memory: Memory, question: Question) -> _Answer:
    scope = question.scope
    started = time.process_time()
    decision = memory.decide(
        question.text,
        subject=scope.subject,
        project=scope.project,
        session=scope.session,
        agent=scope.agent,
    )
    cpu_ms = (time.process_time() - started) * _MS
    hits: Sequence[Hit] = ()
    if question.evidence:
        hits = memory.search(
            question.text,
            subject=scope.subject,
            project=scope.project,
            session=scope.session,
            agent=scope.agent,
            k=RANKED,
        )
    return _Answer(decision=decision, hits=hits, cpu_ms=cpu_ms)


def _outcome(question: Question, answer: _Answer, ids: Mapping[str, tuple[str, ...]]) -> Outcome:
    decision = answer.decision
    pieces = [{one for key in piece for one in ids.get(key, ())} for piece in question.evidence]
    right = set().union(*pieces)
    forbidden = {one for key in question.forbidden for one in ids.get(key, ())}
    injected = set(decision.ranked_record_ids)
    top = max(decision.candidates, key=lambda one: one.relevance_score, default=None)
    return Outcome(
        label=question.label,
        negative=question.negative,
        support=decision.support_class,
        score=None if top is None else top.relevance_score,
        certainty=_certainty(decision),
        top_right=top is not None and top.record_id in right,
        ranks=tuple(_rank(piece, answer.hits) for piece in pieces),
        injected=len(injected),
        injected_right=len(injected & right),
        covered=sum(bool(piece & injected) for piece in pieces),
        forbidden=len(question.forbidden),
        leaked=len(forbidden & injected),
        case=question.case,
        cpu_ms=answer.cpu_ms,
    )


def _certainty(decision: Decision) -> float | None:
    """Of the surest candidate that no guard objects to, 0 to 1; None when there is none."""
    weight = decision.thresholds.get("judge_weight", 0.0)
    sure = [certainty(one, weight) for one in decision.candidates if OBJECTIONS.isdisjoint(one.reason_codes)]
    return round(1 / (1 + math.exp(-max(sure))), 6) if sure else None


def _rank(piece: set[str], hits: Sequence[Hit]) -> int | None:
    return next((place for place, hit in enumerate(hits, 1) if hit.record_id in piece), None)


def _judge(decision: Decision) -> Mapping[str, object]:
    return {
        "policy": decision.policy_version,
        "calibration": decision.calibration_version,
        "thresholds": dict(decision.thresholds),
        "semantic": None if decision.semantic is None else decision.semantic.to_dict(),
    }
