"""An import makes vectors up in batches, once each, and never fails for them."""

from pathlib import Path

from atmem_core import Memory
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault
from tests.transfer.conftest import Opener

SUBJECT = "ada"
COUNT = 2_000


def exported(count: int) -> list[str]:
    with Memory.open(":memory:", embedder=None, clock=FakeClock()) as memory:
        for at in range(count):
            memory.remember(f"note number {at}", subject=SUBJECT)
        return list(memory.export_records(subject=SUBJECT))


def test_two_thousand_notes_are_one_pass_of_twenty_embedding_calls(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    with Memory.open(tmp_path / "a.db", embedder=embedder) as memory:
        receipt = memory.import_records(exported(COUNT))
        stats = memory.stats(SUBJECT)
    assert (receipt.created, receipt.degraded) == (COUNT, ())
    assert (stats.vectors, stats.awaiting_vector) == (COUNT, 0)
    assert [len(call.texts) for call in embedder.calls] == [100] * 20
    assert len({text for call in embedder.calls for text in call.texts}) == COUNT


def test_notes_of_another_programs_file_are_embedded_in_batches_too(tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text("\n".join(f'{{"text": "note {at}"}}' for at in range(350)))
    embedder = FakeEmbedder()
    with Memory.open(tmp_path / "a.db", embedder=embedder) as memory:
        assert memory.import_file(file, subject=SUBJECT).created == 350
        assert memory.stats(SUBJECT).vectors == 350
    assert [len(call.texts) for call in embedder.calls] == [100, 100, 100, 50]


def test_a_forgotten_note_gets_no_vector(tmp_path: Path) -> None:
    with Memory.open(":memory:", embedder=None) as source:
        for at in range(4):
            note = source.remember(f"note {at}", subject=SUBJECT)
        source.forget(note.id, subject=SUBJECT)
        lines = list(source.export_records(subject=SUBJECT))
    embedder = FakeEmbedder()
    with Memory.open(tmp_path / "a.db", embedder=embedder) as memory:
        memory.import_records(lines)
    assert [len(call.texts) for call in embedder.calls] == [3]


def test_a_failing_model_fails_no_import_and_is_asked_once(tmp_path: Path) -> None:
    lines = exported(250)
    path = tmp_path / "a.db"
    with BrokenEmbedder(Fault.TIMES_OUT) as broken, Memory.open(path, embedder=broken) as memory:
        receipt = memory.import_records(lines)
        assert (receipt.created, receipt.degraded) == (250, ("embedding_unavailable",))
        assert memory.stats(SUBJECT).awaiting_vector == 250
    embedder = FakeEmbedder()
    with Memory.open(path, embedder=embedder) as memory:
        again = memory.import_records(lines)
        assert (again.created, again.unchanged, again.degraded) == (0, 250, ())
        assert memory.stats(SUBJECT).awaiting_vector == 0
    assert [len(call.texts) for call in embedder.calls] == [100, 100, 50]


def test_imported_notes_are_recalled(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.remember("Brutus is my Bernese mountain dog.", subject=SUBJECT)
    copy.import_records(memory.export_records(subject=SUBJECT))
    question = "what breed is my dog Brutus?"
    answers = [one.recall(question, subject=SUBJECT) for one in (memory, copy)]
    assert answers[0].records == answers[1].records != ()
