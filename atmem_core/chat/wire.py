"""The OpenAI-compatible wire format: a prompt as a body, a body as a reply."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from atmem_core.chat.protocol import ChatPrompt, ChatReply, ToolCall
from atmem_core.errors import ChatUnavailable

Structured: TypeAlias = Literal["tool", "json_schema", "json_object"]


def body_of(prompt: ChatPrompt, *, model: str, structured: Structured) -> dict[str, object]:
    """What is posted."""
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in prompt.messages],
        "max_tokens": prompt.max_tokens,
        # The same turn should give the same facts.
        "temperature": 0,
        "stream": False,
    }
    if prompt.tool is None:
        return body
    schema = dict(prompt.tool.parameters)
    if structured == "json_schema":
        named = {"name": prompt.tool.name, "schema": schema, "strict": True}
        return body | {"response_format": {"type": "json_schema", "json_schema": named}}
    if structured == "json_object":
        # The schema stands beside the type; servers that know none of it give any JSON object.
        return body | {"response_format": {"type": "json_object", "schema": schema}}
    function = {"name": prompt.tool.name, "description": prompt.tool.description, "parameters": schema}
    return body | {"tools": [{"type": "function", "function": function}], "tool_choice": "auto"}


def reply_of(data: bytes) -> ChatReply:
    """The reply in a body.

    Raises:
        ChatUnavailable: ``bad_shape``; what was there isn't shown.
    """
    try:
        choice = json.loads(data)["choices"][0]
        message = choice["message"]
        return ChatReply(
            text=_text(message.get("content")),
            tool_calls=tuple(_calls(message.get("tool_calls") or ())),
            finish_reason=str(choice.get("finish_reason") or ""),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        what = f"the body of {len(data)} bytes is no chat completion ({type(error).__name__})"
        raise ChatUnavailable("bad_shape", what) from None


def _text(content: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return ""


def _calls(calls: Sequence[Mapping[str, Mapping[str, object]]]) -> list[ToolCall]:
    found = []
    for call in calls:
        arguments = call["function"].get("arguments", "")
        # Some servers send the object itself.
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        found.append(ToolCall(name=str(call["function"]["name"]), arguments=written))
    return found
