"""The three acts of a turn, whatever the host."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from atmem_core import InvalidInput, Memory, NotFound, Scope, WriteRefused
from atmem_core.host import HostMemory, Said, message_key, shortened
from atmem_core.testing import FakeClock

ADA = Scope(subject="ada")
TOLD = "The code of my gym locker is quillfeather."
ASKED = "What is the code of my gym locker?"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        yield memory


def test_a_turn_without_text_has_a_decision(memory: Memory) -> None:
    for query in ("", "  ", "<atmem-memory>\nThe code is 7.\n</atmem-memory>"):
        recall = HostMemory(memory).recall(query, ADA).value
        assert recall is not None
        assert recall.decision.reason_codes[0] == "no_content"


def test_what_expired_since_it_was_released_is_not_rendered(memory: Memory, clock: FakeClock) -> None:
    note = memory.remember(TOLD, subject="ada", valid_to=clock.now() + timedelta(days=1))
    host = HostMemory(memory, clock=clock)
    assert "quillfeather" in str(host.render([note.id], ADA).value)
    clock.advance(timedelta(days=2))
    assert host.render([note.id], ADA).value == ""


def test_another_project_is_not_rendered(memory: Memory) -> None:
    note = memory.remember(TOLD, subject="ada", project="gym")
    host = HostMemory(memory)
    assert host.render([note.id], Scope(subject="ada", project="work")).value == ""
    assert host.render([note.id], Scope(subject="eve")).value == ""
    assert "quillfeather" in str(host.render([note.id], Scope(subject="ada", project="gym")).value)


def test_a_message_with_a_key_is_stored_once_and_its_new_wording_too(memory: Memory) -> None:
    host, key = HostMemory(memory), message_key("thread", "message")
    first = host.remember([Said(text="I like tea.", key=key)], ADA).value
    assert host.remember([Said(text="I like tea.", key=key)], ADA).value == first
    edited = host.remember([Said(text="I like coffee.", key=key)], ADA).value
    assert edited != first
    assert len(memory.notes(subject="ada")) == 2


def test_a_refused_message_keeps_no_other_out(memory: Memory) -> None:
    too_long = Said(text="x" * 2_000_000)
    outcome = HostMemory(memory).remember([too_long, Said(text="I like tea.")], ADA)
    assert outcome.failure is not None
    assert outcome.failure.type == "WriteRefused"
    assert [note.text for note in memory.notes(subject="ada")] == ["I like tea."]
    with pytest.raises(WriteRefused):
        HostMemory(memory, on_error="raise").remember([too_long], ADA)


async def test_any_other_call_follows_the_same_rules(memory: Memory) -> None:
    host = HostMemory(memory)
    outcome = await host.acall(lambda memory: memory.forget("n404", subject="ada"))
    assert outcome.failure is not None
    assert (outcome.failure.type, outcome.value) == ("NotFound", None)
    with pytest.raises(NotFound):
        await HostMemory(memory, on_error="raise").acall(lambda memory: memory.get("n404", subject="ada"))


def test_a_shortened_decision_keeps_what_it_releases(memory: Memory) -> None:
    for number in range(6):
        memory.remember(f"{TOLD} It is number {number}.", subject="ada")
    decision = memory.decide(ASKED, subject="ada")
    assert len(decision.candidates) > 1
    kept = {one["record_id"] for one in shortened(decision, 0)["candidates"]}
    assert kept == set(decision.ranked_record_ids)


@pytest.mark.parametrize("wrong", [{"on_error": "log"}, {"deadline_ms": 0}])
def test_a_wrong_option_is_refused_at_once(memory: Memory, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        HostMemory(memory, **wrong)  # type: ignore[arg-type] # wrong on purpose
