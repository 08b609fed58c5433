"""Chat models: the protocol that extraction needs, and a client for every OpenAI-compatible server."""

from atmem_core.chat.asking import ask_within, object_of
from atmem_core.chat.client import OpenAIChatModel
from atmem_core.chat.protocol import (
    AsyncChatModel,
    ChatMessage,
    ChatModel,
    ChatPrompt,
    ChatReply,
    ToolCall,
    ToolSpec,
    unavailable,
)
from atmem_core.chat.wire import Structured

__all__ = [
    "AsyncChatModel",
    "ChatMessage",
    "ChatModel",
    "ChatPrompt",
    "ChatReply",
    "OpenAIChatModel",
    "Structured",
    "ToolCall",
    "ToolSpec",
    "ask_within",
    "object_of",
    "unavailable",
]
