"""Runs beside each other: nobody sees another's memory, and the event loop never waits."""

import asyncio
import threading
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from atmem_core import AsyncMemory, Memory
from tests.adapters.langgraph.fakes import ASKED, TOLD, RecordingModel, StuckMemory, WordMemory
from tests.adapters.langgraph.graphs import Context, conversation, recalling, said, thread

QUESTION = "What is the code of my gym locker?"
CODES = {"ada": "quillfeather", "eve": "marshmallow"}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with Memory.open(path, embedder=None) as memory:
        for subject, code in CODES.items():
            memory.remember(f"The code of my gym locker is {code}.", subject=subject)
    return path


async def test_runs_of_two_subjects_never_mix(database: Path) -> None:
    models = {subject: RecordingModel() for subject in CODES}
    async with AsyncMemory.open(database, embedder=None) as memory:
        graphs = {
            subject: conversation(memory, model, allow_background=True) for subject, model in models.items()
        }
        runs = [
            graphs[subject].ainvoke(said(QUESTION), thread(f"{subject}{number}"), context=Context(subject))
            for number in range(8)
            for subject in CODES
        ]
        states = await asyncio.gather(*runs)
    for state, subject in zip(states, list(CODES) * 8, strict=True):
        assert state["memory_decision"]["scope"]["subject"] == subject
        assert state["memory_error"] is None
    for subject, other in (("ada", "eve"), ("eve", "ada")):
        text = "\n".join(map(models[subject].request, range(8)))
        assert text.count(CODES[subject]) == 8
        assert CODES[other] not in text


async def test_one_graph_serves_two_subjects_at_once(database: Path) -> None:
    with Memory.open(database, embedder=None) as memory:
        graph = recalling(memory, allow_background=True)
        subjects = list(CODES) * 8
        states = await asyncio.gather(
            *(graph.ainvoke(said(QUESTION), context=Context(subject)) for subject in subjects)
        )
        owners = [
            memory.get(record_id, subject=subject).scope.subject
            for state, subject in zip(states, subjects, strict=True)
            for record_id in state["memory_record_ids"]
        ]
    assert owners == subjects


async def test_an_async_memory_blocks_the_event_loop_nowhere(database: Path) -> None:
    model = RecordingModel()
    with blockbuster_ctx():
        async with AsyncMemory.open(database, embedder=None) as memory:
            graph = conversation(memory, model, deadline_ms=60_000, allow_background=True)
            state = await graph.ainvoke(said(QUESTION), thread(), context=Context("ada"))
    assert (state["memory_error"], state["memory_store_error"]) == (None, None)
    assert CODES["ada"] in model.request()


async def test_a_memory_blocks_the_event_loop_nowhere(database: Path) -> None:
    model = RecordingModel()
    with Memory.open(database, embedder=None) as memory:
        graph = conversation(memory, model, deadline_ms=60_000, allow_background=True)
        with blockbuster_ctx():
            state = await graph.ainvoke(said(QUESTION), thread(), context=Context("ada"))
    assert (state["memory_error"], state["memory_store_error"]) == (None, None)
    assert CODES["ada"] in model.request()


async def test_a_synchronous_memory_never_works_in_the_loops_thread() -> None:
    memory = WordMemory()
    memory.tell(TOLD)
    await conversation(memory, RecordingModel()).ainvoke(said(ASKED), context=Context("ada"))
    assert len(memory.asked) == 3
    assert threading.get_ident() not in memory.threads


async def test_the_loop_goes_on_while_a_memory_is_stuck() -> None:
    memory = StuckMemory()
    run = asyncio.create_task(recalling(memory, subject="ada").ainvoke(said(ASKED)))
    await asyncio.to_thread(memory.begun.wait, 30)
    assert not run.done()
    memory.released.set()
    assert (await run)["memory_error"] is None
