"""A model of Pydantic AI reads facts out of turns."""

import asyncio
import json

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from atmem_core import AsyncMemory, Memory
from atmem_core.chat import ChatMessage, ChatPrompt
from atmem_core.errors import ChatUnavailable
from atmem_pydantic_ai import PydanticAiChatModel

OPS = {"ops": [{"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"}]}
SAID = "I have settled in Porto for good."


class Answering:
    """Gives one response and keeps what it was asked."""

    def __init__(self, *parts: TextPart | ToolCallPart) -> None:
        self.parts = parts
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append((messages, info))
        return ModelResponse(parts=list(self.parts))

    def model(self) -> PydanticAiChatModel:
        return PydanticAiChatModel(FunctionModel(self, model_name="scripted"))


@pytest.mark.parametrize(
    "part",
    [
        ToolCallPart("apply_memory_ops", OPS, tool_call_id="c1"),
        ToolCallPart("apply_memory_ops", json.dumps(OPS), tool_call_id="c1"),
        TextPart(json.dumps(OPS)),
    ],
)
def test_a_fact_is_read_by_call_or_by_text(part: TextPart | ToolCallPart) -> None:
    answering = Answering(part)
    with Memory.open(":memory:", embedder=None) as memory:
        memory.sessions.extract_with(answering.model())
        memory.sessions.finish(SAID, subject="ada", session="s")
        assert memory.sessions.drain()
        assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
        assert memory.sessions.health().extractor == "model Pydantic AI scripted"
    ((messages, info),) = answering.asked
    (request,) = messages
    assert [one.part_kind for one in request.parts] == ["system-prompt", "user-prompt"]
    assert [tool.name for tool in info.function_tools] == ["apply_memory_ops"]
    assert info.model_settings is not None
    assert info.model_settings["max_tokens"] > 0


async def test_it_is_awaited_from_a_loop() -> None:
    answering = Answering(ToolCallPart("apply_memory_ops", OPS, tool_call_id="c1"))
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        await memory.sessions.extract_with(answering.model())
        await memory.sessions.finish(SAID, subject="ada", session="s")
        assert await memory.sessions.drain()
        assert [one.object for one in await memory.facts.list(subject="ada")] == ["Porto"]


def test_what_a_model_said_before_stands_between_the_requests() -> None:
    answering = Answering(TextPart("yes"))
    turns = (("system", "Be brief."), ("user", "Hi."), ("assistant", "Hello."), ("user", "And?"))
    prompt = ChatPrompt(messages=tuple(ChatMessage(role=role, content=text) for role, text in turns))  # type: ignore[arg-type]
    assert answering.model().complete(prompt).text == "yes"
    ((messages, info),) = answering.asked
    assert [message.kind for message in messages] == ["request", "response", "request"]
    assert info.function_tools == []


@pytest.mark.parametrize("awaited", [True, False])
async def test_an_error_of_the_model_is_said_without_its_text(*, awaited: bool) -> None:
    def refuses(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("key sk-1 refused for Bernese")

    failing = PydanticAiChatModel(FunctionModel(refuses))
    prompt = ChatPrompt(messages=(ChatMessage(role="user", content="hi"),))
    with pytest.raises(ChatUnavailable) as raised:
        await (failing.acomplete(prompt) if awaited else asyncio.to_thread(failing.complete, prompt))
    assert "Bernese" not in str(raised.value)
    assert "RuntimeError" in str(raised.value)


def test_arguments_that_dont_parse_leave_the_turn_waiting() -> None:
    answering = Answering(ToolCallPart("apply_memory_ops", '{"ops": [', tool_call_id="c1"))
    with Memory.open(":memory:", embedder=None) as memory:
        memory.sessions.extract_with(answering.model())
        memory.sessions.finish(SAID, subject="ada", session="s")
        assert memory.sessions.drain()
        assert memory.sessions.waiting() == 1
