"""The filter and the hooks in runs of the SDK's own runner, with its scripted model."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from atmem_core import InvalidInput, Memory
from atmem_core.testing import ADAPTER_CHECKS, AdapterOptions, HostTurn, HostUnderTest
from atmem_openai_agents import AtmemTurn, AtmemTurns
from atmem_openai_agents.items import text_of

ASKED = "What is the code of my gym locker?"


def request(call: Any) -> list[str]:
    """The texts that one model call was given."""
    return [text_of(item) for item in call.input if "role" in item]


class Conversation:
    """One session of an agent."""

    def __init__(self, turns: AtmemTurns, subject: str) -> None:
        self.turns, self.subject = turns, subject
        self.model = ScriptedModel()
        self.agent = Agent(name="assistant", model=self.model)
        self.session = SQLiteSession("s")

    def say(self, text: str) -> HostTurn:
        turn, before = self.begin()
        Runner.run_sync(self.agent, text, run_config=config(turn), hooks=turn, session=self.session)
        return self.end(turn, before, asyncio.run(self.session.get_items()))

    async def asay(self, text: str) -> HostTurn:
        turn, before = self.begin()
        await run(self.agent, text, turn, session=self.session)
        return self.end(turn, before, await self.session.get_items())

    def begin(self) -> tuple[AtmemTurn, int]:
        before = len(self.model.calls)
        self.model.enqueue([assistant_message("Noted.", item_id=f"m{before}")])
        return self.turns.turn(subject=self.subject), before

    def end(self, turn: AtmemTurn, before: int, kept: Any) -> HostTurn:
        return HostTurn(
            requests=tuple("\n".join(request(call)) for call in self.model.calls[before:]),
            kept=json.dumps(kept),
            decision=turn.decision,
            failure=None if turn.failure is None else turn.failure.to_dict(),
        )


class AgentsHost:
    """An agent with a session of the SDK's."""

    has_sync = True
    in_process = True

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        turns = AtmemTurns(
            memory,
            on_error=options.on_error,
            deadline_ms=options.deadline_ms,
            remember=options.remember,
            clock=options.clock,
        )
        return Conversation(turns, subject)


def config(turn: AtmemTurn) -> RunConfig:
    return RunConfig(call_model_input_filter=turn, tracing_disabled=True)


async def run(agent: Agent[Any], text: Any, turn: AtmemTurn, **options: Any) -> Any:
    return await Runner.run(agent, text, run_config=config(turn), hooks=turn, **options)


@pytest.mark.parametrize("check", ADAPTER_CHECKS, ids=lambda check: check.__name__)
def test_the_adapter_keeps_its_promises(check: Callable[[HostUnderTest], None]) -> None:
    check(AgentsHost())


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember("The code of my gym locker is quillfeather.", subject="ada")
        yield memory


async def test_each_call_of_a_run_has_the_text_in_the_same_place_and_one_decision(memory: Memory) -> None:
    @function_tool
    def weather() -> str:
        """Tell the weather."""
        memory.remember("My gym locker has the code brookside.", subject="ada")
        return "rain"

    model = ScriptedModel()
    model.extend([[function_call("weather", {}, call_id="c")], [assistant_message("Done.")]])
    turn = AtmemTurns(memory).turn(subject="ada")
    await run(Agent(name="a", model=model, tools=[weather]), ASKED, turn)
    first, second = (request(call) for call in model.calls)
    assert first == second
    assert first[-1] == ASKED
    assert "quillfeather" in first[-2]
    assert len(turn.record_ids) == 1


async def test_a_note_that_is_forgotten_during_the_run_is_in_no_later_call(memory: Memory) -> None:
    @function_tool
    def forget() -> str:
        """Forget everything."""
        memory.forget(subject="ada", everything=True)
        return "done"

    model = ScriptedModel()
    model.extend([[function_call("forget", {}, call_id="c")], [assistant_message("Done.")]])
    await run(Agent(name="a", model=model, tools=[forget]), ASKED, AtmemTurns(memory).turn(subject="ada"))
    first, second = ("\n".join(request(call)) for call in model.calls)
    assert "quillfeather" in first
    assert second == ASKED


async def test_the_turn_is_stored_when_the_run_has_succeeded_and_not_before(memory: Memory) -> None:
    turns = AtmemTurns(memory, remember_assistant=True)
    failed, turn = turns.turn(subject="ada"), turns.turn(subject="ada", session="s1")
    model = ScriptedModel()
    agent = Agent(name="a", model=model)
    with pytest.raises(Exception, match="script"):
        await run(agent, "I moved to Porto.", failed)
    assert failed.stored_ids == ()
    model.enqueue([assistant_message("Noted.")])
    await run(agent, "My bike is red.", turn)
    told = {(note.text, note.source, note.scope.session) for note in memory.notes(subject="ada", limit=2)}
    assert told == {("My bike is red.", "user", "s1"), ("Noted.", "assistant", "s1")}
    assert (len(turn.stored_ids), turn.store_failure) == (2, None)


async def test_facts_are_read_out_of_a_stored_turn_which_must_name_its_session(memory: Memory) -> None:
    model = ScriptedModel()
    agent, turns = Agent(name="a", model=model), AtmemTurns(memory, facts=True, on_error="raise")
    model.extend([[assistant_message("Noted.")], [assistant_message("Noted.")]])
    await run(agent, "I live in Porto.", turns.turn(subject="ada", session="s1"))
    with pytest.raises(InvalidInput, match="session"):
        await run(agent, "I live in Lisbon.", turns.turn(subject="ada"))
    assert memory.sessions.drain()
    assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]


async def test_a_message_in_parts_is_read_and_an_image_says_nothing(memory: Memory) -> None:
    parts = [
        {"type": "input_text", "text": ASKED},
        {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto"},
    ]
    model = ScriptedModel()
    model.enqueue([assistant_message("Yes.")])
    turn = AtmemTurns(memory).turn(subject="ada")
    await run(Agent(name="a", model=model), [{"role": "user", "content": parts}], turn)
    assert turn.decision is not None
    assert turn.decision["support_class"] == "direct_support"


async def test_a_streamed_run_is_judged_and_stored_too(memory: Memory) -> None:
    model = ScriptedModel()
    model.enqueue([assistant_message("Yes.")])
    turn = AtmemTurns(memory, remember=True).turn(subject="ada")
    result = Runner.run_streamed(Agent(name="a", model=model), ASKED, run_config=config(turn), hooks=turn)
    _ = [event async for event in result.stream_events()]
    assert "quillfeather" in "\n".join(request(model.calls[0]))
    assert len(turn.stored_ids) == 1


def test_a_blank_subject_is_refused_before_the_run(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        AtmemTurns(memory).turn(subject=" ")
