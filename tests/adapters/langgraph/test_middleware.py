from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from atmem_core import InvalidInput, StoreBusy
from atmem_langgraph import AtmemMiddleware
from tests.adapters.langgraph.fakes import (
    ASKED,
    TELLTALE,
    TOLD,
    UNASKED,
    Anything,
    Awaited,
    DownMemory,
    RecordingModel,
    WordMemory,
)
from tests.adapters.langgraph.graphs import Context, said, thread

LOOK: Any = {"name": "look", "args": {"what": "dogs"}, "id": "c1"}


@tool
def look(what: str) -> str:
    """Look something up."""
    return f"nothing about {what}"


@pytest.fixture
def memory() -> Anything:
    memory = WordMemory()
    memory.tell(TOLD)
    return memory


@pytest.fixture
def model() -> RecordingModel:
    return RecordingModel()


def agent(memory: Anything, model: RecordingModel, **options: Anything) -> Anything:
    return create_agent(
        model,
        tools=[look],
        system_prompt="Be kind.",
        middleware=[AtmemMiddleware(memory, **options)],
        context_schema=Context,
        checkpointer=InMemorySaver(),
    )


def test_the_text_is_in_the_request_after_the_hosts_own_prompt(
    memory: Anything, model: RecordingModel
) -> None:
    agent(memory, model).invoke(said(ASKED), thread(), context=Context("ada"))
    (kind, text), *rest = model.requests[0]
    assert kind == "system"
    assert text.startswith("Be kind.\n\n<atmem-memory>")
    assert TELLTALE in text
    assert rest == [("human", ASKED)]


async def test_the_text_is_in_the_request_of_ainvoke(memory: Anything, model: RecordingModel) -> None:
    await agent(memory, model).ainvoke(said(ASKED), thread(), context=Context("ada"))
    await agent(Awaited(memory), model).ainvoke(said(ASKED), thread(), context=Context("ada"))
    assert TELLTALE in model.request(0)
    assert TELLTALE in model.request(1)


def test_the_text_may_stand_before_the_turn(memory: Anything, model: RecordingModel) -> None:
    agent(memory, model, place="turn").invoke(said(ASKED), thread(), context=Context("ada"))
    assert [kind for kind, _ in model.requests[0]] == ["system", "human", "human"]
    assert model.requests[0][0][1] == "Be kind."
    assert TELLTALE in model.requests[0][1][1]


def test_one_decision_serves_all_model_calls_of_a_run(memory: Anything, model: RecordingModel) -> None:
    model.script = [AIMessage("", tool_calls=[LOOK]), AIMessage("A Bernese.")]
    agent(memory, model).invoke(said(ASKED), thread(), context=Context("ada"))
    assert len([asked for asked in memory.asked if "query" in asked]) == 1
    assert model.requests[0][0] == model.requests[1][0]


def test_a_note_forgotten_between_two_model_calls_is_gone_from_the_second(
    memory: Anything, model: RecordingModel
) -> None:
    @tool
    def forget() -> str:
        """Forget the dog."""
        del memory.stored["n1"]
        return "forgotten"

    model.script = [AIMessage("", tool_calls=[{"name": "forget", "args": {}, "id": "c1"}])]
    middleware = AtmemMiddleware(memory, subject="ada")
    create_agent(model, tools=[forget], middleware=[middleware]).invoke(said(ASKED))
    assert TELLTALE in model.request(0)
    assert TELLTALE not in model.request(1)


def test_nothing_is_kept_of_the_text(memory: Anything, model: RecordingModel) -> None:
    compiled = agent(memory, model)
    answer = compiled.invoke(said(ASKED), thread(), context=Context("ada"))
    history = list(compiled.get_state_history(thread()))
    assert history
    assert TELLTALE not in str(answer) + str(history)


def test_two_turns_double_nothing(memory: Anything, model: RecordingModel) -> None:
    compiled = agent(memory, model)
    for question in (ASKED, UNASKED, ASKED):
        compiled.invoke(said(question), thread(), context=Context("ada"))
    assert [text.count(TELLTALE) for text in map(model.request, range(3))] == [1, 0, 1]
    kept = compiled.get_state(thread()).values["messages"]
    assert [message.type for message in kept] == ["human", "ai"] * 3


def test_the_decision_is_private_state(memory: Anything, model: RecordingModel) -> None:
    compiled = agent(memory, model)
    forged = said(UNASKED, memory_record_ids=["n1"])
    answer = compiled.invoke(forged, thread(), context=Context("ada"))
    assert set(answer) == {"messages"}
    assert TELLTALE not in model.request()
    values = compiled.get_state(thread()).values
    assert values["memory_decision"]["support_class"] == "no_useful_memory"


def test_nothing_is_remembered_unless_it_is_asked_for(memory: Anything, model: RecordingModel) -> None:
    agent(memory, model).invoke(said("I moved to Oslo."), thread(), context=Context("ada"))
    assert memory.texts() == [TOLD]


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({"remember": True}, [TOLD, "I moved to Oslo."]),
        ({"remember_assistant": True}, [TOLD, "I moved to Oslo.", "Noted."]),
    ],
)
async def test_the_turn_is_remembered_when_the_agent_has_finished(
    memory: Anything, model: RecordingModel, options: dict[str, bool], texts: list[str]
) -> None:
    compiled = agent(memory, model, **options)
    compiled.invoke(said("I moved to Oslo."), thread(), context=Context("ada"))
    assert memory.texts("ada") == texts
    await compiled.ainvoke(said("I moved to Oslo."), thread(), context=Context("eve"))
    assert memory.texts("eve") == texts[1:]


@pytest.mark.parametrize(("options", "asked"), [({}, None), ({"within_session": True}, "t1")])
def test_a_session_is_stored_and_recalled_from_only_on_request(
    memory: Anything, model: RecordingModel, options: dict[str, bool], asked: str | None
) -> None:
    compiled = agent(memory, model, remember=True, session=lambda run: run.thread_id, **options)
    compiled.invoke(said("I moved to Oslo."), thread("t1"), context=Context("ada"))
    assert memory.stored["n2"].scope.session == "t1"
    assert memory.asked[0]["session"] == asked


def test_what_was_injected_is_not_remembered(memory: Anything, model: RecordingModel) -> None:
    compiled = agent(memory, model, remember_assistant=True, place="turn")
    compiled.invoke(said(ASKED), thread(), context=Context("ada"))
    assert memory.texts() == [TOLD, ASKED, "Noted."]


def test_a_model_that_quotes_the_block_is_remembered_without_it(
    memory: Anything, model: RecordingModel
) -> None:
    model.script = [AIMessage(f"<atmem-memory>\n{TOLD}\n</atmem-memory>\nAs you said.")]
    compiled = agent(memory, model, remember_assistant=True)
    compiled.invoke(said(ASKED), thread(), context=Context("ada"))
    assert memory.texts() == [TOLD, ASKED, "As you said."]


async def test_the_agent_goes_on_when_memory_is_down(model: RecordingModel) -> None:
    compiled = agent(DownMemory(StoreBusy("busy")), model, remember=True)
    for run in ("t1", "t2"):
        if run == "t1":
            answer = compiled.invoke(said(ASKED), thread(run), context=Context("ada"))
        else:
            answer = await compiled.ainvoke(said(ASKED), thread(run), context=Context("ada"))
        assert answer["messages"][-1].text == "Noted."
        values = compiled.get_state(thread(run)).values
        assert values["memory_error"] == {"type": "StoreBusy", "code": "store_busy"}
        assert values["memory_store_error"] == {"type": "StoreBusy", "code": "store_busy"}
        assert values["memory_decision"] is None


class HalfDown(WordMemory):
    """Decides, and then can't be read."""

    def get(self, note_id: str, *, subject: str) -> Anything:
        raise StoreBusy("busy")


async def test_a_failure_at_the_model_call_is_written_too(model: RecordingModel) -> None:
    memory = HalfDown()
    memory.tell(TOLD)
    compiled = agent(memory, model)
    compiled.invoke(said(ASKED), thread("t1"), context=Context("ada"))
    await compiled.ainvoke(said(ASKED), thread("t2"), context=Context("ada"))
    for run in ("t1", "t2"):
        values = compiled.get_state(thread(run)).values
        assert values["memory_decision"]["support_class"] == "direct_support"
        assert values["memory_error"] == {"type": "StoreBusy", "code": "store_busy"}
        assert values["messages"][-1].text == "Noted."


def test_memory_that_is_down_ends_the_run_when_the_host_wants_it(model: RecordingModel) -> None:
    compiled = agent(DownMemory(StoreBusy("busy")), model, on_error="raise")
    with pytest.raises(StoreBusy):
        compiled.invoke(said(ASKED), thread(), context=Context("ada"))


def test_a_run_that_names_no_subject_is_an_error(memory: Anything, model: RecordingModel) -> None:
    with pytest.raises(InvalidInput, match="whose memory"):
        agent(memory, model).invoke(said(ASKED), thread())
    assert model.requests == []


def test_an_unknown_place_is_refused_when_the_agent_is_built(memory: Anything) -> None:
    with pytest.raises(InvalidInput, match="place"):
        AtmemMiddleware(memory, place="top")  # type: ignore[arg-type]
