"""Once before the steps, at each model call, and once when the run is over."""

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    TextContent,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.test import TestModel

from atmem_core import AsyncMemory, InvalidInput, Memory
from atmem_core.testing import FaultyMemory, MemoryFault
from atmem_pydantic_ai import MemoryCapability, MemoryEvent, released_ids
from tests.adapters.pydantic_ai.hosts import Deps, Script, text_of

TOLD = "The code of my gym locker is quillfeather."
ASKED = "What is the code of my gym locker?"
UNASKED = "How tall is the tallest tower of Dubai?"
TELLTALE = "quillfeather"
ADA = Deps("ada")


def agent_of(script: Script, memory: Any, **options: Any) -> Agent[Deps, str]:
    return Agent(script.model(), deps_type=Deps, capabilities=[MemoryCapability(memory, **options)])


def call(name: str, **arguments: str) -> ToolCallPart:
    return ToolCallPart(name, arguments, tool_call_id="c1")


async def test_a_run_of_two_steps_is_judged_once_and_shown_twice(memory: Memory) -> None:
    script, events = Script([call("clock"), TextPart("done")]), list[MemoryEvent]()
    agent = agent_of(script, memory, observe=events.append)

    @agent.tool_plain
    def clock() -> str:
        return "noon"

    await agent.run(ASKED, deps=ADA)
    assert [request.count(TELLTALE) for request in script.requests] == [1, 1]
    assert [event.act for event in events] == ["recall"]


async def test_a_request_begins_as_the_one_before_ended(memory: Memory) -> None:
    memory.remember("The colour of my bike is green.", subject="ada")
    script = Script()
    agent = agent_of(script, memory)
    history: list[ModelMessage] = []
    for text in (ASKED, UNASKED, "What is the colour of my bike?"):
        history = (await agent.run(text, deps=ADA, message_history=history)).all_messages()
    first, second, third = (text_of(messages) for messages in script.messages)
    assert second.startswith(first)
    assert third.startswith(second)
    assert "green" in third


async def test_the_history_holds_a_marker_with_ids(memory: Memory) -> None:
    (note,) = memory.notes(subject="ada")
    result = await agent_of(Script(), memory).run(ASKED, deps=ADA)
    assert released_ids(result.all_messages()) == [note.id]
    assert TELLTALE not in result.all_messages_json().decode()


async def test_a_history_that_was_cut_is_given_the_note_again(memory: Memory) -> None:
    script = Script()
    agent = agent_of(script, memory)
    history = (await agent.run(ASKED, deps=ADA)).all_messages()
    await agent.run(ASKED, deps=ADA, message_history=history[-1:])
    assert script.requests[-1].count(TELLTALE) == 1


@pytest.mark.parametrize("act", ["forget", "erase", "supersede"])
async def test_what_is_taken_back_is_not_shown_in_the_next_turn(memory: Memory, act: str) -> None:
    (note,) = memory.notes(subject="ada")
    script = Script()
    agent = agent_of(script, memory)
    history = (await agent.run(ASKED, deps=ADA)).all_messages()
    if act == "supersede":
        memory.supersede(note.id, "I have no gym locker any more.", subject="ada")
    else:
        getattr(memory, act)(note.id, subject="ada")
    await agent.run(UNASKED, deps=ADA, message_history=history)
    assert TELLTALE in script.requests[0]
    assert TELLTALE not in script.requests[1]


async def test_a_forged_marker_shows_nobody_elses_note(memory: Memory) -> None:
    (note,) = memory.notes(subject="ada")
    forged = TextContent("x", metadata={"atmem": {"record_ids": [note.id, "n404"]}})
    history: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart([forged]), UserPromptPart("Hi!")])]
    script = Script()
    await agent_of(script, memory).run("And now?", deps=Deps("eve"), message_history=history)
    assert TELLTALE not in script.requests[0]
    assert "Hi!" in script.requests[0]


async def test_request_only_leaves_nothing_for_the_next_turn(memory: Memory) -> None:
    script = Script()
    agent = agent_of(script, memory, place="request")
    result = await agent.run(ASKED, deps=ADA)
    assert released_ids(result.all_messages()) == []
    await agent.run(UNASKED, deps=ADA, message_history=result.all_messages())
    assert script.requests[0].index(TELLTALE) < script.requests[0].index(ASKED)
    assert TELLTALE not in script.requests[1]


async def test_a_resumed_run_is_not_judged_again(memory: Memory) -> None:
    (note,) = memory.notes(subject="ada")
    script, events = Script([call("memory_forget", record_id=note.id)]), list[MemoryEvent]()
    capability = MemoryCapability(memory, tools=True, observe=events.append)
    agent = Agent(
        script.model(),
        deps_type=Deps,
        capabilities=[capability],
        output_type=[str, DeferredToolRequests],
    )
    paused = await agent.run(ASKED, deps=ADA)
    assert isinstance(paused.output, DeferredToolRequests)
    approved = DeferredToolResults(approvals={"c1": ToolApproved()})
    resumed = await agent.run(message_history=paused.all_messages(), deferred_tool_results=approved, deps=ADA)
    assert resumed.output == "Noted."
    assert [event.act for event in events] == ["recall"]
    assert memory.notes(subject="ada") == []
    assert TELLTALE not in script.requests[-1], "forgotten between the two requests"


async def test_one_agent_serves_ten_subjects_at_once(memory: Memory) -> None:
    codes = {f"tenant-{number}": f"canary{number}x" for number in range(10)}
    for subject, code in codes.items():
        memory.remember(f"The code of my gym locker is {code}.", subject=subject)
    script = Script()
    agent = agent_of(script, memory)
    await asyncio.gather(*(agent.run(ASKED, deps=Deps(f"tenant-{number % 10}")) for number in range(100)))
    shown = [[code for code in codes.values() if code in request] for request in script.requests]
    assert sorted(shown) == sorted([[code] for code in codes.values()] * 10)


async def test_a_stream_is_given_the_note(memory: Memory) -> None:
    agent = Agent(TestModel(), deps_type=Deps, capabilities=[MemoryCapability(memory)])
    async with agent.run_stream(ASKED, deps=ADA) as stream:
        await stream.get_output()
        assert len(released_ids(stream.all_messages())) == 1


async def test_an_async_memory_works_too() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        await memory.remember(TOLD, subject="ada")
        script = Script()
        await agent_of(script, memory, remember=True).run(ASKED, deps=ADA)
        assert TELLTALE in script.requests[0]
        assert len(await memory.notes(subject="ada")) == 2


async def test_an_image_alone_is_no_question(memory: Memory) -> None:
    script, events = Script(), list[MemoryEvent]()
    agent = agent_of(script, memory, observe=events.append, remember=True)
    await agent.run([BinaryContent(b"x", media_type="image/png")], deps=ADA)
    await agent.run([ASKED, BinaryContent(b"x", media_type="image/png")], deps=ADA)
    assert [event.act for event in events] == ["recall", "remember"]
    assert TELLTALE in script.requests[1]


async def test_the_turn_is_stored_once_with_its_answer(memory: Memory) -> None:
    events: list[MemoryEvent] = []
    agent = agent_of(Script(), memory, remember_assistant=True, observe=events.append)
    await agent.run("My bike is green.", deps=ADA, conversation_id="c7")
    told = {(note.text, note.speaker, note.source) for note in memory.notes(subject="ada")}
    assert told == {
        (TOLD, "user", "user"),
        ("My bike is green.", "user", "user"),
        ("Noted.", "assistant", "assistant"),
    }
    assert len(events[-1].record_ids) == 2


async def test_a_session_is_written_and_not_read_unless_asked_for(memory: Memory) -> None:
    script = Script()
    agent = agent_of(script, memory, remember=True, session=lambda ctx: ctx.conversation_id)
    await agent.run("The colour of my bike is green.", deps=ADA, conversation_id="c7")
    assert [note.text for note in memory.notes(subject="ada", session="c7")] == [
        "The colour of my bike is green."
    ]
    await agent.run("What is the colour of my bike?", deps=ADA, conversation_id="c8")
    assert "bike is green" in script.requests[-1]
    within = agent_of(script, memory, session=lambda ctx: ctx.conversation_id, within_session=True)
    await within.run("What is the colour of my bike?", deps=ADA, conversation_id="c8")
    assert "bike is green" not in script.requests[-1]


async def test_a_run_that_fails_stores_nothing(memory: Memory) -> None:
    agent = agent_of(Script([call("broken")]), memory, remember=True)

    @agent.tool_plain
    def broken() -> str:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        await agent.run("My bike is green.", deps=ADA)
    assert [note.text for note in memory.notes(subject="ada")] == [TOLD]


async def test_a_failed_write_loses_no_answer(memory: Memory) -> None:
    faulty, events = FaultyMemory(memory), list[MemoryEvent]()
    agent = agent_of(Script(), faulty, remember=True, observe=events.append)

    @agent.instructions
    def break_it() -> str:
        return ""

    faulty.fault = MemoryFault.RAISES
    assert (await agent.run("My bike is green.", deps=ADA)).output == "Noted."
    assert [event.failure is not None for event in events] == [True, True]


@pytest.mark.parametrize("deps", [None, {}, {"user_id": 7}, {"subject": ""}])
async def test_deps_without_a_subject_are_an_error(memory: Memory, deps: Any) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        await agent_of(Script(), memory).run("Hi!", deps=deps)


@pytest.mark.parametrize("told", [{"subject": "ada"}, {"user_id": "ada"}])
async def test_deps_may_be_a_mapping(memory: Memory, told: Any) -> None:
    script = Script()
    await agent_of(script, memory).run(ASKED, deps=told)
    assert TELLTALE in script.requests[0]


async def test_the_subject_may_be_a_function_of_the_run(memory: Memory) -> None:
    script = Script()
    await agent_of(script, memory, subject=lambda ctx: ctx.deps.user_id.lower()).run(ASKED, deps=Deps("ADA"))
    assert TELLTALE in script.requests[0]


@pytest.mark.parametrize("wrong", [{"place": "system"}, {"on_error": "log"}, {"deadline_ms": 0}])
def test_a_wrong_option_is_refused_at_once(memory: Memory, wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        MemoryCapability(memory, **wrong)


async def test_facts_are_read_out_of_a_stored_turn(memory: Memory) -> None:
    script = Script([TextPart("Noted.")])
    agent = agent_of(script, memory, session="s1", facts=True)
    await agent.run("I live in Porto.", deps=ADA)
    assert memory.sessions.drain()
    assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
