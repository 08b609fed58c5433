"""kill -9 in the middle of a build, a prune, a rollback: the active epoch is whole, and the work resumes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from atmem_core import EpochState, Memory, SemanticHealth
from tests.house.tree import ROOT
from tests.semantic.models import GoodModel, opened

ADA = "ada"
COUNT = 60


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with opened(path, {}) as memory:
        for at in range(COUNT):
            memory.remember(f"The code of box {at} is {at * 7}.", subject=ADA)
    return path


@pytest.fixture
def models() -> dict[str, GoodModel]:
    return {one: GoodModel(one) for one in ("old", "new")}


@pytest.fixture
def memory(file: Path, models: dict[str, GoodModel]) -> Iterator[Memory]:
    with opened(file, models) as found:
        yield found


def set_up(memory: Memory, model: str) -> int:
    return memory.semantic.setup(subject=ADA, provider="fake", model=model).embedded


def killed_within(verb: str, file: Path) -> None:
    """Start, wait until it says that it is in the middle, kill."""
    command = [sys.executable, "-m", "tests.semantic.killed", verb, str(file)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL


def whole(memory: Memory, model: GoodModel) -> None:
    """Every record has a vector of the model that serves, and the file is sound."""
    status = memory.semantic.status(subject=ADA)
    assert (status.health, status.digest) == (SemanticHealth.HEALTHY, model.identity.digest)
    found = memory.decide("what is the code of box 12?", subject=ADA)
    assert found.semantic is not None
    assert (found.semantic.identity, found.degraded) == (model.identity.digest, ())
    assert memory.verify() == []


def test_a_killed_build_leaves_the_active_epoch_and_goes_on(
    memory: Memory, file: Path, models: dict[str, GoodModel]
) -> None:
    set_up(memory, "old")
    killed_within("build", file)
    whole(memory, models["old"])
    (begun, *_) = memory.semantic.status(subject=ADA).epochs
    assert (begun.state, begun.identity) == (EpochState.VERIFIED, models["new"].identity)
    there = memory._store.epoch_store.coverage(ADA, models["new"].identity.digest).vectors
    assert 0 < there < COUNT
    assert set_up(memory, "new") == COUNT - there == len(models["new"].documents)
    whole(memory, models["new"])


def test_a_killed_prune_has_pruned_nothing_and_can_be_run_again(
    memory: Memory, file: Path, models: dict[str, GoodModel]
) -> None:
    set_up(memory, "old")
    set_up(memory, "new")
    killed_within("prune", file)
    whole(memory, models["new"])
    assert memory._store.epoch_store.coverage(ADA, models["old"].identity.digest).vectors == COUNT
    assert [one.pruned for one in memory.semantic.reindex(prune=True)] == [COUNT]
    whole(memory, models["new"])


def test_a_killed_rollback_has_not_happened_and_can_be_run_again(
    memory: Memory, file: Path, models: dict[str, GoodModel]
) -> None:
    set_up(memory, "old")
    set_up(memory, "new")
    killed_within("rollback", file)
    whole(memory, models["new"])
    memory.semantic.rollback(subject=ADA)
    whole(memory, models["old"])
    assert len(models["old"].documents) == COUNT
