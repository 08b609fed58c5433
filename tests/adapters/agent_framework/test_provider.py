"""The provider in an agent with a scripted client."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    InMemoryHistoryProvider,
    Message,
)

from atmem_agent_framework import AtmemContextProvider
from atmem_core import Memory
from atmem_core.testing import ADAPTER_CHECKS, AdapterOptions, HostTurn, HostUnderTest

ASKED = "What is the code of my gym locker?"


class Scripted(BaseChatClient):
    """Says "Noted." and keeps each request."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[str] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        self.requests.append("\n".join(message.text for message in messages))

        async def one() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=["Noted."])], response_id="r")

        return one()


class Conversation:
    """One session of an agent."""

    def __init__(self, provider: AtmemContextProvider) -> None:
        self.client = Scripted()
        history = InMemoryHistoryProvider()
        self.agent = Agent(client=self.client, context_providers=[history, provider])
        self.session = self.agent.create_session()

    def say(self, text: str) -> HostTurn:
        raise NotImplementedError("Agent Framework is called asynchronously")

    async def asay(self, text: str) -> HostTurn:
        before = len(self.client.requests)
        await self.agent.run(text, session=self.session)
        state = self.session.state["atmem"]
        return HostTurn(
            requests=tuple(self.client.requests[before:]),
            kept=json.dumps(self.session.to_dict(), default=str),
            decision=state["memory_decision"],
            failure=state["memory_error"],
        )


class FrameworkHost:
    """An agent with history and provider."""

    has_sync = False
    in_process = True

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        return Conversation(
            AtmemContextProvider(
                memory,
                subject=subject,
                on_error=options.on_error,
                deadline_ms=options.deadline_ms,
                remember=options.remember,
                clock=options.clock,
            )
        )


@pytest.mark.parametrize("check", ADAPTER_CHECKS, ids=lambda check: check.__name__)
def test_the_adapter_keeps_its_promises(check: Callable[[HostUnderTest], None]) -> None:
    check(FrameworkHost())


@pytest.fixture
def memory() -> Any:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember("The code of my gym locker is quillfeather.", subject="ada")
        yield memory


async def test_the_text_stands_right_before_the_new_message(memory: Memory) -> None:
    conversation = Conversation(AtmemContextProvider(memory, subject="ada"))
    await conversation.asay("Hello there!")
    turn = await conversation.asay(ASKED)
    hello, noted, *block, asked = turn.requests[0].split("\n")
    assert (hello, noted, asked) == ("Hello there!", "Noted.", ASKED)
    assert (block[0], block[-1]) == ("<atmem-memory>", "</atmem-memory>")


async def test_the_state_goes_with_the_session_as_json(memory: Memory) -> None:
    conversation = Conversation(AtmemContextProvider(memory, subject="ada", remember_assistant=True))
    await conversation.asay(ASKED)
    again = AgentSession.from_dict(json.loads(json.dumps(conversation.session.to_dict())))
    state = again.state["atmem"]
    assert state["memory_decision"]["support_class"] == "direct_support"
    assert len(state["memory_record_ids"]) == 1
    assert len(state["memory_stored_ids"]) == 2
    assert (state["memory_error"], state["memory_store_error"]) == (None, None)
    told = {(note.text, note.source) for note in memory.notes(subject="ada")}
    assert {(ASKED, "user"), ("Noted.", "assistant")} <= told


async def test_a_subject_may_come_from_the_session(memory: Memory) -> None:
    provider = AtmemContextProvider(
        memory, subject=lambda session: None if session is None else session.state.get("user")
    )
    conversation = Conversation(provider)
    conversation.session.state["user"] = "ada"
    turn = await conversation.asay(ASKED)
    assert "quillfeather" in turn.requests[0]


async def test_facts_are_read_out_of_a_stored_turn(memory: Memory) -> None:
    provider = AtmemContextProvider(memory, subject="ada", session="s1", facts=True)
    await Conversation(provider).asay("I live in Porto.")
    assert memory.sessions.drain()
    assert [one.text for one in memory.facts.list(subject="ada")] == ["user lives in Porto"]
