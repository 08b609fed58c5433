"""Erase under churn: rows that moved between pages leave copies that no pragma overwrites."""

import random
from pathlib import Path

import pytest

from atmem_core import Memory

ADA = "ada"


@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_of_an_erased_note_stays_after_many_writes(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    draw = random.Random(seed)  # noqa: S311 - the same history every time
    live: dict[str, int] = {}
    gone: list[int] = []
    with Memory.open(path, embedder=None) as memory:
        for number in range(300):
            text = f"CANARY{number:04d}x " + "pad " * draw.randint(1, 130)
            live[memory.remember(text, subject=ADA).id] = number
            if draw.random() < 0.15:
                memory.forget(draw.choice(list(live)), subject=ADA)
            if draw.random() < 0.15:
                chosen = draw.choice(list(live))
                assert not memory.erase(chosen, subject=ADA).pending_checkpoint
                gone.append(live.pop(chosen))
    data = path.read_bytes().lower()
    assert [number for number in gone if b"canary%04dx" % number in data] == []
