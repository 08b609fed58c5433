"""Where recalled memory stands in an agent's messages: a marker in the history, the text at the call.

Rule: the history holds a marker with record ids in its metadata, and no text of a memory. How it works:
every request is a copy in which each marker is rendered anew, so a request begins with the same bytes as
the one before, which keeps a provider's prefix cache, until a record is forgotten or erased; then it is
gone from that request on.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, TextContent, UserPromptPart

_KEY = "atmem"
_EMPTY = "<atmem-memory></atmem-memory>"
"""What a model sees of a marker when the capability is gone from the agent."""


def marker(ids: Sequence[str], decision: dict[str, Any]) -> UserPromptPart:
    """The part that stands for these records."""
    told = {
        "record_ids": list(ids),
        "decision_id": decision["decision_id"],
        "support_class": decision["support_class"],
    }
    return UserPromptPart([TextContent(_EMPTY, metadata={_KEY: told})])


def released_ids(messages: Sequence[ModelMessage]) -> list[str]:
    """Ids of the records that these messages were given, in order; each once."""
    parts = [part for message in messages for part in message.parts]
    return list(dict.fromkeys(one for part in parts for one in marked_ids(part) or ()))


def marked_ids(part: object) -> list[str] | None:
    """The ids of a marker; None for any other part."""
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return None
    for item in part.content:
        metadata = getattr(item, "metadata", None)
        if isinstance(item, TextContent) and isinstance(metadata, dict) and _KEY in metadata:
            return [str(one) for one in metadata[_KEY]["record_ids"]]
    return None


def expanded(messages: Sequence[ModelMessage], texts: Sequence[str]) -> list[ModelMessage]:
    """A copy with the n-th text in the place of the n-th marker; an empty text leaves nothing there."""
    left = iter(texts)
    copies: list[ModelMessage] = []
    for message in messages:
        if not isinstance(message, ModelRequest) or not any(
            marked_ids(one) is not None for one in message.parts
        ):
            copies.append(message)
            continue
        parts: list[ModelRequestPart] = []
        for part in message.parts:
            shown = part if marked_ids(part) is None else _shown(next(left))
            parts.extend([] if shown is None else [shown])
        if parts:
            copies.append(replace(message, parts=parts))
    return copies


def before_prompt(messages: Sequence[ModelMessage], text: str) -> list[ModelMessage]:
    """A copy with the text before the last prompt of the user."""
    copies = list(messages)
    for index in range(len(copies) - 1, -1, -1):
        message = copies[index]
        if text and isinstance(message, ModelRequest) and prompt_text(message):
            copies[index] = replace(message, parts=[UserPromptPart(text), *message.parts])
            break
    return copies


def prompt_text(message: ModelMessage) -> str:
    """What the user said in a request, without images and markers; empty for a tool's return."""
    prompts = [
        part.content
        for part in message.parts
        if isinstance(part, UserPromptPart) and marked_ids(part) is None
    ]
    texts = [text for content in prompts for text in ([content] if isinstance(content, str) else content)]
    said = [text if isinstance(text, str) else getattr(text, "content", None) for text in texts]
    whole = "\n".join(text for text in said if isinstance(text, str))
    return whole if whole.strip() else ""


def _shown(text: str) -> UserPromptPart | None:
    return UserPromptPart(text) if text else None
