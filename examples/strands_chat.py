"""An agent of Strands that remembers, over two agents, with a model that says what it was shown.

    python examples/strands_chat.py

Copy ``AtmemStrandsStore`` into your program; put a real model in the place of ``Shown``.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent
from strands.hooks import AfterInvocationEvent, HookProvider, HookRegistry
from strands.memory import MemoryEntry, MemoryManager, MemoryStore
from strands.models import Model

from atmem_core import Memory, Scope
from atmem_core.host import HostMemory, Said


class AtmemStrandsStore(MemoryStore, HookProvider):
    """One subject's memory: searched before a turn by the manager, and told the turn by a hook."""

    name, description = "atmem", "Long-term memory of the user"
    max_search_results, writable, extraction = 1, False, None

    def __init__(self, memory: Memory, *, subject: str) -> None:
        self.memory, self.scope = HostMemory(memory, deadline_ms=2_000), Scope(subject=subject)

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:  # noqa: ANN401 - Strands' own
        """The fenced text of what was released, as one entry, or none."""
        recalled = (await self.memory.arecall(query, self.scope)).value
        ids = [note.id for note in recalled.records] if recalled else []
        shown = (await self.memory.arender(ids, self.scope)).value
        return [MemoryEntry(content=shown)] if shown else []

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:  # noqa: ANN401 - Strands' own
        """Store what the user said when a turn has ended with an answer."""
        registry.add_callback(AfterInvocationEvent, self.store)

    async def store(self, event: AfterInvocationEvent) -> None:
        """The user's last message; a turn that failed has no result and isn't stored."""
        said = [text_of(one) for one in event.agent.messages if one["role"] == "user"]
        if event.result is not None and said:
            await self.memory.aremember([Said(text=said[-1])], self.scope)


class Shown(Model):
    """Says what it was shown."""

    def update_config(self, **_: Any) -> None:  # noqa: ANN401 - Strands' own
        """There is none."""

    def get_config(self) -> dict[str, Any]:
        """There is none."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401 - Strands' own
        """Not asked for."""
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        """One answer."""
        told = "\n".join(text_of(one) for one in messages)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": told}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def text_of(message: Any) -> str:  # noqa: ANN401 - a dictionary of Strands'
    """What a message says."""
    return "\n".join(block["text"] for block in message["content"] if "text" in block)


async def say(memory: Memory, text: str, subject: str = "ada") -> str:
    """One turn of a new agent."""
    store = AtmemStrandsStore(memory, subject=subject)
    manager = MemoryManager(
        stores=[store],
        search_tool_config=False,
        injection={"format": lambda context: "\n".join(entry.content for entry in context.entries)},
    )
    agent = Agent(model=Shown(), memory_manager=manager, hooks=[store], callback_handler=None)
    return str(await agent.invoke_async(text))


async def main() -> None:
    """Tell one agent, ask the next, and ask as somebody else."""
    with Memory.open(":memory:") as memory:
        memory.doctor()  # loads the model now, and not within the deadline of the first question
        print(await say(memory, "My greyhound is called Pepper."))
        print(await say(memory, "What is my greyhound called?"))
        print(await say(memory, "What is my greyhound called?", subject="eve"))


if __name__ == "__main__":
    asyncio.run(main())
