"""memory.sessions through real parts: turn, history, extraction, store, and a decision in a later turn."""

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from atmem_core import (
    AsyncMemory,
    CheckStatus,
    Config,
    Memory,
    SupportClass,
    WriteRefused,
)
from atmem_core.chat import ChatReply
from atmem_core.events import FactAdded, FactForgotten, FactsErased, FactUpdated, JobDropped, Retrieval
from atmem_core.records import ExtractionState, FactOperation, OperationKind, Role
from atmem_core.remember.extraction.coordinator import job_of
from atmem_core.sessions import AsyncSessions, Sessions
from atmem_core.sessions.keepers import StoredFacts
from atmem_core.testing.chat import ScriptedChatModel
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.extraction import GatedExtractor, ListSink
from tests.house.markdown import rows as rows_of
from tests.house.markdown import section
from tests.house.tree import ROOT

BRUTUS = "Remember that Brutus is my Bernese mountain dog."
QUESTION = "what breed is my dog Brutus?"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock) -> Memory:
    return Memory.open(tmp_path / "agent.db", embedder=None, clock=clock)


def finish(memory: Memory, text: str, answer: str = "", **more: object) -> str | None:
    turn = memory.sessions.finish(text, answer, subject="ada", **{"session": "s", **more})  # type: ignore[arg-type]
    assert memory.sessions.drain()
    return None if turn is None else turn.id


def facts(memory: Memory, subject: str = "ada", **more: object) -> list[str]:
    return [one.text for one in reversed(memory.facts.list(subject=subject, **more))]  # type: ignore[arg-type]


def rows(memory: Memory) -> int:
    stats = memory.stats()
    return stats.notes + len(memory.facts.list(subject="ada", all_states=True, limit=999))


def ops(*entries: Mapping[str, object]) -> str:
    return json.dumps({"ops": entries})


def test_remember_brutus(memory: Memory) -> None:
    sink = ListSink()
    memory.events.subscribe(sink)
    turn_id = finish(memory, BRUTUS, "What a lovely dog!")
    recall = memory.recall(QUESTION, subject="ada")
    assert recall.decision.support_class is SupportClass.DIRECT_SUPPORT
    (record,) = recall.records
    assert "Bernese mountain dog" in record.text
    (fact,) = memory.facts.list(subject="ada")
    assert (fact.id, fact.source_id) == (record.id, turn_id)
    added, retrieval = sink.events
    assert isinstance(added, FactAdded)
    assert isinstance(retrieval, Retrieval)
    assert (added.record_id, added.turn_id, added.content) == (fact.id, turn_id, None)
    assert (retrieval.record_id, retrieval.decision_id) == (fact.id, recall.decision.decision_id)
    assert memory.recall("write a haiku about the sea", subject="ada").records == ()


async def test_remember_brutus_async(tmp_path: Path) -> None:
    sink = ListSink()
    async with AsyncMemory.open(tmp_path / "agent.db", embedder=None) as memory:
        memory.events.subscribe(sink)
        turn = await memory.sessions.finish(BRUTUS, "Lovely!", subject="ada", session="s")
        assert turn is not None
        assert await memory.sessions.drain()
        recall = await memory.recall(QUESTION, subject="ada")
        assert recall.decision.support_class is SupportClass.DIRECT_SUPPORT
        assert [one.text for one in await memory.sessions.recent(subject="ada", session="s")] == [
            "Lovely!",
            BRUTUS,
        ]
        assert sink.kinds() == ["added", "retrieval"]


async def test_an_async_model_is_driven_in_the_background(tmp_path: Path) -> None:
    class OnlyAsync:
        name = "async"

        def __init__(self) -> None:
            self.acomplete = ScriptedChatModel(
                [ops({"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"})]
            ).acomplete

    async with AsyncMemory.open(tmp_path / "agent.db", embedder=None) as memory:
        await memory.sessions.extract_with(OnlyAsync())
        await asyncio.gather(
            *(memory.sessions.finish("I live in Porto.", subject="ada", session=f"s{at}") for at in range(9))
        )
        assert await memory.sessions.drain()
        assert [one.object for one in await memory.facts.list(subject="ada")] == ["Porto"]


def test_both_sides_are_written_and_the_answer_names_its_turn(memory: Memory) -> None:
    turn_id = finish(memory, "I live in Lisbon.", "Noted.")
    answer, said = memory.sessions.recent(subject="ada", session="s")
    assert (said.id, said.role, said.extraction) == (turn_id, Role.USER, ExtractionState.DONE)
    assert (answer.role, answer.answers, answer.text) == (Role.ASSISTANT, turn_id, "Noted.")
    assert answer.extraction is ExtractionState.NONE


@pytest.mark.parametrize("stop", ["refusal", "max_tokens", "length", "tool_use", "tool_calls", "error", ""])
def test_only_what_ended_by_itself_is_read(memory: Memory, stop: str) -> None:
    finish(memory, "I live in Lisbon.", "I", stop=stop)
    assert facts(memory) == []
    assert len(memory.sessions.recent(subject="ada", session="s")) == 2
    assert memory.sessions.extract_pending().done == 0


@pytest.mark.parametrize("source", ["tool", "web", "assistant"])
def test_what_a_tool_or_a_page_says_is_history_and_no_more(memory: Memory, source: str) -> None:
    finish(memory, "I live in Lisbon.", source=source)
    assert (facts(memory), memory.sessions.waiting()) == ([], 0)


def test_a_move_supersedes_and_keeps_its_history(memory: Memory, clock: FakeClock) -> None:
    sink = ListSink()
    memory.events.subscribe(sink)
    for city in ("Lisbon", "Porto", "Rome"):
        finish(memory, f"I moved to {city}.")
        clock.advance(timedelta(days=30))
    assert facts(memory) == ["user lives in Rome"]
    assert len(memory.facts.list(subject="ada", all_states=True)) == 3
    assert sink.kinds() == ["added", "updated", "updated"]
    updated = sink.events[-1]
    assert isinstance(updated, FactUpdated)
    assert memory.facts.get(updated.superseded_id, subject="ada").object == "Porto"


def test_fifty_turns_of_inject_and_echo_add_no_row(memory: Memory) -> None:
    finish(memory, BRUTUS, "Lovely!")
    finish(memory, "I live in Lisbon.", "Noted.")
    memory.remember("I am allergic to peanuts.", subject="ada")
    before = rows(memory)
    for at in range(50):
        block = memory.context("what do you know about my dog Brutus and where I live?", subject="ada").text
        echo = f"{block}\nAs I recall, Brutus is your Bernese mountain dog and you live in Lisbon."
        finish(memory, f"{block}\nWhat do you know about my dog? ({at})", echo)
    assert rows(memory) == before
    assert len(memory.sessions.recent(subject="ada", session="s", limit=500)) == 104
    assert all("atmem-memory" not in one.text for one in memory.sessions.recent(subject="ada", session="s"))


def test_an_echo_without_its_marker_adds_no_row_either(memory: Memory) -> None:
    finish(memory, "I live in Lisbon.")
    before = rows(memory)
    for _ in range(10):
        finish(memory, "I live in Lisbon.", "You live in Lisbon. I live in Lisbon. My name is Max.")
    assert rows(memory) == before


def test_a_visitors_allergy_never_becomes_the_owners(memory: Memory) -> None:
    finish(memory, "I'm allergic to peanuts.", "Noted.", speaker="Tom")
    finish(memory, "My visitor Tom is allergic to shrimps.")
    model = ScriptedChatModel(
        [ops({"op": "ADD", "subject": "user", "predicate": "is allergic to", "object": "walnuts"})]
    )
    memory.sessions.extract_with(model)
    finish(memory, "My visitor Tom told me he is allergic to walnuts.")
    assert len(model.prompts) == 1
    assert facts(memory, entity="user") == []
    assert facts(memory) == ["Tom is allergic to peanuts", "Tom is allergic to shrimps"]
    recall = memory.recall("what am I allergic to?", subject="ada")
    assert recall.records == ()


def test_an_older_contradicted_fact_is_found_by_its_words(memory: Memory, clock: FakeClock) -> None:
    memory.facts.add("user", "drinks", "tea with oat milk", subject="ada")
    for at in range(60):
        clock.advance(timedelta(minutes=1))
        memory.facts.add("user", f"owns item {at}", f"gadget number {at} " + "x" * 60, subject="ada")
    shown: list[str] = []

    class Looking(ScriptedChatModel):
        def complete(self, prompt: object) -> ChatReply:
            shown.append(prompt.messages[0].content)  # type: ignore[attr-defined]
            lines = [line for line in shown[-1].split("\n") if "oat milk" in line]
            number = int(lines[0].split("]")[0].strip("["))
            update = {"op": "UPDATE", "subject": "user", "predicate": "drinks", "object": "tea with soy milk"}
            return ChatReply(text=ops(update | {"supersedes_fact_id": number}))

    memory.sessions.extract_with(Looking())
    finish(memory, "I drink my tea with soy milk instead of oat milk.")
    assert facts(memory, predicate="drinks") == ["user drinks tea with soy milk"]
    assert len(shown[0].encode()) < 10_000


def test_a_turn_told_late_goes_into_the_past(memory: Memory, clock: FakeClock) -> None:
    finish(memory, "I live in Porto.")
    finish(memory, "I live in Lisbon.", occurred_at=clock.now() - timedelta(days=400))
    assert facts(memory) == ["user lives in Porto"]
    (then,) = memory.facts.as_of(clock.now() - timedelta(days=300), subject="ada")
    assert then.object == "Lisbon"


def test_the_same_key_is_read_once(memory: Memory) -> None:
    first = finish(memory, "I live in Lisbon.", "Noted.", idempotency_key="k1")
    assert finish(memory, "I live in Lisbon.", "Noted.", idempotency_key="k1") == first
    assert memory.sessions.health().done == 1
    assert len(memory.sessions.recent(subject="ada", session="s")) == 2


def test_a_model_that_is_away_leaves_turns_waiting_for_the_next_pass(memory: Memory) -> None:
    memory.sessions.extract_with(ScriptedChatModel())
    for city in ("Lisbon", "Porto"):
        finish(memory, f"I moved to {city}.")
    run = memory.sessions.extract_pending()
    assert (run.done, run.failed, run.waiting, run.failure) == (0, 1, 2, "transport")
    add = {"op": "ADD", "subject": "user", "predicate": "lives in"}
    memory.sessions.extract_with(
        ScriptedChatModel([ops(add | {"object": "Lisbon"}), ops(add | {"object": "Porto"})])
    )
    run = memory.sessions.extract_pending(subject="ada")
    assert (run.done, run.facts, run.waiting, run.failure) == (2, 2, 0, "")
    assert facts(memory) == ["user lives in Porto"]


def test_a_turn_that_always_fails_is_given_up_and_said(memory: Memory) -> None:
    memory.sessions.extract_with(ScriptedChatModel(["{broken"]))
    finish(memory, "I live in Lisbon.")
    runs = [memory.sessions.extract_pending() for _ in range(4)]
    assert [run.failed for run in runs] == [1, 1, 0, 0]
    assert memory.sessions.waiting() == 0
    (check,) = (one for one in memory.doctor().checks if one.name == "extraction")
    assert (check.name, check.status) == ("extraction", CheckStatus.WARN)
    assert "1 were given up" in check.detail


def test_a_dropped_turn_is_found_and_read_later(memory: Memory) -> None:
    gated = GatedExtractor()
    sink = ListSink()
    memory.events.subscribe(sink)
    memory.sessions.extract_with(gated)
    for at in range(40):
        memory.sessions.finish(f"I like thing{at}.", subject="ada", session="s")
    dropped = [one for one in sink.events if isinstance(one, JobDropped)]
    assert len(dropped) in (7, 8)
    gated.gate.set()
    assert memory.sessions.drain()
    assert memory.sessions.waiting() == len(dropped)
    assert memory.sessions.extract_pending().done == len(dropped)
    assert len(memory.facts.list(subject="ada", limit=99)) == 40


def test_a_pass_stops_at_its_limit(memory: Memory) -> None:
    memory.sessions.extract_with(ScriptedChatModel())
    for at in range(5):
        finish(memory, f"I like thing{at}.")
    memory.sessions.extract_with(ScriptedChatModel([ops()]))
    assert memory.sessions.extract_pending(limit=2).waiting == 3


def test_an_erased_turn_takes_its_facts_along(memory: Memory) -> None:
    sink = ListSink()
    memory.events.subscribe(sink)
    kept = finish(memory, "I like tea.")
    gone = finish(memory, "I like milk.")
    assert kept is not None
    assert gone is not None
    receipt = memory.erase(gone, subject="ada")
    assert receipt.counts["turns"] == 1
    assert facts(memory) == ["user likes tea"]
    erased = sink.events[-1]
    assert isinstance(erased, FactsErased)
    assert len(erased.record_ids) == 1
    memory.erase(subject="ada", everything=True)
    assert (facts(memory), memory.sessions.recent(subject="ada", session="s")) == ([], [])


def test_a_fact_whose_turn_was_erased_under_way_is_erased_after_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "agent.db", embedder=None) as memory:
        turn = memory.sessions.append("I like xylophones.", subject="ada", session="s")
        memory.erase(turn.id, subject="ada")
        kept = StoredFacts(memory._store, memory.facts)
        late = job_of(turn, "")
        operation = FactOperation(
            kind=OperationKind.ADD, entity="user", predicate="likes", object="xylophones"
        )
        assert not kept.apply(operation, late)
        assert facts(memory, all_states=True) == []
    assert b"ylophone" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_fact_that_was_forgotten_isnt_brought_back_by_its_turn(memory: Memory) -> None:
    sink = ListSink()
    memory.events.subscribe(sink)
    memory.sessions.extract_with(ScriptedChatModel())
    turn_id = finish(memory, "I like tea.")
    memory.facts.add("user", "likes", "tea", subject="ada", source_id=turn_id)
    (fact,) = memory.facts.list(subject="ada")
    memory.facts.forget(fact.id, subject="ada")
    memory.sessions.extract_with(
        ScriptedChatModel([ops({"op": "ADD", "subject": "user", "predicate": "likes", "object": "tea"})])
    )
    assert memory.sessions.extract_pending().done == 1
    assert facts(memory) == []
    assert isinstance(sink.events[-1], FactForgotten)


def test_what_is_forgotten_before_it_was_read_gives_nothing(memory: Memory) -> None:
    memory.sessions.extract_with(ScriptedChatModel())
    finish(memory, "I like tea.")
    memory.forget(subject="ada", session="s")
    assert memory.sessions.waiting() == 0


def test_events_hold_text_when_it_was_opted_in(tmp_path: Path) -> None:
    sink = ListSink()
    with Memory.open(tmp_path / "a.db", embedder=None, config=Config(event_content=True)) as memory:
        memory.events.subscribe(sink)
        finish(memory, "I like tea.")
    assert [one.content for one in sink.events] == ["user likes tea"]


def test_closing_finishes_what_is_under_way(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a.db", embedder=None) as memory:
        for at in range(10):
            memory.sessions.finish(f"I like thing{at}.", subject="ada", session="s")
    with Memory.open(tmp_path / "a.db", embedder=None) as memory:
        assert len(memory.facts.list(subject="ada")) == 10
        assert memory.sessions.waiting() == 0


def test_a_closed_memory_hears_nothing(memory: Memory) -> None:
    memory.close()
    assert memory.sessions.finish("I like tea.", subject="ada", session="s") is None


def test_doctor_says_that_rules_read(memory: Memory) -> None:
    finish(memory, "I like tea.")
    (check,) = (one for one in memory.doctor().checks if one.name == "extraction")
    assert check.status is CheckStatus.OK
    assert check.detail.startswith("rules (no model); 1 turns read, 1 facts")


def test_a_turn_without_text_is_refused_and_nothing_is_written(memory: Memory) -> None:
    with pytest.raises(WriteRefused):
        memory.sessions.finish(" ", "An answer.", subject="ada", session="s")
    assert memory.sessions.recent(subject="ada", session="s") == []


def test_appended_turns_are_not_read(memory: Memory) -> None:
    memory.sessions.append("I like tea.", subject="ada", session="s")
    assert memory.sessions.drain()
    assert (facts(memory), memory.sessions.waiting()) == ([], 0)
    (hit,) = memory.sessions.search("tea", subject="ada", session="s")
    assert hit.turn.text == "I like tea."


def methods(owner: type) -> dict[str, Callable[..., object]]:
    return {name: value for name, value in vars(owner).items() if not name.startswith("_")}


def test_the_async_methods_are_those_of_sessions() -> None:
    ours, theirs = methods(AsyncSessions), methods(Sessions)
    assert sorted(ours) == sorted(theirs.keys() - {"close"})
    for name, method in ours.items():
        assert inspect.iscoroutinefunction(method)
        assert inspect.signature(method) == inspect.signature(theirs[name])


def test_every_method_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "sessions.md").read_text(encoding="utf-8")
    documented = rows_of(section(page, "Memory.sessions"))
    assert sorted(documented) == sorted(methods(Sessions))
    assert all(documented.values())
