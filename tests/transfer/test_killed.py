"""An import that is killed in the middle can be run again: nothing lost, nothing doubled."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.store.sqlite.derived import LOOSE_END
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder
from tests.conftest import ROOT

COUNT = 1_500


def kill_after(batches: int, database: Path, file: Path, form: str) -> None:
    """Start an import and kill -9 it somewhere in the two batches after these."""
    words = [str(database), str(file), form, str(batches + 2)]
    command = [sys.executable, "-m", "tests.transfer.worker", *words]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(batches)]
        process.kill()
    assert all(said)


def export_of(count: int, file: Path) -> list[str]:
    with Memory.open(":memory:", embedder=None, clock=FakeClock()) as memory:
        notes = [memory.remember(f"note {at}", subject="ada") for at in range(count - count // 10)]
        for note in notes[:: len(notes) // (count // 10)][: count // 10]:
            memory.supersede(note.id, f"{note.record.text}, once more", subject="ada")
        lines = list(memory.export_records(subject="ada"))
    file.write_text("\n".join(lines), encoding="utf-8")
    return lines


@pytest.mark.parametrize("batches", [1, 4, 9])
def test_an_export_comes_in_whole_after_a_kill(batches: int, tmp_path: Path) -> None:
    file, database = tmp_path / "ada.jsonl", tmp_path / "a.db"
    lines = export_of(COUNT, file)
    kill_after(batches, database, file, "jsonl")
    with Memory.open(database, embedder=FakeEmbedder()) as memory:
        there = memory.stats("ada").notes
        assert 0 < there < COUNT
        # A successor may still be to come.
        assert memory.verify() in ([], [LOOSE_END])
        receipt = memory.import_file(file, subject="ada")
        assert (receipt.created, receipt.unchanged) == (COUNT - there, there)
        assert list(memory.export_records(subject="ada"))[1:] == lines[1:]
        assert memory.stats("ada").awaiting_vector == 0
        assert memory.verify() == []


def test_another_programs_file_comes_in_whole_after_a_kill(tmp_path: Path) -> None:
    file, database = tmp_path / "told.json", tmp_path / "a.db"
    memories = [{"id": f"m{at}", "memory": f"note {at}", "user_id": "ada"} for at in range(COUNT)]
    file.write_text(json.dumps(memories), encoding="utf-8")
    kill_after(3, database, file, "mem0")
    with Memory.open(database, embedder=FakeEmbedder()) as memory:
        there = memory.stats("ada").notes
        assert 0 < there < COUNT
        assert memory.import_file(file, subject="ada", format="mem0").created == COUNT - there
        notes = memory.notes(subject="ada", limit=COUNT * 2)
    assert len({note.text for note in notes}) == len(notes) == COUNT
