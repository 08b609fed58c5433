"""An agent of Google ADK that remembers, over two sessions, with a model that says what it was shown.

    python examples/adk_chat.py

Copy ``AtmemMemory`` into your program; put a real model in the place of ``Shown``.
"""

import asyncio
from collections.abc import AsyncIterator

from google.adk.agents import Agent
from google.adk.agents.callback_context import CallbackContext
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai.types import Content, Part

from atmem_core import Memory, Scope
from atmem_core.host import HostMemory, Said, message_key


class AtmemMemory(BaseMemoryService):
    """ADK's user is the subject, its app the project. What fails is logged by its code and found nothing."""

    def __init__(self, memory: Memory) -> None:
        self.memory = HostMemory(memory, deadline_ms=2_000)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The fenced text of what was released, as one entry, or none."""
        scope = Scope(subject=user_id, project=app_name)
        recalled = (await self.memory.arecall(query, scope)).value
        ids = [note.id for note in recalled.records] if recalled else []
        shown = (await self.memory.arender(ids, scope)).value
        entry = MemoryEntry(content=Content(role="user", parts=[Part(text=shown)]))
        return SearchMemoryResponse(memories=[entry] if shown else [])

    async def add_session_to_memory(self, session: Session) -> None:
        """What the user said, each message once however often the session is handed over."""
        scope = Scope(subject=session.user_id, project=session.app_name, session=session.id)
        said = [(event.id, text_of(event.content)) for event in session.events if event.author == "user"]
        await self.memory.aremember(
            [Said(text=text, key=message_key(session.id, place)) for place, text in said], scope
        )


class Shown(BaseLlm):
    """Says what it was shown."""

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001 - as ADK has it
    ) -> AsyncIterator[LlmResponse]:
        """One answer."""
        told = "\n".join(text_of(content) for content in llm_request.contents)
        yield LlmResponse(content=Content(role="model", parts=[Part(text=told)]))


def text_of(content: Content | None) -> str:
    """What a message says."""
    parts = content.parts if content and content.parts else []
    return "\n".join(part.text for part in parts if part.text)


async def store(callback_context: CallbackContext) -> None:
    """After each turn, hand the session to the memory service."""
    await callback_context.add_session_to_memory()


async def say(runner: Runner, session: str, text: str, user: str = "ada") -> str:
    """One turn of a session."""
    await runner.session_service.create_session(app_name="chat", user_id=user, session_id=session)
    message = Content(role="user", parts=[Part(text=text)])
    events = runner.run_async(user_id=user, session_id=session, new_message=message)
    return "\n".join([text_of(event.content) async for event in events])


async def main() -> None:
    """Tell it in one session, ask in the next, and ask as somebody else."""
    agent = Agent(
        name="assistant", model=Shown(model="shown"), tools=[PreloadMemoryTool()], after_agent_callback=store
    )
    with Memory.open(":memory:") as memory:
        memory.doctor()  # loads the model now, and not within the deadline of the first question
        runner = Runner(
            app_name="chat",
            agent=agent,
            session_service=InMemorySessionService(),
            memory_service=AtmemMemory(memory),
        )
        print(await say(runner, "s1", "My greyhound is called Pepper."))
        print(await say(runner, "s2", "What is my greyhound called?"))
        print(await say(runner, "s3", "What is my greyhound called?", user="eve"))


if __name__ == "__main__":
    asyncio.run(main())
