import functools
from typing import Any

import pytest
from langgraph.graph import START, StateGraph

from atmem_core import InvalidInput, StoreBusy, SupportClass
from atmem_langgraph import AtmemState, RecallNode, route_by_decision
from tests.adapters.langgraph.fakes import (
    ASKED,
    TOLD,
    UNASKED,
    Anything,
    DownMemory,
    WordMemory,
)
from tests.adapters.langgraph.graphs import Graph, said

FAILED: dict[str, Any] = {"memory_decision": None, "memory_error": {"type": "X", "code": "x"}}


class Routed(AtmemState):
    """Also holds which branch was taken."""

    branch: str


def branching(memory: Anything, route: Anything, labels: list[str]) -> Graph:
    graph = StateGraph(Routed)
    graph.add_node(RecallNode(memory, subject="ada"))
    for label in labels:
        graph.add_node(label, functools.partial(_take, label=label))
    graph.add_edge(START, "recall")
    graph.add_conditional_edges("recall", route, {label: label for label in labels})
    return graph.compile()


def _take(state: Routed, label: str) -> dict[str, str]:
    return {"branch": label}


@pytest.mark.parametrize("support", SupportClass)
def test_each_class_has_its_label(support: SupportClass) -> None:
    assert route_by_decision({"memory_decision": {"support_class": support.value}}) == support.value


def test_a_failure_goes_where_there_is_no_memory_by_default() -> None:
    assert route_by_decision(FAILED) == "no_useful_memory"


def test_a_failure_can_have_a_branch_of_its_own() -> None:
    assert route_by_decision(FAILED, on_error="memory_failed") == "memory_failed"


def test_routing_before_recall_is_a_clear_error() -> None:
    with pytest.raises(InvalidInput, match="RecallNode"):
        route_by_decision({"messages": []})


@pytest.mark.parametrize(("question", "branch"), [(ASKED, "direct_support"), (UNASKED, "no_useful_memory")])
def test_a_graph_branches_on_the_decision(question: str, branch: str) -> None:
    memory = WordMemory()
    memory.tell(TOLD)
    graph = branching(memory, route_by_decision, [support.value for support in SupportClass])
    assert graph.invoke(said(question))["branch"] == branch


def test_a_graph_branches_on_a_failure() -> None:
    route = functools.partial(route_by_decision, on_error="memory_failed")
    labels = [*(support.value for support in SupportClass), "memory_failed"]
    graph = branching(DownMemory(StoreBusy("busy")), route, labels)
    assert graph.invoke(said(ASKED))["branch"] == "memory_failed"
