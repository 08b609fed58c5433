"""A model of Pydantic AI as the one that reads facts out of turns, rewrites queries, or judges."""

import json

from pydantic_ai.direct import model_request, model_request_sync
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import KnownModelName, Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from atmem_core.chat import ChatMessage, ChatPrompt, ChatReply, ToolCall, ToolSpec, unavailable


class PydanticAiChatModel:
    """``ChatModel`` and ``AsyncChatModel`` of ``atmem_core.chat`` over any model of Pydantic AI.

    Args:
        model: A model, or its name such as ``"openai:gpt-5-mini"``; its own retries hold.
    """

    def __init__(self, model: Model | KnownModelName | str) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        model = self._model
        return f"Pydantic AI {model if isinstance(model, str) else model.model_name}"

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply. Raises ChatUnavailable for whatever the model raises."""
        try:
            return _reply(
                model_request_sync(
                    self._model,
                    _messages(prompt),
                    model_settings=ModelSettings(max_tokens=prompt.max_tokens),
                    model_request_parameters=_parameters(prompt),
                )
            )
        except Exception as error:  # noqa: BLE001 - a provider's errors have no common base
            raise unavailable(error) from None

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply, awaited. Raises ChatUnavailable; a cancellation is passed on."""
        try:
            return _reply(
                await model_request(
                    self._model,
                    _messages(prompt),
                    model_settings=ModelSettings(max_tokens=prompt.max_tokens),
                    model_request_parameters=_parameters(prompt),
                )
            )
        except Exception as error:  # noqa: BLE001 - as above
            raise unavailable(error) from None


def _parameters(prompt: ChatPrompt) -> ModelRequestParameters:
    return ModelRequestParameters(
        function_tools=[] if prompt.tool is None else [_tool(prompt.tool)], allow_text_output=True
    )


def _tool(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
    )


def _messages(prompt: ChatPrompt) -> list[ModelMessage]:
    """One request for each run of the caller's messages, a response for each of the model's."""
    messages: list[ModelMessage] = []
    for one in prompt.messages:
        if one.role == "assistant":
            messages.append(ModelResponse(parts=[TextPart(one.content)]))
        elif messages and isinstance(messages[-1], ModelRequest):
            messages[-1] = ModelRequest(parts=[*messages[-1].parts, _part(one)])
        else:
            messages.append(ModelRequest(parts=[_part(one)]))
    return messages


def _part(message: ChatMessage) -> ModelRequestPart:
    return SystemPromptPart(message.content) if message.role == "system" else UserPromptPart(message.content)


def _reply(response: ModelResponse) -> ChatReply:
    calls = [
        ToolCall(name=part.tool_name, arguments=_arguments(part))
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return ChatReply(text=text, tool_calls=tuple(calls), finish_reason=response.finish_reason or "")


def _arguments(call: ToolCallPart) -> str:
    """As the model wrote them; they may be broken."""
    return call.args if isinstance(call.args, str) else json.dumps(call.args or {})
