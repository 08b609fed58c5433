"""kill -9 between turn and fact: nothing lost, nothing doubled."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.records import Fact
from tests.house.tree import ROOT


@pytest.mark.parametrize("turns", [1, 5, 60])
def test_turns_of_a_killed_process_are_read_later_once(tmp_path: Path, turns: int) -> None:
    path = tmp_path / "agent.db"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.extraction.worker", str(path), str(turns // 2)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = [int(process.stdout.readline()) for _ in range(turns)]
    process.send_signal(signal.SIGKILL)
    said += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    process.wait()
    with Memory.open(path, embedder=None) as memory:
        before = len(memory.facts.list(subject="ada", limit=9_999))
        waiting = memory.sessions.waiting()
        assert waiting >= len(said) - turns // 2 > 0
        assert memory.sessions.extract_pending().failed == 0
        kept = sorted(int(one.object.removeprefix("thing")) for one in _facts(memory))
        written = {one.text for one in memory.sessions.recent(subject="ada", session="s", limit=500)}
        # A turn whose write was committed but not yet said counts too.
        assert kept[: len(said)] == said
        assert len(kept) <= len(said) + 1
        assert len(set(kept)) == len(kept)
        assert before < len(kept)
        assert memory.sessions.extract_pending().done == 0
        assert f"I like thing{kept[-1]}." in written
        assert memory.verify() == []


def _facts(memory: Memory) -> list[Fact]:
    return list(memory.facts.list(subject="ada", all_states=True, limit=9_999))
