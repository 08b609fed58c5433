"""Agents with a scripted model, as a host would build them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from atmem_core.testing import AdapterOptions, HostTurn
from atmem_pydantic_ai import MemoryCapability, MemoryEvent


@dataclass(frozen=True)
class Deps:
    """What a host hands to a run."""

    user_id: str


@dataclass
class Script:
    """Says what the script says and keeps each request."""

    parts: list[ModelResponsePart] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    messages: list[list[ModelMessage]] = field(default_factory=list)
    infos: list[AgentInfo] = field(default_factory=list)

    def model(self) -> FunctionModel:
        """The script as a model."""
        return FunctionModel(self._answer)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append(text_of(messages, info.instructions))
        self.messages.append(messages)
        self.infos.append(info)
        return ModelResponse(parts=[self.parts.pop(0) if self.parts else TextPart("Noted.")])


def text_of(messages: Sequence[ModelMessage], instructions: str | None = None) -> str:
    """All text of a request, as the model gets it."""
    texts = [instructions or ""]
    for message in messages:
        for part in message.parts:
            content = getattr(part, "content", "")
            if isinstance(part, UserPromptPart) and not isinstance(content, str):
                texts.extend(
                    one if isinstance(one, str) else str(getattr(one, "content", "")) for one in content
                )
            else:
                texts.append(str(content))
    return "\n".join(texts)


class Conversation:
    """Runs of one agent, each with the history of the one before."""

    def __init__(
        self, agent: Agent[Deps, str], script: Script, events: list[MemoryEvent], subject: str
    ) -> None:
        self.agent, self.script, self.events = agent, script, events
        self.deps = Deps(subject)
        self.history: list[ModelMessage] = []

    def say(self, text: str) -> HostTurn:
        before = len(self.script.requests), len(self.events)
        result = self.agent.run_sync(text, deps=self.deps, message_history=self.history)
        return self._turn(result.all_messages(), *before)

    async def asay(self, text: str) -> HostTurn:
        before = len(self.script.requests), len(self.events)
        result = await self.agent.run(text, deps=self.deps, message_history=self.history)
        return self._turn(result.all_messages(), *before)

    def _turn(self, history: list[ModelMessage], requests: int, events: int) -> HostTurn:
        self.history = history
        recall = next(one for one in self.events[events:] if one.act == "recall")
        return HostTurn(
            requests=tuple(self.script.requests[requests:]),
            kept=ModelMessagesTypeAdapter.dump_json(history).decode(),
            decision=recall.decision,
            failure=None if recall.failure is None else recall.failure.to_dict(),
        )


class AgentHost:
    """An agent with the capability."""

    has_sync = True
    in_process = True

    def __init__(self, **options: Any) -> None:
        self.options = options

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        script, events = Script(), list[MemoryEvent]()
        capability = MemoryCapability(
            memory,
            on_error=options.on_error,
            deadline_ms=options.deadline_ms,
            remember=options.remember,
            clock=options.clock,
            observe=events.append,
            **self.options,
        )
        agent = Agent(script.model(), deps_type=Deps, capabilities=[capability])
        return Conversation(agent, script, events, subject)
