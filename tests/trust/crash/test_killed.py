"""Processes that are killed at random points, many together, and what their journals say of the file."""

import multiprocessing
import os
import random
import sys
import threading
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from tests.trust.crash.journal import History, Journal, faults, lines_of
from tests.trust.crash.worker import Worker, opened, work

ROUNDS = int(os.environ.get("ATMEM_KILLS", "60"))
"""Kills of the long job; 200 and more by hand."""


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.trust.crash.worker", "numpy", "apsw"])
    return context


def bytes_of(path: Path) -> bytes:
    """The file and what lies beside it."""
    return b"".join(one.read_bytes() for one in sorted(path.parent.glob(path.name + "*")))


def judged(path: Path, journals: list[Path]) -> History:
    history = History()
    for journal in journals:
        history.hear(journal)
    with opened(path) as memory:
        memory.stats()
    with opened(path) as memory:
        assert faults(memory, history, bytes_of(path)) == []
    return history


def run(
    processes: ForkServerContext,
    folder: Path,
    *,
    workers: int,
    acts: int,
    seed: int,
    after: float | None = None,
) -> list[Path]:
    """So many workers on one file; killed after so many seconds, or left to end. Their journals."""
    path = folder / "agent.db"
    journals = [folder / f"journal-{seed}-{at}" for at in range(workers)]
    running = [
        processes.Process(
            target=work,
            args=(str(path), str(journal)),
            kwargs={"name": f"p{seed}n{at}", "seed": seed + at, "acts": acts},
        )
        for at, journal in enumerate(journals)
    ]
    for one in running:
        one.start()
    if after is not None:
        running[0].join(after)  # any point will do
        for one in running:
            one.kill()
    for one in running:
        one.join()
    if after is None:
        assert [one.exitcode for one in running] == [0] * workers
    return journals


def test_a_killed_worker_leaves_a_file_that_agrees_with_its_journal(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    journals: list[Path] = []
    acts = 0
    for at in range(3):
        journals += run(processes, tmp_path, workers=2, acts=10_000, seed=10 * at, after=0.4)
        before, acts = acts, judged(tmp_path / "agent.db", journals).acts
        assert acts > before


def test_workers_that_end_leave_a_file_that_agrees_with_their_journals(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    journals = run(processes, tmp_path, workers=4, acts=25, seed=1)
    assert judged(tmp_path / "agent.db", journals).acts >= 60


def test_threads_and_several_memories_of_one_process_agree(tmp_path: Path) -> None:
    path, journals = tmp_path / "agent.db", [tmp_path / f"journal{at}" for at in range(32)]
    memories = [opened(path) for _ in range(4)]
    failed: list[BaseException] = []

    def act(at: int) -> None:
        try:
            worker = Worker(memories[at % 4], Journal(journals[at]), name=f"t{at}", seed=at)
            for _ in range(6):
                worker.act()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must hear of it
            failed.append(error)

    threads = [threading.Thread(target=act, args=(at,)) for at in range(32)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for memory in memories:
        memory.close()
    assert failed == []
    assert judged(path, journals).acts >= 100


def test_what_another_process_wrote_is_seen_at_the_next_look(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    """The vectors in memory are those of the file, whoever wrote them."""
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        memory.remember("The word wm0q was told.", subject="shared")
        for at in range(4):
            for _ in range(2):  # the second look holds the subject's vectors in memory
                memory.decide("which word was told?", subject="shared")
            journal = run(processes, tmp_path, workers=1, acts=12, seed=100 + at)[0]
            for line in lines_of(journal):
                if line["said"] == "did" and line["act"] == "erase":
                    assert not memory.search(line["word"], subject=line["subject"], mode="keyword")
            assert {
                hit.record_id for hit in memory.search("which word was told?", subject="shared", k=50)
            } == {note.id for note in memory.notes(subject="shared", limit=1_000)}


@pytest.mark.soak
def test_many_kills_lose_nothing_that_was_acknowledged(processes: ForkServerContext, tmp_path: Path) -> None:
    points = random.Random(3)  # noqa: S311 - any points will do, the same each time
    acts = erased = 0
    for at in range(ROUNDS // 2):
        if at % 10 == 0:
            folder = tmp_path / f"file{at}"
            folder.mkdir()
            journals: list[Path] = []
        seed = 1_000 + 10 * at
        journals += run(processes, folder, workers=2, acts=10_000, seed=seed, after=points.uniform(0.02, 0.6))
        history = judged(folder / "agent.db", journals)
        if at % 10 == 9 or at == ROUNDS // 2 - 1:
            acts += history.acts
            erased += sum(one.state == "erased" for one in history.told.values())
    assert acts > ROUNDS
    sys.stdout.write(f"{ROUNDS} kills, {acts} acts acknowledged, {erased} of them erased a note\n")


@pytest.mark.soak
def test_sixteen_processes_of_mixed_work_agree(processes: ForkServerContext, tmp_path: Path) -> None:
    journals = run(processes, tmp_path, workers=16, acts=40, seed=5)
    assert judged(tmp_path / "agent.db", journals).acts >= 300
