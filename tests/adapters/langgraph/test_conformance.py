"""Nodes in a graph, and the middleware in an agent, keep every promise of an adapter."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from atmem_core.testing import ADAPTER_CHECKS, AdapterOptions, HostTurn, HostUnderTest
from atmem_langgraph import (
    AtmemMiddleware,
    AtmemState,
    RecallNode,
    RememberNode,
    amessages_for_model,
    messages_for_model,
)
from tests.adapters.langgraph.fakes import RecordingModel
from tests.adapters.langgraph.graphs import Context, Graph, said, thread


class Conversation:
    """One thread of a graph; everything its checkpointer holds is what the host keeps."""

    def __init__(self, graph: Graph, model: RecordingModel, saver: InMemorySaver, subject: str) -> None:
        self.graph, self.model, self.saver = graph, model, saver
        self.context = Context(subject)

    def say(self, text: str) -> HostTurn:
        before = len(self.model.requests)
        self.graph.invoke(said(text), thread(), context=self.context)
        return self._turn(before)

    async def asay(self, text: str) -> HostTurn:
        before = len(self.model.requests)
        await self.graph.ainvoke(said(text), thread(), context=self.context)
        return self._turn(before)

    def _turn(self, before: int) -> HostTurn:
        state = self.graph.get_state(thread()).values
        kept = [self.saver.serde.loads_typed(typed) for typed in _blobs(self.saver)]
        return HostTurn(
            requests=tuple(map(self.model.request, range(before, len(self.model.requests)))),
            kept=json.dumps(kept, default=str),
            decision=state["memory_decision"],
            failure=state["memory_error"],
        )


def _blobs(saver: InMemorySaver) -> list[tuple[str, bytes]]:
    """Every value of every version that the saver holds."""
    held = [typed for typed in saver.blobs.values() if typed[0] != "empty"]
    written = [write[2] for writes in saver.writes.values() for write in writes.values()]
    return [*held, *written]


class GraphHost:
    """A graph with both nodes and a model's node between them."""

    has_sync = True
    in_process = True

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        calls: dict[str, Any] = {"on_error": options.on_error, "deadline_ms": options.deadline_ms}
        model, saver = RecordingModel(), InMemorySaver()
        graph = StateGraph(AtmemState, context_schema=Context)
        graph.add_node(RecallNode(memory, **calls))
        graph.add_node("model", _model_node(memory, model, {**calls, "clock": options.clock}))
        graph.add_node(RememberNode(memory, **calls))
        graph.add_edge(START, "recall")
        graph.add_edge("recall", "model")
        graph.add_edge("model", "remember" if options.remember else END)
        return Conversation(graph.compile(checkpointer=saver), model, saver, subject)


def _model_node(memory: Any, model: RecordingModel, options: dict[str, Any]) -> Any:
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415 - beside its use

    def call(state: AtmemState) -> dict[str, Any]:
        return {"messages": [model.invoke(messages_for_model(state, memory, **options))]}

    async def acall(state: AtmemState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(await amessages_for_model(state, memory, **options))]}

    return RunnableLambda(call, afunc=acall, name="model")


class AgentHost:
    """An agent of LangChain's with the middleware."""

    has_sync = True
    in_process = True

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        model, saver = RecordingModel(), InMemorySaver()
        middleware = AtmemMiddleware(
            memory,
            on_error=options.on_error,
            deadline_ms=options.deadline_ms,
            remember=options.remember,
            clock=options.clock,
        )
        agent = create_agent(model, middleware=[middleware], checkpointer=saver, context_schema=Context)
        return Conversation(agent, model, saver, subject)


@pytest.mark.parametrize("host", [GraphHost(), AgentHost()], ids=["graph", "agent"])
@pytest.mark.parametrize("check", ADAPTER_CHECKS, ids=lambda check: check.__name__)
def test_the_adapter_keeps_its_promises(check: Callable[[HostUnderTest], None], host: HostUnderTest) -> None:
    check(host)
