"""What was not available is said on the stream, by reads and writes alike, and holds no text."""

import pytest

from atmem_core import Memory
from atmem_core.embedding import Embedder, HashingEmbedder
from atmem_core.events import Degraded
from atmem_core.testing import BrokenEmbedder, Fault
from tests.events.test_events import Listener

REASON = "embedding_unavailable"


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def memory(listener: Listener) -> Memory:
    memory = Memory.open(":memory:", embedder=BrokenEmbedder(Fault.RAISES))
    memory.events.subscribe(listener)
    return memory


def reasons(listener: Listener) -> list[str]:
    found = [event for event in listener.events if isinstance(event, Degraded)]
    assert all(event.subject == "ada" and "Brutus" not in str(event.to_dict()) for event in found)
    return [event.reason for event in found]


def test_a_write_without_its_vector_says_so(memory: Memory, listener: Listener) -> None:
    with memory:
        memory.remember("Brutus is my dog.", subject="ada")
        assert reasons(listener) == [REASON]


def test_a_fact_without_its_vector_says_so(memory: Memory, listener: Listener) -> None:
    with memory:
        memory.facts.add("user", "owns", "a dog called Brutus", subject="ada")
        assert reasons(listener) == [REASON]


@pytest.mark.parametrize("verb", ["decide", "recall", "context"])
def test_a_read_without_the_querys_vector_says_so(memory: Memory, listener: Listener, verb: str) -> None:
    with memory:
        memory.remember("Brutus is my dog.", subject="ada")
        listener.events.clear()
        getattr(memory, verb)("who is Brutus?", subject="ada")
        assert REASON in reasons(listener)


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()])
def test_a_choice_is_no_event(listener: Listener, embedder: Embedder | None) -> None:
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.events.subscribe(listener)
        memory.remember("Brutus is my dog.", subject="ada")
        assert memory.decide("who is Brutus?", subject="ada").degraded
        assert reasons(listener) == []
