"""A host's finished turn in the session history, where facts are read out of it."""

import pytest

from atmem_core import InvalidInput, Memory, Scope
from atmem_core.context import render_notes
from atmem_core.host import HostMemory, Said

ADA = Scope(subject="ada", session="s1")
TURN = (
    Said(text="I live in Porto.", key="m1"),
    Said(text="Lovely city!", speaker="assistant", source="assistant", key="m2"),
)


@pytest.fixture
def memory() -> Memory:
    return Memory.open(":memory:", embedder=None)


def test_a_turn_is_stored_and_its_facts_are_read(memory: Memory) -> None:
    with memory:
        outcome = HostMemory(memory, facts=True).remember(TURN, ADA)
        assert outcome.value is not None
        assert len(outcome.value) == 2
        assert memory.sessions.drain()
        assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
        sides = [(one.role.value, one.text) for one in memory.sessions.recent(subject="ada", session="s1")]
        assert sides == [("assistant", "Lovely city!"), ("user", "I live in Porto.")]


def test_the_same_turn_again_is_written_once(memory: Memory) -> None:
    with memory:
        host = HostMemory(memory, facts=True)
        for _ in range(3):
            host.remember(TURN, ADA)
        assert memory.sessions.drain()
        assert memory.stats("ada").turns == 2


def test_nothing_is_written_unless_it_is_asked_for(memory: Memory) -> None:
    with memory:
        HostMemory(memory).remember(TURN, ADA)
        assert memory.stats("ada").turns == 0


def test_a_turn_without_a_session_is_a_fault_of_the_host(memory: Memory) -> None:
    with memory, pytest.raises(InvalidInput, match="session"):
        HostMemory(memory, facts=True).remember(TURN, Scope(subject="ada"))


def test_what_was_recalled_is_no_turn(memory: Memory) -> None:
    with memory:
        note = memory.remember("I live in Lisbon.", subject="ada").record
        block = render_notes([note], budget_tokens=100).text
        HostMemory(memory, facts=True).remember([Said(text=block, key="m1")], ADA)
        assert memory.stats("ada").turns == 0


async def test_it_is_awaited_too(memory: Memory) -> None:
    with memory:
        await HostMemory(memory, facts=True).aremember(TURN, ADA)
        assert memory.sessions.drain()
        assert memory.stats("ada").facts == 1
