"""Without a model, with a failing, a late or a diagnostic one: nothing is lost, and it is said."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from atmem_core import (
    CheckStatus,
    Config,
    Decision,
    EmbeddingIdentity,
    EmbedPurpose,
    Memory,
    QualityClass,
    ReasonCode,
    SupportClass,
)
from atmem_core.embedding import Float32Array
from atmem_core.embedding.hashing import HashingEmbedder
from atmem_core.records import SUPPORT_RANK
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault

ADA = "ada"
TEXT = "Brutus is my Bernese mountain dog."
QUESTION = "what breed is my dog Brutus?"
PUPPY = "who is the puppy?"
FAULTS = [fault for fault in Fault if fault is not Fault.HANGS]
each_fault = pytest.mark.parametrize("fault", FAULTS)


def healthy() -> FakeEmbedder:
    return FakeEmbedder(synonyms=[["puppy", "dog"]])


def check(memory: Memory, name: str) -> tuple[CheckStatus, str]:
    found = next(one for one in memory.doctor().checks if one.name == name)
    return found.status, found.detail


def semantic_of(decision: Decision) -> list[tuple[float | None, bool]]:
    parts = [part for one in decision.candidates for part in one.contributions if part.name == "semantic"]
    return [(part.raw_score, part.eligible_for_support) for part in parts]


# -- none


def test_without_an_embedder_words_answer_and_the_decision_says_so(path: Path, clock: FakeClock) -> None:
    with Memory.open(path, embedder=None, clock=clock) as memory:
        stored = memory.remember(TEXT, subject=ADA)
        decision = memory.decide(QUESTION, subject=ADA)
        assert stored.degraded == ()
        assert decision.ranked_record_ids == (stored.id,)
        assert decision.degraded == (ReasonCode.EMBEDDER_ABSENT,)
        assert decision.semantic is None
        assert decision.calibration_version.startswith("lexical-only")
        status, detail = check(memory, "embedder")
        assert status is CheckStatus.WARN
        assert "keywords alone" in detail


# -- one that fails


@each_fault
def test_a_failing_embedder_loses_no_note(path: Path, clock: FakeClock, fault: Fault) -> None:
    with Memory.open(path, embedder=BrokenEmbedder(fault), clock=clock) as memory:
        stored = memory.remember(TEXT, subject=ADA)
        assert stored.created
        assert stored.degraded == ("embedding_unavailable",)
        assert memory.get(stored.id, subject=ADA).text == TEXT
        assert memory.stats(ADA).awaiting_vector == 1


@each_fault
def test_a_failing_embedder_fails_no_read_and_is_named(path: Path, clock: FakeClock, fault: Fault) -> None:
    with Memory.open(path, embedder=BrokenEmbedder(fault), clock=clock) as memory:
        stored = memory.remember(TEXT, subject=ADA)
        decision = memory.decide(QUESTION, subject=ADA)
        assert ReasonCode.EMBEDDING_UNAVAILABLE in decision.degraded
        assert decision.semantic is None or decision.semantic.health == "unavailable"
        assert [one.record_id for one in decision.candidates] == [stored.id]
        assert semantic_of(decision) == [(None, False)]
        assert [hit.record_id for hit in memory.search(QUESTION, subject=ADA)] == [stored.id]


@each_fault
def test_the_doctor_says_what_fails_without_quoting_text(path: Path, clock: FakeClock, fault: Fault) -> None:
    with Memory.open(path, embedder=BrokenEmbedder(fault), clock=clock) as memory:
        memory.remember(TEXT, subject=ADA)
        report = memory.doctor()
        assert not report.healthy
        assert check(memory, "embedder")[0] is CheckStatus.FAIL
        assert check(memory, "embedding calls")[0] is CheckStatus.WARN
        assert "1 records await one" in check(memory, "records")[1]
        assert not any("Brutus" in one.detail for one in report.checks)


@each_fault
def test_a_missing_vector_is_made_up_at_the_next_good_write(
    path: Path, clock: FakeClock, fault: Fault
) -> None:
    embedder = BrokenEmbedder(fault, healthy=healthy())
    with Memory.open(path, embedder=embedder, clock=clock) as memory:
        first = memory.remember(TEXT, subject=ADA)
        embedder.fault = None
        assert memory.remember("The kettle is green.", subject=ADA).degraded == ()
        stats = memory.stats(ADA)
        assert (stats.vectors, stats.awaiting_vector) == (2, 0)
        decision = memory.decide(PUPPY, subject=ADA)
        assert decision.degraded == ()
        assert first.id in {one.record_id for one in decision.candidates}


def test_a_backlog_is_made_up_in_batches(path: Path, clock: FakeClock) -> None:
    embedder = BrokenEmbedder(Fault.RAISES)
    with Memory.open(path, embedder=embedder, clock=clock, config=Config(backfill_batch=2)) as memory:
        for at in range(5):
            memory.remember(f"Shelf {at} holds jars.", subject=ADA)
        embedder.fault = None
        waiting = []
        for at in range(3):
            memory.remember(f"Drawer {at} holds forks.", subject=ADA)
            waiting.append(memory.stats(ADA).awaiting_vector)
    assert waiting == [3, 1, 0]


def test_a_candidate_without_a_vector_is_reported(path: Path, clock: FakeClock) -> None:
    embedder = BrokenEmbedder(Fault.RAISES)
    with Memory.open(path, embedder=embedder, clock=clock) as memory:
        memory.remember(TEXT, subject=ADA)
        embedder.fault = None
        assert memory.decide(QUESTION, subject=ADA).degraded == (ReasonCode.VECTORS_MISSING,)


def test_a_failing_embedder_abstains_more_and_never_less(path: Path, clock: FakeClock) -> None:
    embedder = BrokenEmbedder(None, healthy=healthy())
    with Memory.open(path, embedder=embedder, clock=clock) as memory:
        for text in (TEXT, "Anna's dog is called Rex.", "I bought dog food for 30 euros."):
            memory.remember(text, subject=ADA)
        for question in (QUESTION, PUPPY, "dog", "what does dog food cost?", "who owns Rex?"):
            embedder.fault = None
            before = memory.decide(question, subject=ADA)
            embedder.fault = Fault.RAISES
            # Asked a little differently, since the vector of the same question is remembered.
            after = memory.decide(f"{question} ", subject=ADA)
            assert ReasonCode.EMBEDDING_UNAVAILABLE in after.degraded
            assert SUPPORT_RANK[after.support_class] <= SUPPORT_RANK[before.support_class], question


# -- one that is late


def test_a_late_embedder_is_left_behind_at_the_deadline(path: Path, clock: FakeClock) -> None:
    with Memory.open(path, embedder=healthy(), clock=clock) as memory:
        stored = memory.remember(TEXT, subject=ADA)
    with (
        BrokenEmbedder(Fault.HANGS, healthy=healthy()) as embedder,
        Memory.open(path, embedder=embedder, clock=clock) as memory,
    ):
        # More calls than there are workers to leave behind.
        late = [memory.decide(f"{QUESTION} {at}", subject=ADA, deadline_ms=5) for at in range(4)]
        assert {one.degraded for one in late} == {(ReasonCode.EMBEDDING_DEADLINE,)}
        assert {one.semantic.health for one in late if one.semantic} == {"deadline"}
        assert {one.candidates[0].record_id for one in late} == {stored.id}
        embedder.release()
        in_time = memory.decide(QUESTION, subject=ADA, deadline_ms=60_000)
        assert in_time.degraded == ()
        assert in_time.ranked_record_ids == (stored.id,)


def test_a_deadline_that_is_kept_changes_nothing(memory: Memory) -> None:
    memory.remember(TEXT, subject=ADA)
    free, bound = (
        memory.decide(QUESTION, subject=ADA, deadline_ms=deadline).to_dict() for deadline in (None, 60_000)
    )
    assert free == bound


# -- one whose vectors count for nothing


def test_hashing_is_reported_and_supports_nothing(path: Path, clock: FakeClock) -> None:
    with Memory.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        memory.remember("Bernese mountaineers assembled.", subject=ADA)
        decision = memory.decide("Bernesee mountaineering assembling?", subject=ADA)
        ((raw, eligible),) = semantic_of(decision)
        assert raw is not None
        assert raw > 0.3
        assert not eligible
        assert decision.degraded == (ReasonCode.DIAGNOSTIC_VECTORS,)
        assert decision.semantic is not None
        assert decision.semantic.health == "diagnostic"
        assert check(memory, "embedder")[0] is CheckStatus.WARN


@pytest.mark.parametrize("quality", [QualityClass.DIAGNOSTIC, QualityClass.UNVERIFIED])
def test_a_perfect_cosine_of_no_standing_releases_nothing(
    path: Path, clock: FakeClock, quality: QualityClass
) -> None:
    texts = {"Rex barks.": [1.0, 0.0], "which animal makes noise?": [1.0, 0.0]}
    with Memory.open(path, embedder=FakeEmbedder(texts, quality=quality), clock=clock) as memory:
        memory.remember("Rex barks.", subject=ADA)
        decision = memory.decide("which animal makes noise?", subject=ADA)
        assert semantic_of(decision) == [(1.0, False)]
        assert decision.support_class is SupportClass.NO_USEFUL_MEMORY
        assert decision.degraded != ()


def test_the_same_cosine_of_a_production_model_does_count(path: Path, clock: FakeClock) -> None:
    texts = {"Rex barks.": [1.0, 0.0], "which animal makes noise?": [1.0, 0.0]}
    with Memory.open(path, embedder=FakeEmbedder(texts), clock=clock) as memory:
        memory.remember("Rex barks.", subject=ADA)
        assert memory.decide("which animal makes noise?", subject=ADA).support_class is (
            SupportClass.DIRECT_SUPPORT
        )


# -- when it is called


class WritingEmbedder:
    """Writes through another connection whenever it is asked; fails when the file is locked."""

    def __init__(self, other: Memory) -> None:
        self._other = other
        self._inner = FakeEmbedder()

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        self._other.remember(f"Written meanwhile, for a {purpose.value}.", subject=ADA)
        return self._inner.embed(texts, purpose=purpose)


def test_nobody_is_locked_out_while_a_model_thinks(path: Path) -> None:
    impatient = Config(write_timeout_ms=50)
    with Memory.open(path, embedder=None, config=impatient) as other:
        embedder = WritingEmbedder(other)
        with Memory.open(path, embedder=embedder) as memory:
            first = memory.remember(TEXT, subject=ADA)
            # The second one also makes up what waits, in a further call of the model.
            second = memory.remember("The kettle is green.", subject=ADA)
            assert (first.degraded, second.degraded) == ((), ())
            assert memory.doctor().healthy
            assert "Written meanwhile, for a document." in [note.text for note in memory.notes(subject=ADA)]


def test_the_snapshot_of_a_read_is_taken_after_the_model_answered(path: Path) -> None:
    with (
        Memory.open(path, embedder=None) as other,
        Memory.open(path, embedder=WritingEmbedder(other)) as memory,
    ):
        decision = memory.decide("what was written meanwhile for a query?", subject=ADA)
        assert decision.degraded == (ReasonCode.VECTORS_MISSING,)
        assert len(decision.candidates) == 1


def test_a_decision_says_that_older_vectors_were_not_compared() -> None:
    config = Config(brute_force_ceiling=2, vector_cache_bytes=0)
    with Memory.open(":memory:", embedder=FakeEmbedder(), config=config) as memory:
        for at in range(4):
            memory.remember(f"The lamp number {at} stands in the hall.", subject="ada")
        codes = memory.decide("which lamp stands in the hall?", subject="ada").degraded
    assert ReasonCode.VECTORS_UNSCANNED in codes
