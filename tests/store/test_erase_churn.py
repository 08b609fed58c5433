"""Erase under churn: rows that moved between pages leave copies that no pragma overwrites."""

import random
import time
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.records import Selector
from tests.store.histories import LATER, SteppingClock, drafted, opened, reading

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


def test_many_notes_are_erased_at_once_and_no_byte_stays(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    store, clock = opened(path), SteppingClock()
    for at in range(60):
        words = " ".join(f"quill{at}x{word}" for word in range(40))
        store.add(drafted(f"The parrot {words}", clock, project="doomed" if at % 2 else "kept"))
    started = time.process_time()
    store.erase("ada", Selector(project="doomed"), at=LATER)
    many = time.process_time() - started
    data = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"quill2x7" in data
    assert not any(f"quill{at}x{word}".encode() in data for at in range(1, 60, 2) for word in (0, 7, 39))
    assert store.verify() == []
    started = time.process_time()
    for note in store.notes(reading(), limit=5):
        store.erase("ada", Selector(note_id=note.id), at=LATER)
    few = time.process_time() - started
    # Thirty at once cost less than thirty by themselves would: the ratio is some ten, the bound leaves room.
    assert many < few * 6
    store.close()
