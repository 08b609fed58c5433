"""What is said to a model, what comes back, and who may stand in between."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from atmem_core.errors import ChatUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """The one tool that a model may call; servers without tools get its parameters as a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]
    """JSON schema of an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPrompt:
    """One call: no history, no loop."""

    messages: tuple[ChatMessage, ...]
    tool: ToolSpec | None = None
    max_tokens: int = 1 << 10
    """Most tokens of the reply. Written as a power: a bare number of this size is a model's dimensions."""
    session: str | None = None
    """Whose calls this one belongs to, for whoever keeps a state between calls, such as a chain of providers
    with a breaker. It isn't sent: a server needs no session's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model made."""

    name: str
    arguments: str
    """JSON, as the model wrote it: it may be broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What the model said."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ""


class ChatModel(Protocol):
    """A model that is called from a thread that may wait."""

    @property
    def name(self) -> str:
        """For a person to read, such as ``qwen3:8b at 127.0.0.1:11434``."""
        ...

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply.

        Raises:
            ChatUnavailable: No reply, for whatever reason.
        """
        ...


class AsyncChatModel(Protocol):
    """A model that is awaited."""

    @property
    def name(self) -> str:
        """As of ``ChatModel``."""
        ...

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """As ``ChatModel.complete``."""
        ...


def unavailable(error: Exception) -> ChatUnavailable:
    """What an adapter raises for whatever its host's model raised.

    It names the class alone, since a message may hold the prompt or a key.
    """
    reason = "timeout" if isinstance(error, TimeoutError) else "transport"
    return ChatUnavailable(reason, f"the model raised {type(error).__name__}")
