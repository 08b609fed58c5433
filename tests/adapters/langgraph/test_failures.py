import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy

from atmem_core import EmbeddingUnavailable, InvalidInput, StoreBusy, WriteRefused
from atmem_langgraph import AtmemState, DeadlineExceeded, RecallNode, RememberNode, render_for_model
from tests.adapters.langgraph.fakes import (
    ASKED,
    TELLTALE,
    TOLD,
    Anything,
    Awaited,
    DownMemory,
    StuckMemory,
    WordMemory,
)
from tests.adapters.langgraph.graphs import recalling, remembering, said

IDS: dict[str, Any] = {"memory_record_ids": ["n1"]}


@pytest.fixture
def stuck() -> Iterator[StuckMemory]:
    memory = StuckMemory()
    memory.tell(TOLD)
    yield memory
    memory.released.set()


class ForeignError(Exception):
    """An error of some other library, whose fields may hold anything."""

    reason = TELLTALE
    code = TELLTALE


@pytest.mark.parametrize(
    ("error", "written"),
    [
        (StoreBusy(f"busy with {TELLTALE}"), {"type": "StoreBusy", "code": "store_busy"}),
        (
            EmbeddingUnavailable("timeout", TELLTALE),
            {"type": "EmbeddingUnavailable", "code": "timeout"},
        ),
        (
            WriteRefused("text_too_long", TELLTALE),
            {"type": "WriteRefused", "code": "text_too_long"},
        ),
        (RuntimeError(TELLTALE), {"type": "RuntimeError", "code": "runtime_error"}),
        (ForeignError(), {"type": "ForeignError", "code": "foreign_error"}),
        (TimeoutError(TELLTALE), {"type": "TimeoutError", "code": "timeout_error"}),
    ],
)
def test_a_failure_is_a_field_of_its_own_and_holds_no_text(
    error: Exception, written: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        state = recalling(DownMemory(error), subject="ada").invoke(said(ASKED))
    assert state["memory_error"] == written
    assert TELLTALE not in json.dumps(state["memory_error"]) + caplog.text
    assert written["code"] in caplog.text


async def test_a_failure_is_no_decision_that_nothing_is_useful() -> None:
    graph = recalling(DownMemory(OSError()), subject="ada", store_text=True)
    for state in (graph.invoke(said(ASKED)), await graph.ainvoke(said(ASKED))):
        assert state["memory_decision"] is None
        assert state["memory_record_ids"] == []
        assert state["memory_text"] == ""


def test_a_failure_clears_what_the_turn_before_released() -> None:
    before = {"memory_decision": {"support_class": "direct_support"}, **IDS}
    state = recalling(DownMemory(OSError()), subject="ada").invoke(said(ASKED, **before))
    assert (state["memory_decision"], state["memory_record_ids"]) == (None, [])


async def test_a_host_that_wants_the_error_gets_it() -> None:
    graph = recalling(DownMemory(StoreBusy("busy")), subject="ada", on_error="raise")
    with pytest.raises(StoreBusy):
        graph.invoke(said(ASKED))
    with pytest.raises(StoreBusy):
        await graph.ainvoke(said(ASKED))


def test_a_retry_policy_works_with_raise() -> None:
    memory: Anything = DownMemory(StoreBusy("busy"))
    graph = StateGraph(AtmemState)
    policy = RetryPolicy(max_attempts=3, initial_interval=0.0, jitter=False, retry_on=StoreBusy)
    graph.add_node(RecallNode(memory, subject="ada", on_error="raise"), retry_policy=policy)
    graph.add_edge(START, "recall")
    with pytest.raises(StoreBusy):
        graph.compile().invoke(said(ASKED))
    assert len(memory.asked) == 3


def test_a_memory_that_is_too_slow_is_given_up(stuck: StuckMemory) -> None:
    state = recalling(stuck, subject="ada", deadline_ms=5).invoke(said(ASKED))
    assert state["memory_error"] == {"type": "DeadlineExceeded", "code": "deadline"}
    assert state["memory_decision"] is None


async def test_a_memory_that_is_too_slow_is_given_up_in_ainvoke(stuck: StuckMemory) -> None:
    state = await recalling(stuck, subject="ada", deadline_ms=5).ainvoke(said(ASKED))
    assert state["memory_error"] == {"type": "DeadlineExceeded", "code": "deadline"}
    stuck.released.set()


async def test_an_async_memory_that_is_too_slow_is_given_up() -> None:
    memory = Awaited(WordMemory(), gate=asyncio.Event())
    state = await recalling(memory, subject="ada", deadline_ms=5).ainvoke(said(ASKED))
    assert state["memory_error"]["code"] == "deadline"


def test_a_missed_deadline_can_be_raised(stuck: StuckMemory) -> None:
    with pytest.raises(DeadlineExceeded, match="within 5 ms"):
        recalling(stuck, subject="ada", deadline_ms=5, on_error="raise").invoke(said(ASKED))


def test_a_write_that_is_too_slow_is_given_up(stuck: StuckMemory) -> None:
    state = remembering(stuck, subject="ada", deadline_ms=5).invoke(said(TOLD))
    assert state["memory_store_error"]["code"] == "deadline"
    assert state["memory_stored_ids"] == []


def test_half_of_the_deadline_is_for_the_querys_vector() -> None:
    memory = WordMemory()
    recalling(memory, subject="ada", deadline_ms=5_000).invoke(said(ASKED))
    assert memory.asked[-1]["deadline_ms"] == 2_500


def test_a_memory_within_its_deadline_answers() -> None:
    memory = WordMemory()
    memory.tell(TOLD)
    state = recalling(memory, subject="ada", deadline_ms=60_000).invoke(said(ASKED))
    assert state["memory_record_ids"] == ["n1"]


@pytest.mark.parametrize("graph_of", [recalling, remembering])
async def test_cancellation_is_raised_and_not_written(graph_of: Anything) -> None:
    memory = Awaited(WordMemory(), gate=asyncio.Event())
    graph = graph_of(memory, subject="ada", deadline_ms=60_000)
    run = asyncio.create_task(graph.ainvoke(said(ASKED)))
    await memory.begun.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_cancellation_is_raised_while_a_thread_works(stuck: StuckMemory) -> None:
    run = asyncio.create_task(recalling(stuck, subject="ada").ainvoke(said(ASKED)))
    await asyncio.to_thread(stuck.begun.wait, 30)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    stuck.released.set()


@pytest.mark.parametrize("graph_of", [recalling, remembering])
def test_an_async_memory_under_invoke_is_a_clear_error(graph_of: Anything) -> None:
    with pytest.raises(InvalidInput, match="ainvoke"):
        graph_of(Awaited(WordMemory()), subject="ada").invoke(said(ASKED))


def test_rendering_fails_open_and_says_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    memory: Any = DownMemory(RuntimeError(TELLTALE))
    assert render_for_model(IDS, memory, subject="ada") == ""
    assert "runtime_error" in caplog.text
    assert TELLTALE not in caplog.text


def test_rendering_raises_when_the_host_wants_it() -> None:
    memory: Any = DownMemory(StoreBusy("busy"))
    with pytest.raises(StoreBusy):
        render_for_model(IDS, memory, subject="ada", on_error="raise")


def test_rendering_without_a_subject_is_an_error() -> None:
    memory: Any = WordMemory()
    with pytest.raises(InvalidInput, match="whose memory"):
        render_for_model({}, memory)


@pytest.mark.parametrize("node", [RecallNode, RememberNode])
@pytest.mark.parametrize("wrong", [{"on_error": "log"}, {"deadline_ms": 0}, {"deadline_ms": -1}])
def test_a_wrong_option_is_refused_when_the_graph_is_built(node: Anything, wrong: Anything) -> None:
    with pytest.raises(InvalidInput):
        node(WordMemory(), **wrong)
