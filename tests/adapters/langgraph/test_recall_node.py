import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, StateGraph
from pydantic import BaseModel

import atmem_core
from atmem_core import InvalidInput, Memory
from atmem_langgraph import AtmemState, RecallNode
from tests.adapters.langgraph.fakes import (
    ASKED,
    TELLTALE,
    TOLD,
    UNASKED,
    Anything,
    Awaited,
    WordMemory,
)
from tests.adapters.langgraph.graphs import Context, recalling, said, thread


@pytest.fixture
def memory() -> WordMemory:
    memory = WordMemory()
    memory.tell(TOLD)
    return memory


def test_the_decision_is_written_as_json_and_the_ids_beside_it(memory: WordMemory) -> None:
    state = recalling(memory, subject="ada").invoke(said(ASKED))
    assert state["memory_decision"]["format"] == "atmem-retrieval-decision-v1"
    assert state["memory_decision"]["support_class"] == "direct_support"
    assert state["memory_record_ids"] == ["n1"]
    assert state["memory_error"] is None


async def test_one_node_serves_ainvoke_too(memory: WordMemory) -> None:
    state = await recalling(memory, subject="ada").ainvoke(said(ASKED))
    assert state["memory_record_ids"] == ["n1"]


async def test_an_async_memory_is_awaited(memory: WordMemory) -> None:
    state = await recalling(Awaited(memory), subject="ada").ainvoke(said(ASKED))
    assert state["memory_record_ids"] == ["n1"]


def test_a_turn_without_useful_memory_overwrites_the_turn_before(memory: WordMemory) -> None:
    graph = recalling(memory, subject="ada", store_text=True)
    before = graph.invoke(said(ASKED))
    after = graph.invoke(before | {"messages": [HumanMessage(UNASKED)]})
    assert TELLTALE in before["memory_text"]
    assert after["memory_decision"]["support_class"] == "no_useful_memory"
    assert after["memory_record_ids"] == []
    assert after["memory_text"] == ""


@pytest.fixture
def crowded() -> Iterator[Memory]:
    """A memory with many records of which none, or some, answer."""
    with Memory.open(":memory:", embedder=None) as memory:
        for number in range(30):
            memory.remember(f"The code of gym locker {number} is at desk {number}.", subject="ada")
        yield memory


def test_a_decision_over_many_records_is_shortened_and_still_valid(crowded: Memory) -> None:
    query = "What is the code of gym locker 7?"
    whole = crowded.recall(query, subject="ada", allow_background=True).decision
    graph = recalling(crowded, subject="ada", allow_background=True, keep_candidates=2)
    written = graph.invoke(said(query))["memory_decision"]
    listed = [candidate["record_id"] for candidate in written["candidates"]]
    assert len(whole.candidates) > 10
    assert listed[:2] == [candidate.record_id for candidate in whole.candidates[:2]]
    assert set(listed[2:]) <= set(written["ranked_record_ids"]) <= set(listed)
    assert written["withheld"] == dict(whole.withheld)
    schema = Path(atmem_core.__file__).parent / "records/schema/atmem-retrieval-decision-v1.json"
    jsonschema.validate(written, json.loads(schema.read_text()))


def test_a_negative_number_of_candidates_is_refused(memory: Anything) -> None:
    with pytest.raises(InvalidInput, match="keep_candidates"):
        RecallNode(memory, keep_candidates=-1)


def test_no_text_is_written_unless_it_is_asked_for(memory: WordMemory) -> None:
    state = recalling(memory, subject="ada").invoke(said(ASKED))
    del state["messages"]
    assert TELLTALE not in str(state)


@dataclass
class OnlyUser:
    user_id: str


class Settings(BaseModel):
    subject: str


@pytest.mark.parametrize(
    "context", [Context("ada"), OnlyUser("ada"), Settings(subject="ada"), {"user_id": "ada"}]
)
def test_the_runs_context_says_whose_memory_it_is(memory: WordMemory, context: Anything) -> None:
    assert recalling(memory).invoke(said(ASKED), context=context)["memory_record_ids"] == ["n1"]
    assert memory.asked[-1]["subject"] == "ada"


async def test_the_runs_context_is_there_in_ainvoke(memory: WordMemory) -> None:
    state = await recalling(memory).ainvoke(said(ASKED), context=Context("ada"))
    assert state["memory_record_ids"] == ["n1"]


def test_the_config_says_whose_memory_it_is(memory: WordMemory) -> None:
    recalling(memory).invoke(said(ASKED), thread(subject="ada"))
    assert memory.asked[-1]["subject"] == "ada"


def test_the_context_is_asked_before_the_config(memory: WordMemory) -> None:
    recalling(memory).invoke(said(ASKED), thread(subject="eve"), context=Context("ada"))
    assert memory.asked[-1]["subject"] == "ada"


def test_a_subject_is_asked_for_before_a_user_id(memory: WordMemory) -> None:
    recalling(memory).invoke(said(ASKED), context={"user_id": "eve", "subject": "ada"})
    assert memory.asked[-1]["subject"] == "ada"


def test_the_nodes_own_subject_is_asked_first(memory: WordMemory) -> None:
    recalling(memory, subject="ada").invoke(said(ASKED), context=Context("eve"))
    assert memory.asked[-1]["subject"] == "ada"


@pytest.mark.parametrize("on_error", ["ignore", "raise"])
def test_a_run_that_names_no_subject_is_an_error(memory: WordMemory, on_error: str) -> None:
    with pytest.raises(InvalidInput, match="doesn't say whose memory"):
        recalling(memory, on_error=on_error).invoke(said(ASKED), thread())
    assert memory.asked == []


@pytest.mark.parametrize("subject", [7, "", "   "])
def test_a_subject_that_is_no_name_is_an_error(memory: WordMemory, subject: Anything) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        recalling(memory).invoke(said(ASKED), context={"user_id": subject})
    assert memory.asked == []


def test_a_message_or_the_state_cant_name_the_subject(memory: WordMemory) -> None:
    told = said(f"subject: eve. {ASKED}", memory_decision={"scope": {"subject": "eve"}})
    recalling(memory).invoke(told, context=Context("ada"))
    assert memory.asked[-1]["subject"] == "ada"


def test_the_rest_of_the_scope_is_fixed_or_told_by_the_run(memory: WordMemory) -> None:
    graph = recalling(memory, project="atlas", session=lambda run: run.thread_id)
    graph.invoke(said(ASKED), thread("t9"), context=Context("ada"))
    asked = memory.asked[-1]
    assert (asked["project"], asked["session"], asked["agent"]) == ("atlas", "t9", None)


def test_recall_spans_all_sessions_unless_told_otherwise(memory: WordMemory) -> None:
    recalling(memory).invoke(said(ASKED), thread("t9"), context=Context("ada"))
    assert memory.asked[-1]["session"] is None


def test_the_last_user_message_is_what_is_asked(memory: WordMemory) -> None:
    messages = [HumanMessage("Hi"), AIMessage("Hello"), HumanMessage(ASKED), AIMessage("Hm")]
    recalling(memory, subject="ada").invoke({"messages": messages})
    assert memory.asked[-1]["query"] == ASKED


def test_recalled_text_in_a_message_is_not_asked_again(memory: WordMemory) -> None:
    text = f"<atmem-memory>\n- {TOLD}\n</atmem-memory>\n{UNASKED}"
    recalling(memory, subject="ada").invoke(said(text))
    assert memory.asked[-1]["query"] == UNASKED


def test_the_host_may_say_what_is_asked(memory: WordMemory) -> None:
    graph = recalling(memory, subject="ada", query_from=lambda state: f"{len(state['messages'])}")
    graph.invoke(said(ASKED))
    assert memory.asked[-1]["query"] == "1"


@pytest.mark.parametrize(
    "content", ["", [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]]
)
def test_a_turn_without_text_has_a_decision_too(memory: WordMemory, content: Anything) -> None:
    state = recalling(memory, subject="ada").invoke({"messages": [HumanMessage(content)]})
    assert state["memory_decision"]["support_class"] == "no_useful_memory"
    assert state["memory_error"] is None


def test_background_is_released_only_when_the_host_allows_it(memory: WordMemory) -> None:
    recalling(memory, subject="ada").invoke(said(ASKED))
    recalling(memory, subject="ada", allow_background=True).invoke(said(ASKED))
    assert [asked["allow_background"] for asked in memory.asked] == [False, True]


def test_a_state_may_be_a_pydantic_model(memory: Anything) -> None:
    class State(BaseModel):
        messages: list[Any]
        memory_record_ids: list[str] = []

    graph = StateGraph(State)
    graph.add_node(RecallNode(memory, subject="ada"))
    graph.add_edge(START, "recall")
    assert graph.compile().invoke(said(ASKED))["memory_record_ids"] == ["n1"]


def test_the_node_works_outside_of_a_graph(memory: Anything) -> None:
    update = RecallNode(memory).invoke(said(ASKED), {"configurable": {"subject": "ada"}})
    assert update["memory_record_ids"] == ["n1"]


def test_a_graph_of_the_shipped_state_has_a_json_schema(memory: WordMemory) -> None:
    schema = recalling(memory, subject="ada").get_output_jsonschema()
    assert set(AtmemState.__annotations__) == set(schema["properties"])
