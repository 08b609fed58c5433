"""A Pydantic AI model as the one that reads facts out of turns."""

import json
from typing import TypeAlias

from pydantic_ai.direct import model_request, model_request_sync
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import KnownModelName, Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from atmem_core.chat import ChatMessage, ChatPrompt, ChatReply, ToolCall
from atmem_core.errors import ChatUnavailable

AnyModel: TypeAlias = Model | KnownModelName | str


class PydanticAIChatModel:
    """``ChatModel`` and ``AsyncChatModel`` of ``atmem_core.chat`` over any Pydantic AI model.

    Args:
        model: A model, or the name of one such as ``"openai:gpt-5-mini"``; its own time limit and retries
            hold.
    """

    def __init__(self, model: AnyModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's own name."""
        told = self._model.model_name if isinstance(self._model, Model) else self._model
        return f"Pydantic AI {told}"

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply, from a thread without a running event loop. Raises ChatUnavailable."""
        try:
            return _reply(
                model_request_sync(
                    self._model,
                    _messages(prompt),
                    model_settings=_settings(prompt),
                    model_request_parameters=_tools(prompt),
                )
            )
        except Exception as error:  # noqa: BLE001 - a provider's errors have no common base
            raise _unavailable(error) from None

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply, awaited. Raises ChatUnavailable; a cancellation is passed on."""
        try:
            return _reply(
                await model_request(
                    self._model,
                    _messages(prompt),
                    model_settings=_settings(prompt),
                    model_request_parameters=_tools(prompt),
                )
            )
        except Exception as error:  # noqa: BLE001 - as above
            raise _unavailable(error) from None


def _settings(prompt: ChatPrompt) -> ModelSettings:
    return ModelSettings(max_tokens=prompt.max_tokens)


def _tools(prompt: ChatPrompt) -> ModelRequestParameters:
    if prompt.tool is None:
        return ModelRequestParameters()
    tool = ToolDefinition(
        name=prompt.tool.name,
        description=prompt.tool.description,
        parameters_json_schema=dict(prompt.tool.parameters),
    )
    # A model that would rather answer in text may: JSON in a text is understood as well.
    return ModelRequestParameters(function_tools=[tool], allow_text_output=True)


def _messages(prompt: ChatPrompt) -> list[ModelMessage]:
    return [_message(one) for one in prompt.messages]


def _message(one: ChatMessage) -> ModelMessage:
    if one.role == "assistant":
        return ModelResponse(parts=[TextPart(one.content)])
    part = SystemPromptPart(one.content) if one.role == "system" else UserPromptPart(one.content)
    return ModelRequest(parts=[part])


def _reply(response: ModelResponse) -> ChatReply:
    calls = tuple(
        ToolCall(name=part.tool_name, arguments=_arguments(part))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return ChatReply(text=text, tool_calls=calls, finish_reason=response.finish_reason or "")


def _arguments(part: ToolCallPart) -> str:
    """As the model wrote them: whoever asked says what is wrong with broken ones."""
    return part.args if isinstance(part.args, str) else json.dumps(part.args or {})


def _unavailable(error: Exception) -> ChatUnavailable:
    """The error by its class: its message may hold the prompt or a key."""
    reason = "timeout" if isinstance(error, TimeoutError) else "transport"
    return ChatUnavailable(reason, f"the model raised {type(error).__name__}")
