"""Small graphs around the nodes, as a host would build them."""

from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import interrupt

from atmem_langgraph import (
    AtmemState,
    RecallNode,
    RememberNode,
    amessages_for_model,
    messages_for_model,
)
from tests.adapters.langgraph.fakes import Anything, RecordingModel

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True)
class Context:
    """What a host hands to a run."""

    subject: str


def thread(thread_id: str = "t1", **configurable: str) -> Anything:
    """The config of one conversation."""
    return {"configurable": {"thread_id": thread_id, **configurable}}


def said(text: str, **more: Anything) -> Anything:
    """The input of one turn."""
    return {"messages": [{"role": "user", "content": text}], **more}


def recalling(memory: Anything, **options: Anything) -> Graph:
    """A graph that only recalls."""
    graph = StateGraph(AtmemState)
    graph.add_node(RecallNode(memory, **options))
    graph.add_edge(START, "recall")
    return graph.compile()


def remembering(memory: Anything, **options: Anything) -> Graph:
    """A graph that only remembers."""
    graph = StateGraph(AtmemState)
    graph.add_node(RememberNode(memory, **options))
    graph.add_edge(START, "remember")
    return graph.compile()


def conversation(
    memory: Anything,
    model: RecordingModel,
    *,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    ask_first: bool = False,
    **options: Anything,
) -> Graph:
    """Recall, perhaps ask a person, call the model, remember; for both ways of calling."""
    graph = StateGraph(AtmemState)
    graph.add_node(RecallNode(memory, **options))
    graph.add_node("approve", _approve if ask_first else _pass)
    graph.add_node("model", _model_node(memory, model))
    graph.add_node(RememberNode(memory))
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "approve")
    graph.add_edge("approve", "model")
    graph.add_edge("model", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


def _pass(state: AtmemState) -> dict[str, Any]:
    return {}


def _approve(state: AtmemState) -> dict[str, Any]:
    interrupt("go on?")
    return {}


def _model_node(memory: Anything, model: RecordingModel) -> Anything:
    def call(state: AtmemState) -> dict[str, Any]:
        return {"messages": [model.invoke(messages_for_model(state, memory))]}

    async def acall(state: AtmemState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(await amessages_for_model(state, memory))]}

    return RunnableLambda(call, afunc=acall, name="model")
