"""What the model may do itself."""

from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelResponsePart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.test import TestModel

from atmem_core import Memory, SupportClass
from atmem_core.testing import CarelessError, FaultyMemory, MemoryFault
from atmem_pydantic_ai import MemoryToolset
from tests.adapters.pydantic_ai.hosts import Deps, Script

ASKED = "What is the code of my gym locker?"
TELLTALE = "quillfeather"
ADA = Deps("ada")


def call(name: str, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(name, arguments, tool_call_id="c1")


async def returned(
    memory: Any, part: ModelResponsePart, *, deps: Deps = ADA, **options: Any
) -> ToolReturnPart:
    """What a call of the model's gave back."""
    script = Script([part, TextPart("done")])
    agent = Agent(script.model(), deps_type=Deps, toolsets=[MemoryToolset(memory, **options)])
    result = await agent.run("go on", deps=deps)
    assert result.output == "done"
    (found,) = [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    return found


async def test_a_recall_gives_the_fenced_text_and_keeps_the_decision_from_the_model(memory: Memory) -> None:
    part = await returned(memory, call("memory_recall", query=ASKED))
    assert part.model_response_str().startswith("<atmem-memory>")
    assert TELLTALE in part.model_response_str()
    assert part.metadata["decision"]["support_class"] == SupportClass.DIRECT_SUPPORT
    assert part.metadata["record_ids"] == part.metadata["decision"]["ranked_record_ids"]
    assert "support_class" not in part.model_response_str()


async def test_nothing_useful_is_said_as_such(memory: Memory) -> None:
    part = await returned(memory, call("memory_recall", query="How tall is Dubai's tallest tower?"))
    assert part.content == "Nothing useful is in memory for this."
    assert part.metadata["decision"]["support_class"] == SupportClass.NO_USEFUL_MEMORY
    assert part.outcome == "success"


async def test_a_failing_memory_is_a_failed_call_and_no_silence(memory: Memory) -> None:
    faulty = FaultyMemory(memory, MemoryFault.RAISES, quoted=TELLTALE)
    for part in (call("memory_recall", query=ASKED), call("memory_store", text="I like tea.")):
        found = await returned(faulty, part)
        assert found.outcome == "failed"
        assert "careless_error" in found.model_response_str()
        assert TELLTALE not in found.model_response_str()


async def test_a_slow_memory_is_a_failed_call(memory: Memory) -> None:
    with FaultyMemory(memory, MemoryFault.HANGS) as faulty:
        found = await returned(faulty, call("memory_recall", query=ASKED), deadline_ms=20)
        assert (found.outcome, "deadline" in found.model_response_str()) == ("failed", True)
        faulty.release()


async def test_an_error_is_raised_when_the_host_wants_it(memory: Memory) -> None:
    faulty = FaultyMemory(memory, MemoryFault.RAISES)
    with pytest.raises(CarelessError):
        await returned(faulty, call("memory_recall", query=ASKED), on_error="raise")


async def test_what_the_model_stores_is_the_models(memory: Memory) -> None:
    part = await returned(memory, call("memory_store", text="Ada's dog is called Brutus."))
    note = memory.get(part.metadata["record_id"], subject="ada")
    assert (note.text, note.speaker, note.source) == ("Ada's dog is called Brutus.", "assistant", "assistant")
    again = await returned(memory, call("memory_store", text="Ada's dog is called Brutus."))
    assert again.metadata == {"record_id": note.id, "created": False}


async def test_an_empty_text_is_refused_with_its_code(memory: Memory) -> None:
    part = await returned(memory, call("memory_store", text="  "))
    assert (part.outcome, "empty" in part.model_response_str()) == ("failed", True)


@pytest.mark.parametrize(("verdict", "left"), [(ToolApproved(), 0), (ToolDenied(), 1)])
async def test_to_forget_needs_a_persons_approval(memory: Memory, verdict: Any, left: int) -> None:
    (note,) = memory.notes(subject="ada")
    script = Script([call("memory_forget", record_id=note.id)])
    agent = Agent(
        script.model(),
        deps_type=Deps,
        toolsets=[MemoryToolset(memory)],
        output_type=[str, DeferredToolRequests],
    )
    paused = await agent.run("Forget my locker.", deps=ADA)
    assert isinstance(paused.output, DeferredToolRequests)
    assert [one.tool_name for one in paused.output.approvals] == ["memory_forget"]
    assert len(memory.notes(subject="ada")) == 1
    await agent.run(
        message_history=paused.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={"c1": verdict}),
        deps=ADA,
    )
    assert len(memory.notes(subject="ada")) == left


async def test_nobody_forgets_another_ones_note(memory: Memory) -> None:
    (note,) = memory.notes(subject="ada")
    part = await returned(
        memory, call("memory_forget", record_id=note.id), deps=Deps("eve"), approve_forget=False
    )
    assert (part.outcome, part.content) == ("failed", "There is no such note.")
    assert len(memory.notes(subject="ada")) == 1


async def test_no_tool_takes_a_subject(memory: Memory) -> None:
    script = Script()
    agent = Agent(script.model(), deps_type=Deps, toolsets=[MemoryToolset(memory)])
    await agent.run("Hi!", deps=ADA)
    schemas = {
        one.name: set(one.parameters_json_schema["properties"]) for one in script.infos[0].function_tools
    }
    assert schemas == {
        "memory_recall": {"query"},
        "memory_store": {"text"},
        "memory_forget": {"record_id"},
    }
    assert "memory_recall" in str(script.infos[0].instructions)


async def test_the_hosts_test_model_can_call_every_tool(memory: Memory) -> None:
    model = TestModel(call_tools=["memory_recall", "memory_store"])
    agent = Agent(model, deps_type=Deps, toolsets=[MemoryToolset(memory)])
    assert "memory_recall" in (await agent.run("Hi!", deps=ADA)).output
