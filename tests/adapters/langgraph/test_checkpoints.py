"""The real memory and the real savers: what a checkpoint holds, and what a resumed run sees."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from atmem_core import AsyncMemory, Memory
from tests.adapters.langgraph.fakes import Anything, RecordingModel
from tests.adapters.langgraph.graphs import Context, conversation, said, thread

TOLD = "The code of my gym locker is quillfeather."
ASKED = "What is the code of my gym locker?"
UNASKED = "How tall is the tallest tower of Dubai?"
TELLTALE = "quillfeather"
ADA = Context("ada")
RELEASE: dict[str, Any] = {"allow_background": True}
"""What is released is tested elsewhere; without a model's vectors it may be background."""
WAIT: dict[str, Any] = {"ask_first": True, **RELEASE}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory" / "agent.db", embedder=None) as memory:
        memory.remember(TOLD, subject="ada")
        yield memory


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "checkpoints").mkdir()


@pytest.fixture
def model() -> RecordingModel:
    return RecordingModel()


def checkpoint_file(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints" / "graph.db"


def bytes_of_checkpoints(tmp_path: Path) -> bytes:
    """All that the saver left on disk, its log too."""
    files = sorted((tmp_path / "checkpoints").iterdir())
    assert files
    return b"".join(path.read_bytes() for path in files)


def run_turns(memory: Memory, model: RecordingModel, path: Path, **options: Anything) -> None:
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = conversation(memory, model, checkpointer=SqliteSaver(connection), **RELEASE, **options)
        for question in (ASKED, UNASKED, ASKED):
            graph.invoke(said(question), thread(), context=ADA)


def test_no_text_of_a_memory_is_in_the_checkpoints_bytes(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    run_turns(memory, model, checkpoint_file(tmp_path))
    assert TELLTALE in model.request(0)
    kept = bytes_of_checkpoints(tmp_path)
    assert b"gym locker" in kept, "the scan sees the messages"
    assert TELLTALE.encode() not in kept


def test_stored_text_is_in_the_checkpoints_bytes_as_its_page_says(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    run_turns(memory, model, checkpoint_file(tmp_path), store_text=True)
    memory.erase(subject="ada", everything=True)
    assert TELLTALE.encode() in bytes_of_checkpoints(tmp_path)


def test_two_turns_double_nothing(memory: Memory, model: RecordingModel, tmp_path: Path) -> None:
    run_turns(memory, model, checkpoint_file(tmp_path))
    assert [text.count(TELLTALE) for text in map(model.request, range(3))] == [1, 0, 1]
    assert [len(request) for request in model.requests] == [2, 3, 6]


def test_a_turn_is_stored_once_and_holds_nothing_injected(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    run_turns(memory, model, checkpoint_file(tmp_path))
    stored = [note.text for note in memory.notes(subject="ada")]
    assert sorted(stored) == sorted([TOLD, ASKED, UNASKED])


def test_a_resumed_run_sees_the_memory_that_was_released(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    path = checkpoint_file(tmp_path)
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = conversation(memory, model, checkpointer=SqliteSaver(connection), **WAIT)
        graph.invoke(said(ASKED), thread(), context=ADA)
    assert model.requests == []
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        graph = conversation(memory, model, checkpointer=SqliteSaver(connection), **WAIT)
        graph.invoke(Command(resume="yes"), thread(), context=ADA)
    assert TELLTALE in model.request(0)


@pytest.mark.parametrize("act", ["forget", "erase", "supersede"])
def test_what_is_taken_back_while_a_run_waits_is_not_shown(
    memory: Memory, model: RecordingModel, tmp_path: Path, act: str
) -> None:
    (note,) = memory.notes(subject="ada")
    with closing(sqlite3.connect(checkpoint_file(tmp_path), check_same_thread=False)) as connection:
        graph = conversation(memory, model, checkpointer=SqliteSaver(connection), **WAIT)
        waiting = graph.invoke(said(ASKED), thread(), context=ADA)
        assert waiting["memory_record_ids"] == [note.id]
        if act == "forget":
            memory.forget(note.id, subject="ada")
        elif act == "erase":
            memory.erase(note_id=note.id, subject="ada")
        else:
            memory.supersede(note.id, "I have no gym locker any more.", subject="ada")
        graph.invoke(Command(resume="yes"), thread(), context=ADA)
    assert TELLTALE not in model.request(0)


def test_a_run_resumed_for_somebody_else_sees_nothing(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(checkpoint_file(tmp_path), check_same_thread=False)) as connection:
        graph = conversation(memory, model, checkpointer=SqliteSaver(connection), **WAIT)
        graph.invoke(said(ASKED), thread(), context=ADA)
        graph.invoke(Command(resume="yes"), thread(), context=Context("eve"))
    assert TELLTALE not in model.request(0)


async def test_an_async_memory_works_with_the_async_saver(
    memory: Memory, model: RecordingModel, tmp_path: Path
) -> None:
    path = checkpoint_file(tmp_path)
    async with (
        AsyncMemory.open(tmp_path / "memory" / "agent.db", embedder=None) as awaited,
        AsyncSqliteSaver.from_conn_string(str(path)) as saver,
    ):
        graph = conversation(awaited, model, checkpointer=saver, **WAIT)
        await graph.ainvoke(said(ASKED), thread(), context=ADA)
        await graph.ainvoke(Command(resume="yes"), thread(), context=ADA)
        state = await graph.aget_state(thread())
    assert TELLTALE in model.request(0)
    assert len(state.values["memory_stored_ids"]) == 1
    assert ASKED in [note.text for note in memory.notes(subject="ada")]
    assert TELLTALE.encode() not in bytes_of_checkpoints(tmp_path)


async def test_streams_show_the_decision_and_no_text(memory: Memory, model: RecordingModel) -> None:
    graph = conversation(memory, model, **RELEASE)
    config = thread()
    updates = list(graph.stream(said(ASKED), config, context=ADA, stream_mode="updates"))
    async for update in graph.astream(said(ASKED), config, context=ADA, stream_mode="updates"):
        updates.append(update)  # noqa: PERF401 - the two ways of streaming, one after the other
    recalled = [update["recall"] for update in updates if "recall" in update]
    assert [bool(one["memory_record_ids"]) for one in recalled] == [True, True]
    assert TELLTALE not in str(updates)
    assert TELLTALE in model.request(0)
    assert TELLTALE in model.request(1)
