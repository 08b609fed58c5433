"""A user's file that calls every adapter's public signature. mypy checks it; nobody runs it."""

from typing import TypedDict

from agent_framework import Agent as FrameworkAgent
from agent_framework import BaseChatClient, InMemoryHistoryProvider
from agents import Agent as OpenAIAgent
from agents import RunConfig, Runner
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.graph import END, START, StateGraph
from pydantic_ai import Agent
from pydantic_ai.models import Model

from atmem_agent_framework import AtmemContextProvider
from atmem_core import AsyncMemory, Decision, Memory, Scope, SupportClass
from atmem_core.host import Failure, HostMemory, HostPort, Outcome, Said
from atmem_langgraph import (
    AtmemMiddleware,
    AtmemState,
    AtmemStore,
    LangChainChatModel,
    RecallNode,
    RememberNode,
    route_by_decision,
)
from atmem_mcp import build_server, serve_http, serve_stdio
from atmem_openai_agents import AtmemTurn, AtmemTurns
from atmem_pydantic_ai import MemoryCapability, MemoryEvent, MemoryToolset, PydanticAiChatModel, released_ids


class Context(TypedDict):
    """What a graph is called with."""

    user_id: str


def core(memory: Memory) -> SupportClass:
    """The verbs."""
    memory.remember("x", subject="ada", project="p", tags=("t",))
    decision: Decision = memory.decide("x", subject="ada")
    return decision.support_class


def host(memory: Memory | AsyncMemory) -> Failure | None:
    """A host of one's own."""
    provider: HostPort = HostMemory(memory, on_error="raise", deadline_ms=20.0, budget_tokens=100)
    told: Outcome[tuple[str, ...]] = provider.remember([Said(text="x")], Scope(subject="ada"))
    return told.failure


def langgraph(memory: Memory, model: BaseChatModel) -> None:
    """Nodes, routing, middleware, store."""
    builder = StateGraph(AtmemState, context_schema=Context)
    builder.add_node("recall", RecallNode(memory, subject="ada", deadline_ms=500))
    builder.add_node("remember", RememberNode(memory, subject="ada"))
    builder.add_edge(START, "recall")
    builder.add_conditional_edges(
        "recall",
        route_by_decision,
        {
            "direct_support": "remember",
            "background_context": "remember",
            "no_useful_memory": END,
            "memory_error": END,
        },
    )
    builder.compile(store=AtmemStore(memory, subject="ada"))
    create_agent(model, middleware=[AtmemMiddleware(memory, subject="ada")])
    memory.sessions.extract_with(LangChainChatModel(model))


def pydantic_ai(memory: Memory, model: Model) -> list[str]:
    """Capability, tools, and a model that reads facts."""
    events: list[MemoryEvent] = []
    capability = MemoryCapability(memory, subject="ada", place="request", observe=events.append)
    agent = Agent(model, capabilities=[capability], toolsets=[MemoryToolset(memory, subject="ada")])
    memory.sessions.extract_with(PydanticAiChatModel(model))
    return list(released_ids(agent.run_sync("x").all_messages()))


def agent_framework(memory: AsyncMemory, client: BaseChatClient) -> FrameworkAgent:
    """The provider after the history."""
    provider = AtmemContextProvider(memory, subject=lambda session: session.session_id if session else None)
    return FrameworkAgent(client=client, context_providers=[InMemoryHistoryProvider(), provider])


async def openai_agents(memory: Memory, agent: OpenAIAgent[None]) -> Failure | None:
    """One turn a run."""
    turn: AtmemTurn = AtmemTurns(memory, remember=True, on_error="ignore").turn(subject="ada", session="s")
    await Runner.run(agent, "x", run_config=RunConfig(call_model_input_filter=turn), hooks=turn)
    return turn.failure


def mcp(memory: Memory, port: int | None) -> None:
    """A server, on stdio or loopback."""
    server = build_server(memory, subject="ada", legacy_tools=True, answer_bytes=4_000)
    if port is None:
        serve_stdio(server)
    else:
        serve_http(server, port=port, token="t" * 16)
