from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from atmem_core import AsyncMemory, InvalidInput, Memory, Source, WriteRefused
from atmem_core.context import render_notes
from atmem_langgraph import AtmemState, RememberNode
from tests.adapters.langgraph.fakes import TOLD, Anything, Awaited, WordMemory
from tests.adapters.langgraph.graphs import Context, remembering, said, thread

TOOL_CALL: Any = {"name": "look", "args": {}, "id": "c1"}
TURN = [
    SystemMessage("Be kind."),
    HumanMessage("My name is Ada.", id="m1"),
    AIMessage("Hello Ada.", id="m2"),
    HumanMessage(TOLD, id="m3"),
    AIMessage("I'll look that up.", id="m4", tool_calls=[TOOL_CALL]),
    ToolMessage("a page about dogs", tool_call_id="c1", id="m5"),
    AIMessage("What a dog!", id="m6"),
]


@pytest.fixture
def memory() -> WordMemory:
    return WordMemory()


def test_the_last_user_message_is_stored_as_it_was_said(memory: WordMemory) -> None:
    state = remembering(memory, subject="ada").invoke({"messages": TURN})
    assert memory.texts() == [TOLD]
    assert state["memory_stored_ids"] == ["n1"]
    assert state["memory_store_error"] is None


async def test_one_node_serves_ainvoke_and_async_memories(memory: WordMemory) -> None:
    await remembering(memory, subject="ada").ainvoke(said(TOLD))
    await remembering(Awaited(memory), subject="eve").ainvoke(said(TOLD))
    assert memory.texts("ada") == memory.texts("eve") == [TOLD]


def test_the_answer_is_stored_when_asked_for_and_keeps_its_role(memory: WordMemory) -> None:
    remembering(memory, subject="ada", remember_assistant=True).invoke({"messages": TURN})
    stored = [(note.text, note.speaker, note.source) for note in memory.stored.values()]
    assert stored == [
        (TOLD, "user", Source.USER),
        ("What a dog!", "assistant", Source.ASSISTANT),
    ]


def test_a_turn_that_ends_in_a_tool_call_has_no_answer_yet(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada", remember_assistant=True)
    graph.invoke({"messages": TURN[:5]})
    assert memory.texts() == [TOLD]


def test_a_named_speaker_stays_named(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada")
    graph.invoke({"messages": [HumanMessage(TOLD, name="Grace")]})
    assert memory.stored["n1"].speaker == "Grace"
    assert memory.stored["n1"].scope.subject == "ada"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [HumanMessage("")],
        [HumanMessage("  \n ")],
        [HumanMessage([{"type": "image_url", "image_url": {"url": "https://example.org"}}])],
        [AIMessage("Hello.")],
        [SystemMessage("Be kind."), ToolMessage("x", tool_call_id="c1")],
    ],
)
def test_a_turn_without_words_of_a_user_stores_nothing(memory: WordMemory, messages: Anything) -> None:
    state = remembering(memory, subject="ada").invoke({"messages": messages})
    assert memory.stored == {}
    assert (state["memory_stored_ids"], state["memory_store_error"]) == ([], None)


def test_tool_messages_are_never_stored_even_when_chosen(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada", turn_from=lambda state: state["messages"])
    graph.invoke({"messages": TURN})
    assert "a page about dogs" not in memory.texts()
    assert "Be kind." not in memory.texts()
    assert "My name is Ada." in memory.texts()


def test_what_was_injected_is_taken_out_of_what_is_stored(memory: WordMemory) -> None:
    memory.tell("Ada is allergic to peanuts.", subject="other")
    block = render_notes(list(memory.stored.values())).text
    graph = remembering(memory, subject="ada")
    graph.invoke(said(f"{block}\nI moved to Oslo."))
    graph.invoke(said(block))
    assert memory.texts() == ["I moved to Oslo."]


def test_running_again_stores_no_second_note(memory: WordMemory) -> None:
    graph = remembering(memory)
    for _ in range(3):
        state = graph.invoke({"messages": TURN}, thread("t1"), context=Context("ada"))
    assert memory.texts() == [TOLD]
    assert state["memory_stored_ids"] == ["n1"]


def test_the_same_message_id_in_another_thread_is_another_message(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada")
    graph.invoke({"messages": [HumanMessage("I have a cat.", id="m1")]}, thread("t1"))
    graph.invoke({"messages": [HumanMessage("I have a dog.", id="m1")]}, thread("t2"))
    assert memory.texts() == ["I have a cat.", "I have a dog."]


def test_the_same_words_in_another_conversation_belong_to_it_too(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada", session=lambda run: run.thread_id)
    for conversation in ("t1", "t2"):
        graph.invoke({"messages": [HumanMessage(TOLD, id="m1")]}, thread(conversation))
    assert [note.scope.session for note in memory.stored.values()] == ["t1", "t2"]


def test_an_edited_message_is_stored_too_and_once(memory: WordMemory) -> None:
    graph = remembering(memory, subject="ada")
    graph.invoke({"messages": [HumanMessage("I have a cat.", id="m1")]}, thread())
    for _ in range(2):
        state = graph.invoke({"messages": [HumanMessage("I have a dog.", id="m1")]}, thread())
    assert memory.texts() == ["I have a cat.", "I have a dog."]
    assert state["memory_store_error"] is None


def test_one_refused_message_keeps_no_other_out() -> None:
    memory: Anything = PickyMemory()
    graph = remembering(memory, subject="ada", remember_assistant=True)
    state = graph.invoke({"messages": [HumanMessage("refuse me"), AIMessage("Fine.")]})
    assert memory.texts() == ["Fine."]
    assert state["memory_stored_ids"] == ["n1"]
    assert state["memory_store_error"] == {"type": "WriteRefused", "code": "empty_text"}


class PickyMemory(WordMemory):
    """Refuses one text."""

    def remember(self, text: str, **told: Anything) -> Anything:
        if text == "refuse me":
            raise WriteRefused("empty_text", "no")
        return super().remember(text, **told)


def test_the_run_says_when_where_and_by_which_agent(memory: WordMemory) -> None:
    told = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
    graph = remembering(
        memory,
        session=lambda run: run.thread_id,
        project=lambda run: run.configurable["project"],
        agent="clerk",
        occurred_at=lambda _: told,
        tags=["chat"],
    )
    graph.invoke(said(TOLD), thread("t7", project="atlas"), context=Context("ada"))
    note = memory.stored["n1"]
    assert (note.scope.session, note.scope.project, note.scope.agent) == ("t7", "atlas", "clerk")
    assert note.occurred_at == told
    assert note.tags == ("chat",)


def test_a_run_that_names_no_subject_stores_nothing(memory: WordMemory) -> None:
    with pytest.raises(InvalidInput, match="whose memory"):
        remembering(memory).invoke(said(TOLD))
    assert memory.stored == {}


def test_a_node_that_fails_after_storing_and_is_resumed_stores_once(memory: Anything) -> None:
    failures = [RuntimeError("a later node failed")]

    def later(state: AtmemState) -> dict[str, Any]:
        if failures:
            raise failures.pop()
        return {}

    graph = StateGraph(AtmemState)
    graph.add_node(RememberNode(memory, subject="ada"))
    graph.add_node("later", later)
    graph.add_node(RememberNode(memory, subject="ada", name="again"))
    graph.add_edge(START, "remember")
    graph.add_edge("remember", "later")
    graph.add_edge("later", "again")
    compiled = graph.compile(checkpointer=InMemorySaver())
    with pytest.raises(RuntimeError):
        compiled.invoke(said(TOLD), thread())
    compiled.invoke(None, thread())
    assert memory.texts() == [TOLD]


def facts_of(memory: Memory, subject: str = "ada") -> list[str]:
    assert memory.sessions.drain()
    return [fact.text for fact in memory.facts.list(subject=subject)]


def test_facts_are_read_out_of_the_turn_when_asked_for() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        remembering(memory, subject="ada").invoke(said("My name is Ada."), thread())
        assert facts_of(memory) == []
        remembering(memory, subject="ada", facts=True, tags=("t",)).invoke(said("My name is Ada."), thread())
        assert facts_of(memory) == ["user name is Ada"]


def test_a_message_is_read_once_however_often_its_node_runs() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        graph = remembering(memory, subject="ada", facts=True, remember_assistant=True)
        for _ in range(2):
            state = graph.invoke({"messages": TURN[:3]}, thread())
        assert state["memory_store_error"] is None
        assert facts_of(memory) == ["user name is Ada"]
        assert [turn.text for turn in memory.sessions.recent(subject="ada", session="t1")].count(
            "My name is Ada."
        ) == 1


async def test_facts_are_read_for_an_async_memory_too() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        await remembering(memory, subject="ada", session="s", facts=True).ainvoke(said("My name is Ada."))
        assert await memory.sessions.drain()
        assert [fact.object for fact in await memory.facts.list(subject="ada")] == ["Ada"]


def test_facts_without_a_session_or_a_thread_are_a_wrong_configuration() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        with pytest.raises(InvalidInput, match="thread_id"):
            remembering(memory, subject="ada", facts=True).invoke(said(TOLD))
        assert memory.notes(subject="ada") == []
