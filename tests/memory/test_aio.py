"""AsyncMemory: the same surface, one hop a call, nothing in the loop, whole under cancellation."""

import asyncio
import inspect
import io
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from atmem_core import AsyncMemory, AtmemError, InvalidInput, Memory, NotADatabase, StoreError
from atmem_core.context import AsyncContextProvider
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault

SUBJECT = "ada"
TEXT = "Brutus is my Bernese mountain dog."
QUESTION = "what breed is my dog Brutus?"
NOT_METHODS = {"open", "provider"}
"""Not awaited; what ``provider`` gives is."""
EXPORT = '{"format": "atmem-records-v1", "subject": "ada"}\n{"end": "atmem-records-v1", "records": 0}'
_R = TypeVar("_R")
_Args = TypeVarTuple("_Args")


def methods(owner: type) -> dict[str, Callable[..., object]]:
    """Its own, and those of the parts that are mixed in."""
    parts = [part for part in owner.__mro__ if part.__module__.startswith("atmem_core.")]
    found = {name for part in parts for name in vars(part) if not name.startswith("_")}
    return {name: getattr(owner, name) for name in found}


@pytest.fixture
def unblocked() -> Iterator[BlockBuster]:
    """Raises when anything in the loop's thread blocks."""
    with blockbuster_ctx() as watch:
        yield watch


def test_the_methods_are_those_of_memory() -> None:
    assert sorted(methods(AsyncMemory)) == sorted(methods(Memory))


@pytest.mark.parametrize("name", sorted(methods(Memory)))
def test_a_method_has_the_signature_of_memory(name: str) -> None:
    ours, theirs = methods(AsyncMemory)[name], methods(Memory)[name]
    signature = inspect.signature(theirs)
    if name == "provider":
        signature = signature.replace(return_annotation=AsyncContextProvider)
    assert inspect.signature(ours) == signature


@pytest.mark.parametrize("name", sorted(set(methods(Memory)) - NOT_METHODS))
def test_a_method_is_awaited(name: str) -> None:
    assert inspect.iscoroutinefunction(methods(AsyncMemory)[name])


async def test_opening_is_not_awaited_and_touches_no_file(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    memory = AsyncMemory.open(path, embedder=None)
    assert not path.exists()
    await memory.remember(TEXT, subject=SUBJECT)
    assert path.exists()
    await memory.close()


async def test_the_file_is_opened_once_and_outside_the_loops_thread() -> None:
    opened: list[int] = []

    def opener() -> Memory:
        opened.append(threading.get_ident())
        return Memory.open(":memory:", embedder=None)

    async with AsyncMemory(opener) as memory:
        await asyncio.gather(*(memory.stats() for _ in range(20)))
    assert len(opened) == 1
    assert opened[0] != threading.get_ident()


async def test_a_file_that_is_no_database_is_said_by_the_first_call(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 200, encoding="utf-8")
    async with AsyncMemory.open(path, embedder=None) as memory:
        with pytest.raises(NotADatabase):
            await memory.stats()


async def test_it_answers_as_memory_does(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    async with AsyncMemory.open(path, embedder=FakeEmbedder()) as memory:
        note = await memory.remember(TEXT, subject=SUBJECT, session="s1", tags=["pet"])
        recall = await memory.recall(QUESTION, subject=SUBJECT, session="s1", tags=["pet"])
        assert [one.id for one in recall.records] == [note.id]
        assert TEXT in (await memory.context(QUESTION, subject=SUBJECT)).text
        assert (await memory.recall(QUESTION, subject=SUBJECT, session="s2")).records == ()
    with Memory.open(path, embedder=FakeEmbedder()) as plain:
        assert [one.id for one in plain.recall(QUESTION, subject=SUBJECT).records] == [note.id]


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts the hops to an executor."""

    hops = 0

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[_Args]], _R], *args: *_Args
    ) -> asyncio.Future[_R]:
        self.hops += 1
        return super().run_in_executor(executor, func, *args)


CALLS: dict[str, Callable[[AsyncMemory, str], Awaitable[object]]] = {
    "remember": lambda memory, _: memory.remember("I live in Lisbon.", subject=SUBJECT),
    "supersede": lambda memory, note: memory.supersede(note, "Brutus died.", subject=SUBJECT),
    "forget": lambda memory, note: memory.forget(note, subject=SUBJECT),
    "erase": lambda memory, note: memory.erase(note_id=note, subject=SUBJECT),
    "decide": lambda memory, _: memory.decide(QUESTION, subject=SUBJECT),
    "recall": lambda memory, _: memory.recall(QUESTION, subject=SUBJECT),
    "context": lambda memory, _: memory.context(QUESTION, subject=SUBJECT),
    "search": lambda memory, _: memory.search(QUESTION, subject=SUBJECT),
    "notes": lambda memory, _: memory.notes(subject=SUBJECT),
    "get": lambda memory, note: memory.get(note, subject=SUBJECT),
    "versions": lambda memory, note: memory.versions(note, subject=SUBJECT),
    "mark_used": lambda memory, note: memory.mark_used([note], subject=SUBJECT),
    "stats": lambda memory, _: memory.stats(),
    "verify": lambda memory, _: memory.verify(),
    "repair": lambda memory, _: memory.repair(),
    "doctor": lambda memory, _: memory.doctor(),
    "export_records": lambda memory, _: memory.export_records(subject=SUBJECT),
    "import_records": lambda memory, _: memory.import_records(EXPORT),
    "import_file": lambda memory, _: memory.import_file(io.BytesIO(EXPORT.encode()), subject=SUBJECT),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_one_hop(name: str) -> None:
    async def act() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, CountingLoop)
        memory = AsyncMemory.open(":memory:", embedder=FakeEmbedder())
        note = await memory.remember(TEXT, subject=SUBJECT)
        before = loop.hops
        await CALLS[name](memory, note.id)
        spent = loop.hops - before
        await memory.close()
        return spent

    with asyncio.Runner(loop_factory=CountingLoop) as runner:
        assert runner.run(act()) == 1


def test_every_method_but_open_close_and_backup_is_counted_above() -> None:
    assert set(CALLS) == set(methods(Memory)) - NOT_METHODS - {"close", "backup"}


async def test_a_hundred_recalls_at_once_all_answer(tmp_path: Path) -> None:
    async with AsyncMemory.open(tmp_path / "agent.db", embedder=FakeEmbedder()) as memory:
        note = await memory.remember(TEXT, subject=SUBJECT)
        answers = await asyncio.gather(*(memory.recall(QUESTION, subject=SUBJECT) for _ in range(100)))
    assert [[one.id for one in answer.records] for answer in answers] == [[note.id]] * 100


@pytest.mark.usefixtures("unblocked")
async def test_nothing_blocks_the_loop(tmp_path: Path) -> None:
    async with AsyncMemory.open(tmp_path / "agent.db", embedder=FakeEmbedder()) as memory:
        note = await memory.remember(TEXT, subject=SUBJECT)
        await asyncio.gather(*(memory.decide(QUESTION, subject=SUBJECT, deadline_ms=500) for _ in range(8)))
        await memory.supersede(note.id, "Brutus is my Leonberger.", subject=SUBJECT)
        await memory.doctor()
        await memory.backup(tmp_path / "copy.db")
        await memory.erase(subject=SUBJECT, everything=True)


async def until(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait, 10)
    assert event.is_set()


async def test_a_cancelled_write_is_cancelled_and_leaves_a_whole_store(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with BrokenEmbedder(Fault.HANGS) as embedder:
        memory = AsyncMemory.open(path, embedder=embedder)
        writing = asyncio.create_task(memory.remember(TEXT, subject=SUBJECT))
        await until(embedder.entered)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        embedder.release()
        await memory.close()
    with Memory.open(path, embedder=FakeEmbedder()) as after:
        assert after.verify() == []
        assert [note.text for note in after.notes(subject=SUBJECT)] == [TEXT]
        assert after.stats().awaiting_vector == 0
        assert after.recall(QUESTION, subject=SUBJECT).records


async def test_a_write_cancelled_before_its_turn_stores_nothing(tmp_path: Path) -> None:
    with BrokenEmbedder(Fault.HANGS) as embedder:
        memory = AsyncMemory.open(tmp_path / "agent.db", embedder=embedder)
        busy = [asyncio.create_task(memory.doctor()) for _ in range(8)]
        await until(embedder.entered)
        writing = asyncio.create_task(memory.remember(TEXT, subject=SUBJECT))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        embedder.release()
        await asyncio.gather(*busy)
        assert await memory.notes(subject=SUBJECT) == []
        await memory.close()


async def test_a_cancelled_recall_is_cancelled_and_the_next_one_answers() -> None:
    with BrokenEmbedder(Fault.HANGS) as embedder:
        async with AsyncMemory.open(":memory:", embedder=embedder) as memory:
            asking = asyncio.create_task(memory.recall(QUESTION, subject=SUBJECT))
            await until(embedder.entered)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            embedder.release()
            assert (await memory.recall(QUESTION, subject=SUBJECT)).records == ()


async def test_a_timeout_around_a_call_is_a_timeout() -> None:
    with BrokenEmbedder(Fault.HANGS) as embedder:
        memory = AsyncMemory.open(":memory:", embedder=embedder)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await memory.recall(QUESTION, subject=SUBJECT)
        embedder.release()
        await memory.close()


async def test_closing_twice_is_fine() -> None:
    memory = AsyncMemory.open(":memory:", embedder=None)
    await memory.stats()
    await memory.close()
    await memory.close()


async def test_closing_without_a_call_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    async with AsyncMemory.open(path, embedder=None):
        pass
    assert not path.exists()


async def test_a_call_after_close_says_so(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    memory = AsyncMemory.open(path, embedder=None)
    await memory.close()
    with pytest.raises(StoreError, match="closed"):
        await memory.remember(TEXT, subject=SUBJECT)
    assert not path.exists()


async def test_calls_under_way_finish_before_the_file_is_closed(tmp_path: Path) -> None:
    opened: list[Memory] = []

    def opener() -> Memory:
        opened.append(Memory.open(tmp_path / "agent.db", embedder=None))
        return opened[-1]

    memory = AsyncMemory(opener)
    writes = [asyncio.create_task(memory.remember(f"Fact {at}.", subject=SUBJECT)) for at in range(12)]
    await asyncio.sleep(0)
    await memory.close()
    assert all(one.created for one in await asyncio.gather(*writes))
    assert len(opened) == 1
    with pytest.raises(AtmemError):
        opened[0].stats()


async def test_leaving_with_an_error_closes_and_lets_it_through(tmp_path: Path) -> None:
    memory = AsyncMemory.open(tmp_path / "agent.db", embedder=None)

    async def fail_inside() -> None:
        async with memory:
            await memory.stats()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_inside()
    with pytest.raises(StoreError):
        await memory.stats()


async def test_errors_are_those_of_memory() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        with pytest.raises(InvalidInput, match="subject"):
            await memory.decide(QUESTION, subject="")
        with pytest.raises(TypeError):
            await memory.decide(QUESTION)  # type: ignore[call-arg]  # the subject is left out on purpose


def test_one_memory_serves_two_loops_one_after_the_other(tmp_path: Path) -> None:
    memory = AsyncMemory.open(tmp_path / "agent.db", embedder=None)
    asyncio.run(memory.remember(TEXT, subject=SUBJECT))
    assert asyncio.run(memory.notes(subject=SUBJECT))[0].text == TEXT
    asyncio.run(memory.close())
