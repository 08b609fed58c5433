"""A LangChain model reads facts out of turns."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from atmem_core import AsyncMemory, Memory
from atmem_core.chat import ChatMessage, ChatPrompt
from atmem_core.errors import ChatUnavailable
from atmem_langgraph import LangChainChatModel

PORTO = {"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"}
CALLED = AIMessage(
    content="", tool_calls=[{"name": "apply_memory_ops", "args": {"ops": [PORTO]}, "id": "c1"}]
)
TOLD = AIMessage(
    content='{"ops": [{"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"}]}'
)


class Plain(BaseChatModel):
    """Says one thing, and can't bind tools."""

    says: AIMessage
    raises: Exception | None = Field(default=None, exclude=True)
    asked: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **_: Any
    ) -> ChatResult:
        self.asked.append(messages)
        if self.raises is not None:
            raise self.raises
        return ChatResult(generations=[ChatGeneration(message=self.says)])


class Calling(Plain):
    """Can bind tools."""

    bound: list[str] = Field(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        self.bound.extend(one["function"]["name"] for one in tools)
        return self


@pytest.mark.parametrize("model", [Calling(says=CALLED), Calling(says=TOLD), Plain(says=TOLD)])
def test_a_fact_is_read_by_call_or_by_text(model: Plain) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.sessions.extract_with(LangChainChatModel(model))
        memory.sessions.finish("I have settled in Porto for good.", subject="ada", session="s")
        assert memory.sessions.drain()
        assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
        assert memory.sessions.health().extractor.startswith("model LangChain ")
    (messages,) = model.asked
    assert [one.type for one in messages] == ["system", "human"]


def test_the_tool_is_bound_where_it_can_be() -> None:
    model = Calling(says=CALLED)
    prompt = ChatPrompt(messages=(ChatMessage(role="user", content="hi"),))
    assert LangChainChatModel(model).complete(prompt).text == ""
    assert model.bound == []


async def test_it_is_awaited_from_a_loop() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        await memory.sessions.extract_with(LangChainChatModel(Calling(says=CALLED)))
        await memory.sessions.finish("I have settled in Porto for good.", subject="ada", session="s")
        assert await memory.sessions.drain()
        assert [one.object for one in await memory.facts.list(subject="ada")] == ["Porto"]


@pytest.mark.parametrize("awaited", [True, False])
async def test_an_error_of_the_model_is_said_without_its_text(*, awaited: bool) -> None:
    failing = LangChainChatModel(Plain(says=TOLD, raises=RuntimeError("key sk-1 refused for Bernese")))
    prompt = ChatPrompt(messages=(ChatMessage(role="user", content="hi"),))
    with pytest.raises(ChatUnavailable) as raised:
        await (failing.acomplete(prompt) if awaited else asyncio.to_thread(failing.complete, prompt))
    assert "Bernese" not in str(raised.value)
    assert "RuntimeError" in str(raised.value)


def test_arguments_that_didnt_parse_are_an_error_and_the_turn_waits() -> None:
    broken = AIMessage(
        content="",
        invalid_tool_calls=[
            {
                "name": "apply_memory_ops",
                "args": '{"ops": [',
                "id": "c",
                "error": "x",
                "type": "invalid_tool_call",
            }
        ],
    )
    with Memory.open(":memory:", embedder=None) as memory:
        memory.sessions.extract_with(LangChainChatModel(Calling(says=broken)))
        memory.sessions.finish("I have settled in Porto for good.", subject="ada", session="s")
        assert memory.sessions.drain()
        assert memory.sessions.health().last_failure == "extractor_invalid_args"
        assert memory.sessions.waiting() == 1
