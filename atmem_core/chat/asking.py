"""One question to a model within a time limit, and the JSON object in its answer."""

import json
import queue
import threading
from collections.abc import Mapping

from atmem_core.chat.protocol import ChatModel, ChatPrompt, ChatReply, unavailable
from atmem_core.errors import ChatUnavailable


def ask_within(model: ChatModel, prompt: ChatPrompt, *, timeout_ms: float) -> ChatReply:
    """The model's reply. A late one is thrown away; its thread ends by itself and holds nothing up.

    Raises:
        ChatUnavailable: No reply in time, or whatever the model raised, by its class alone.
    """
    replies: queue.SimpleQueue[ChatReply | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            replies.put(model.complete(prompt))
        except Exception as error:  # noqa: BLE001 - handed to whoever waits
            replies.put(error)

    threading.Thread(target=ask, name="atmem-ask", daemon=True).start()
    try:
        reply = replies.get(timeout=timeout_ms / 1000)
    except queue.Empty:
        raise ChatUnavailable("timeout", f"no reply within {timeout_ms:g} ms") from None
    if isinstance(reply, ChatUnavailable):
        raise reply
    if isinstance(reply, Exception):
        raise unavailable(reply) from None
    return reply


def object_of(reply: ChatReply, tool: str) -> Mapping[str, object] | None:
    """The arguments of the last call of the tool, or the first JSON object in the text; else None."""
    calls = [call for call in reply.tool_calls if call.name == tool]
    text = calls[-1].arguments if calls else reply.text
    start = text.find("{")
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None
