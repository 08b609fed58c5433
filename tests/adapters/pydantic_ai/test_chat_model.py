"""A Pydantic AI model reads facts out of turns."""

import asyncio

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from atmem_core import AsyncMemory, Memory
from atmem_core.chat import ChatMessage, ChatPrompt, ToolSpec
from atmem_core.errors import ChatUnavailable
from atmem_pydantic_ai import PydanticAIChatModel

OPS = '{"ops": [{"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"}]}'
SAID = "I have settled in Porto for good."
HELLO = ChatPrompt(messages=(ChatMessage(role="user", content="hi"),))


class Script:
    """Says one thing and keeps what it was asked."""

    def __init__(self, *says: TextPart | ToolCallPart) -> None:
        self.says = says
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append((messages, info))
        return ModelResponse(parts=list(self.says))


def chat_model(script: Script) -> PydanticAIChatModel:
    return PydanticAIChatModel(FunctionModel(script, model_name="scripted"))


@pytest.mark.parametrize("says", [ToolCallPart("apply_memory_ops", OPS), TextPart(OPS)])
def test_a_fact_is_read_by_call_or_by_text(says: TextPart | ToolCallPart) -> None:
    script = Script(says)
    with Memory.open(":memory:", embedder=None) as memory:
        memory.sessions.extract_with(chat_model(script))
        memory.sessions.finish(SAID, subject="ada", session="s")
        assert memory.sessions.drain()
        assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
        assert memory.sessions.health().extractor.startswith("model Pydantic AI scripted")
    ((messages, info),) = script.asked
    assert [part.part_kind for message in messages for part in message.parts] == [
        "system-prompt",
        "user-prompt",
    ]
    assert [tool.name for tool in info.function_tools] == ["apply_memory_ops"]


async def test_it_is_awaited_from_a_loop() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        await memory.sessions.extract_with(chat_model(Script(ToolCallPart("apply_memory_ops", OPS))))
        await memory.sessions.finish(SAID, subject="ada", session="s")
        assert await memory.sessions.drain()
        assert [one.object for one in await memory.facts.list(subject="ada")] == ["Porto"]


def test_without_a_tool_none_is_offered_and_earlier_answers_are_told_as_such() -> None:
    script = Script(TextPart("yes"))
    prompt = ChatPrompt(
        messages=(*HELLO.messages, ChatMessage(role="assistant", content="hello"), *HELLO.messages)
    )
    assert chat_model(script).complete(prompt).text == "yes"
    ((messages, info),) = script.asked
    assert [message.kind for message in messages] == ["request", "response", "request"]
    assert info.function_tools == []


@pytest.mark.parametrize(("args", "told"), [('{"ops": [', '{"ops": ['), ({"ops": []}, '{"ops": []}')])
def test_arguments_are_handed_on_as_they_were_written(args: str | dict[str, object], told: str) -> None:
    tool = ToolSpec(name="t", description="d", parameters={"type": "object"})
    prompt = ChatPrompt(messages=HELLO.messages, tool=tool)
    reply = chat_model(Script(ToolCallPart("t", args))).complete(prompt)
    assert [call.arguments for call in reply.tool_calls] == [told]


@pytest.mark.parametrize("awaited", [True, False])
async def test_an_error_of_the_model_is_said_without_its_text(*, awaited: bool) -> None:
    def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("key sk-1 refused for Bernese")

    failing = PydanticAIChatModel(FunctionModel(fails))
    with pytest.raises(ChatUnavailable) as raised:
        await (failing.acomplete(HELLO) if awaited else asyncio.to_thread(failing.complete, HELLO))
    assert "Bernese" not in str(raised.value)
    assert "RuntimeError" in str(raised.value)
