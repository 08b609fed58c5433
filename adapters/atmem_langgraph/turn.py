"""Which messages of a state are the turn: what is asked, and what is stored."""

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
)

from atmem_core.context import without_fence
from atmem_langgraph.state import value_of


def messages_of(state: object) -> list[BaseMessage]:
    """The state's messages, also those that it holds as dicts or pairs."""
    return convert_to_messages(value_of(state, "messages") or [])


def own_text(message: BaseMessage) -> str:
    """Text of a message without recalled blocks; empty for an image or a bare tool call."""
    return without_fence(str(message.text)).strip()


def last_user_text(state: object) -> str:
    """The text of the last user message; empty without one."""
    asked = last_user_index(messages := messages_of(state))
    return "" if asked is None else str(messages[asked].text)


def last_user_index(messages: list[BaseMessage]) -> int | None:
    """Where the last user message stands; None without one."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], HumanMessage):
            return index
    return None


def finished_turn(messages: list[BaseMessage], *, assistant: bool) -> list[BaseMessage]:
    """The last user message and, if asked for, the answer to it.

    The answer is the last message after it when that comes from the model and calls no tool. What
    tools said, and what the model said on the way to them, is no part of the turn.
    """
    asked = last_user_index(messages)
    if asked is None:
        return []
    turn = [messages[asked]]
    last = messages[-1]
    if assistant and isinstance(last, AIMessage) and not last.tool_calls:
        turn.append(last)
    return turn
