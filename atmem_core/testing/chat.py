"""A chat model for tests: says what it was given to say, and keeps what it was asked."""

from collections.abc import Iterable

from atmem_core.chat import ChatPrompt, ChatReply, ToolCall
from atmem_core.errors import ChatUnavailable


class ScriptedChatModel:
    """Gives the replies in order, the last one for ever; without any it is unavailable.

    Args:
        replies: What it says. A text that begins with ``{`` comes as a call of the tool that was offered.
    """

    def __init__(self, replies: Iterable[str | ChatReply] = ()) -> None:
        self._replies = list(replies)
        self.prompts: list[ChatPrompt] = []

    @property
    def name(self) -> str:
        """Says that it is none."""
        return "scripted"

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """The next reply."""
        self.prompts.append(prompt)
        if not self._replies:
            raise ChatUnavailable("transport", "nothing was scripted")
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, ChatReply):
            return reply
        if reply.startswith("{") and prompt.tool is not None:
            return ChatReply(tool_calls=(ToolCall(name=prompt.tool.name, arguments=reply),))
        return ChatReply(text=reply)

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """The next reply, awaited."""
        return self.complete(prompt)
