"""A LangChain chat model as the one that reads facts out of turns."""

import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from atmem_core.chat import ChatPrompt, ChatReply, ToolCall, ToolSpec, unavailable

_MESSAGES = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


class LangChainChatModel:
    """``ChatModel`` and ``AsyncChatModel`` of ``atmem_core.chat`` over any LangChain chat model.

    A model that can't bind tools is asked for JSON in its text, which is understood as well.

    Args:
        model: Any chat model; its own time limit and retries hold.
    """

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The class of the model."""
        return f"LangChain {type(self._model).__name__}"

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply. Raises ChatUnavailable for whatever the model raises."""
        try:
            return _reply(self._asked(prompt).invoke(_messages(prompt)))
        except Exception as error:  # noqa: BLE001 - a provider's errors have no common base
            raise unavailable(error) from None

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply, awaited. Raises ChatUnavailable; a cancellation is passed on."""
        try:
            return _reply(await self._asked(prompt).ainvoke(_messages(prompt)))
        except Exception as error:  # noqa: BLE001 - as above
            raise unavailable(error) from None

    def _asked(self, prompt: ChatPrompt) -> Runnable[Any, BaseMessage]:
        if prompt.tool is None:
            return self._model
        try:
            return self._model.bind_tools([_tool(prompt.tool)])
        except NotImplementedError:
            return self._model


def _tool(tool: ToolSpec) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _messages(prompt: ChatPrompt) -> list[BaseMessage]:
    return [_MESSAGES[one.role](content=one.content) for one in prompt.messages]


def _reply(message: BaseMessage) -> ChatReply:
    calls: list[ToolCall] = []
    if isinstance(message, AIMessage):
        calls = [ToolCall(name=one["name"], arguments=json.dumps(one["args"])) for one in message.tool_calls]
        # Arguments that didn't parse are kept as they were written: whoever asked says what is wrong.
        calls += [
            ToolCall(name=one["name"] or "", arguments=one["args"] or "")
            for one in message.invalid_tool_calls
        ]
    return ChatReply(text=str(message.text), tool_calls=tuple(calls))
