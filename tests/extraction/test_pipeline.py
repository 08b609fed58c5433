"""The pipeline: bounded, serial, and nothing in it reaches the producer."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.errors import AtmemError, ChatUnavailable, ExtractionFailed, StoreBusy, WriteRefused
from atmem_core.events import Degraded, EventStream, JobDropped
from atmem_core.records import CheckStatus, Extraction, ExtractionJob, FactRef, OperationKind
from atmem_core.remember.extraction import RuleExtractor
from atmem_core.remember.extraction.channel import BoundedChannel
from atmem_core.remember.extraction.coordinator import MemoryExtractionCoordinator, TurnEnd
from atmem_core.remember.extraction.extractor import Extractor
from atmem_core.remember.extraction.orchestrator import CAPACITY, Keepers, MemoryExtractionOrchestrator
from atmem_core.remember.history import Said
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.extraction import GatedExtractor, ListedFacts, ListSink
from tests.extraction.jobs import LISBON, job

WAIT_S = 10.0


class Waiting:
    """Turns that wait until they are done."""

    def __init__(self) -> None:
        self.settled: list[str] = []
        self.attempts: list[str] = []
        self.gone: set[str] = set()

    def waits(self, asked: ExtractionJob) -> bool:
        return asked.turn_id not in self.gone

    def done(self, asked: ExtractionJob) -> None:
        self.settled.append(asked.turn_id)

    def failed(self, asked: ExtractionJob) -> None:
        self.attempts.append(asked.turn_id)


class Stage:
    """An orchestrator with stand-ins around it."""

    def __init__(self, extractor: Extractor, facts: ListedFacts | None = None, **more: object) -> None:
        self.facts = facts or ListedFacts()
        self.turns = Waiting()
        self.sink = ListSink()
        self.orchestrator = MemoryExtractionOrchestrator(
            extractor,
            clock=FakeClock(),
            keepers=Keepers(facts=self.facts, turns=self.turns),
            events=EventStream([self.sink]),
            **more,  # type: ignore[arg-type]
        )

    def objects(self) -> list[str]:
        return [one.object for one in self.facts.applied]


@pytest.fixture
def gated() -> Iterator[GatedExtractor]:
    extractor = GatedExtractor()
    yield extractor
    extractor.gate.set()


def numbered(number: int) -> ExtractionJob:
    return job(f"said {number}", turn_id=f"t{number}")


def test_a_hundred_enqueues_against_a_stalled_extractor_cost_nothing(gated: GatedExtractor) -> None:
    stage = Stage(gated)
    stage.orchestrator.start()
    stage.orchestrator.enqueue(numbered(0))
    assert gated.entered.wait(WAIT_S)
    cpu, wall = time.process_time(), time.monotonic()
    for number in range(1, 101):
        stage.orchestrator.enqueue(numbered(number))
    assert time.process_time() - cpu < 0.5
    assert time.monotonic() - wall < 2
    health = stage.orchestrator.health()
    assert (health.queued, health.dropped, health.running) == (CAPACITY, 100 - CAPACITY, True)


def test_the_oldest_give_way_are_counted_and_announced(gated: GatedExtractor) -> None:
    stage = Stage(gated)
    stage.orchestrator.start()
    stage.orchestrator.enqueue(numbered(0))
    assert gated.entered.wait(WAIT_S)
    for number in range(1, 36):
        assert stage.orchestrator.enqueue(numbered(number))
    dropped = [one for one in stage.sink.events if isinstance(one, JobDropped)]
    assert [(one.turn_id, one.reason, one.dropped) for one in dropped] == [
        ("t1", "overflow", 1),
        ("t2", "overflow", 2),
        ("t3", "overflow", 3),
    ]
    gated.gate.set()
    assert stage.orchestrator.drain(WAIT_S)
    assert stage.objects() == ["said 0", *(f"said {number}" for number in range(4, 36))]
    assert stage.turns.settled == ["t0", *(f"t{number}" for number in range(4, 36))]


def test_jobs_are_read_one_at_a_time_in_order() -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    class Counting:
        name = "counting"

        def extract(self, asked: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            found = RuleExtractor().extract(asked, priors)
            with lock:
                inside -= 1
            return found

    stage = Stage(Counting())
    stage.orchestrator.start()
    for number in range(20):
        stage.orchestrator.enqueue(job(f"I like thing{number}.", turn_id=f"t{number}"))
        stage.orchestrator.process(job(f"I like item{number}.", turn_id=f"p{number}"))
    assert stage.orchestrator.drain(WAIT_S)
    assert most == 1
    assert [one for one in stage.objects() if one.startswith("thing")] == [f"thing{n}" for n in range(20)]


@pytest.mark.parametrize(
    ("error", "reason", "counts"),
    [
        (ChatUnavailable("transport", "gone"), "transport", False),
        (ChatUnavailable("status_503", "busy"), "status_503", False),
        (ChatUnavailable("timeout", "slow"), "timeout", True),
        (ExtractionFailed("extractor_invalid_args", "odd"), "extractor_invalid_args", True),
        (ZeroDivisionError("Bernese"), "ZeroDivisionError", True),
        (StoreBusy("locked"), "store_StoreBusy", False),
    ],
)
def test_an_error_stays_inside_and_the_next_job_is_read(
    error: Exception, reason: str, *, counts: bool
) -> None:
    extractor = GatedExtractor(error)
    extractor.gate.set()
    stage = Stage(extractor)
    stage.orchestrator.start()
    assert stage.orchestrator.enqueue(numbered(0))
    assert stage.orchestrator.drain(WAIT_S)
    extractor.error = None
    stage.orchestrator.enqueue(numbered(1))
    assert stage.orchestrator.drain(WAIT_S)
    assert stage.objects() == ["said 1"]
    assert (stage.turns.settled, stage.turns.attempts) == (["t1"], ["t0"] if counts else [])
    (event,) = stage.sink.events
    assert isinstance(event, Degraded)
    assert (event.turn_id, event.reason) == ("t0", f"extraction: {reason}")
    health = stage.orchestrator.health()
    assert (health.done, health.failed, health.last_failure) == (1, 1, reason)
    assert "Bernese" not in repr(stage.sink.events) + repr(health)


def test_a_refused_operation_keeps_no_other_back() -> None:
    facts = ListedFacts(refuses=["tea"], error=WriteRefused("text_too_long", "no"))
    stage = Stage(RuleExtractor(), facts)
    outcome = stage.orchestrator.process(job("I like tea. I like milk."))
    assert (stage.objects(), outcome.entries_dropped, outcome.failure) == (["milk"], 1, "")
    assert stage.turns.settled == ["t1"]


def test_a_store_that_fails_leaves_the_turn_waiting() -> None:
    facts = ListedFacts(refuses=["milk"], error=StoreBusy("locked"))
    stage = Stage(RuleExtractor(), facts)
    outcome = stage.orchestrator.process(job("I like tea. I like milk."))
    assert (outcome.failure, outcome.unavailable) == ("store_StoreBusy", True)
    assert (stage.turns.settled, stage.turns.attempts) == ([], [])


def test_what_the_turn_gave_before_isnt_given_again() -> None:
    stage = Stage(RuleExtractor())
    stage.facts.earlier.append(FactRef(id="f7", entity="user", predicate="likes", object="Tea"))
    stage.orchestrator.process(job("I like tea. I like milk."))
    assert stage.objects() == ["milk"]


def test_a_lookup_that_fails_is_no_reason_to_lose_a_fact() -> None:
    def broken(_job: ExtractionJob) -> Sequence[FactRef]:
        raise AtmemError("nothing works")

    facts = ListedFacts()
    orchestrator = MemoryExtractionOrchestrator(
        RuleExtractor(), clock=FakeClock(), keepers=Keepers(facts=facts, priors=broken)
    )
    assert orchestrator.process(job("I moved to Porto.")).facts == 1


def test_an_update_needs_the_prior_fact_to_be_found() -> None:
    facts = ListedFacts()
    orchestrator = MemoryExtractionOrchestrator(
        RuleExtractor(), clock=FakeClock(), keepers=Keepers(facts=facts, priors=lambda _: (LISBON,))
    )
    orchestrator.process(job("I moved to Porto."))
    assert [(one.kind, one.supersedes) for one in facts.applied] == [(OperationKind.UPDATE, "f1")]


def test_a_call_that_hangs_is_left_behind(gated: GatedExtractor) -> None:
    stage = Stage(gated, timeout_s=0.05)
    stage.orchestrator.start()
    stage.orchestrator.enqueue(numbered(0))
    assert stage.orchestrator.drain(WAIT_S)
    assert stage.orchestrator.health().last_failure == "extraction_timeout"
    stage.orchestrator.extract_with(RuleExtractor())
    stage.orchestrator.enqueue(job("I like tea.", turn_id="t1"))
    assert stage.orchestrator.drain(WAIT_S)
    gated.gate.set()
    assert stage.objects() == ["tea"]
    assert stage.turns.attempts == ["t0"]


def test_a_turn_that_was_erased_meanwhile_gives_nothing(gated: GatedExtractor) -> None:
    stage = Stage(gated)
    stage.orchestrator.start()
    stage.orchestrator.enqueue(numbered(0))
    assert gated.entered.wait(WAIT_S)
    stage.turns.gone.add("t0")
    gated.gate.set()
    assert stage.orchestrator.drain(WAIT_S)
    assert (stage.objects(), stage.turns.settled) == ([], [])


def test_a_drain_that_takes_too_long_says_so(gated: GatedExtractor) -> None:
    stage = Stage(gated)
    stage.orchestrator.start()
    stage.orchestrator.enqueue(numbered(0))
    assert not stage.orchestrator.drain(0.02)


def test_jobs_before_the_start_wait_for_it() -> None:
    stage = Stage(RuleExtractor())
    stage.orchestrator.enqueue(job("I like tea."))
    assert stage.objects() == []
    stage.orchestrator.start()
    stage.orchestrator.start()
    assert stage.orchestrator.drain(WAIT_S)
    assert stage.objects() == ["tea"]


def test_a_shutdown_drops_what_waits_and_discards_what_runs(gated: GatedExtractor) -> None:
    stage = Stage(gated)
    stage.orchestrator.start()
    for number in range(3):
        stage.orchestrator.enqueue(numbered(number))
    assert gated.entered.wait(WAIT_S)
    stage.orchestrator.shutdown()
    assert not stage.orchestrator.enqueue(numbered(3))
    gated.gate.set()
    assert stage.orchestrator.drain(WAIT_S)
    assert (stage.objects(), stage.turns.settled) == ([], [])
    reasons = [(one.turn_id, one.reason) for one in stage.sink.events if isinstance(one, JobDropped)]
    assert reasons == [("t1", "shutdown"), ("t2", "shutdown"), ("t3", "shutdown")]


def test_a_shutdown_may_finish_first() -> None:
    stage = Stage(RuleExtractor())
    stage.orchestrator.start()
    for number in range(20):
        stage.orchestrator.enqueue(job(f"I like thing{number}.", turn_id=f"t{number}"))
    stage.orchestrator.shutdown(drain_s=WAIT_S)
    assert (len(stage.objects()), stage.sink.events) == (20, [])


def test_a_restart_after_a_shutdown_works() -> None:
    stage = Stage(RuleExtractor())
    for number in range(3):
        stage.orchestrator.start()
        stage.orchestrator.enqueue(job(f"I like thing{number}.", turn_id=f"t{number}"))
        assert stage.orchestrator.drain(WAIT_S)
        stage.orchestrator.shutdown()
    assert stage.objects() == ["thing0", "thing1", "thing2"]


def test_without_a_store_all_is_built_and_every_job_is_refused_loudly() -> None:
    sink = ListSink()
    orchestrator = MemoryExtractionOrchestrator(
        RuleExtractor(), clock=FakeClock(), events=EventStream([sink])
    )
    coordinator = MemoryExtractionCoordinator(None, orchestrator, FakeClock())
    coordinator.start()
    for _ in range(3):
        said = Said(text="I like tea.", scope=numbered(0).scope)
        assert coordinator.turn_end(TurnEnd(said=said)) is None
    health = orchestrator.health()
    assert (health.stored, health.refused, health.dropped, health.done) == (False, 3, 0, 0)
    assert [one.reason for one in sink.events if isinstance(one, JobDropped)] == ["no_store"] * 3
    check = orchestrator.check()
    assert check.status is CheckStatus.FAIL
    assert "3 jobs refused" in check.detail
    assert orchestrator.process(numbered(0)).failure == "no_store"
    assert orchestrator.drain(WAIT_S)


def test_health_names_the_extractor_and_its_faults() -> None:
    extractor = GatedExtractor(ValueError("x"))
    extractor.gate.set()
    stage = Stage(extractor)
    assert stage.orchestrator.check().status is CheckStatus.OK
    stage.orchestrator.process(numbered(0))
    check = stage.orchestrator.check()
    assert check.status is CheckStatus.WARN
    assert check.detail.startswith("gated; 0 turns read")
    assert "1 failed (ValueError)" in check.detail


def test_a_pass_ends_where_the_next_turn_would_fail_as_well() -> None:
    extractor = GatedExtractor(ChatUnavailable("transport", "gone"))
    extractor.gate.set()
    outcomes = Stage(extractor).orchestrator.process_all(numbered(at) for at in range(5))
    assert [one.failure for one in outcomes] == ["transport"]


@given(st.lists(st.integers() | st.none()), st.integers(min_value=1, max_value=5))
def test_a_channel_keeps_the_newest_in_order(acts: list[int | None], capacity: int) -> None:
    channel: BoundedChannel[int] = BoundedChannel(capacity)
    held: list[int] = []
    for act in acts:
        if act is None:
            assert channel.take() == (held.pop(0) if held else None)
            continue
        held.append(act)
        assert channel.send(act) == (held.pop(0) if len(held) > capacity else None)
        assert len(channel) == len(held) <= capacity
    assert channel.clear() == held
    assert len(channel) == 0
