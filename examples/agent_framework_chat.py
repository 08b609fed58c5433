"""An Agent Framework agent that remembers, over two sessions, with a scripted client.

    python examples/agent_framework_chat.py

Put any chat client of Agent Framework's in the place of ``Scripted``.
"""

import asyncio
from collections.abc import Awaitable, Sequence

from agent_framework import Agent, BaseChatClient, ChatResponse, InMemoryHistoryProvider, Message

from atmem_agent_framework import AtmemContextProvider
from atmem_core import Memory


class Scripted(BaseChatClient):
    """Says what it was shown."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: object, **_: object
    ) -> Awaitable[ChatResponse]:
        shown = "\n".join(message.text for message in messages)

        async def one() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=[shown])])

        return one()


async def main() -> None:
    """Tell it in one session, ask in the next."""
    with Memory.open(":memory:") as memory:
        provider = AtmemContextProvider(memory, subject="ada", remember=True, deadline_ms=2_000)
        agent = Agent(client=Scripted(), context_providers=[InMemoryHistoryProvider(), provider])
        for text in ("My greyhound is called Pepper.", "What is my greyhound called?"):
            session = agent.create_session()
            answer = await agent.run(text, session=session)
            print(session.state["atmem"]["memory_decision"]["support_class"])
            print(answer.text)


if __name__ == "__main__":
    asyncio.run(main())
