"""What is erased is overwritten in the journals of a sink too."""

from pathlib import Path

from atmem_core import Config, Memory
from atmem_core.events import JsonLinesSink, replay


def test_an_erased_fact_is_in_no_byte_of_the_journals_that_hold_content(tmp_path: Path) -> None:
    journal = tmp_path / "events.jsonl"
    with Memory.open(":memory:", embedder=None, config=Config(event_content=True)) as memory:
        memory.events.subscribe(JsonLinesSink(journal, most_bytes=600))
        gone = memory.facts.add("user", "lives in", "Quagmire Straße", subject="ada").fact.id
        for number in range(4):
            memory.facts.add("user", "owns", f"zebra {number}", subject="ada")
        files = sorted(tmp_path.iterdir())
        assert len(files) > 1
        assert any(b"Quagmire" in file.read_bytes() for file in files)
        memory.erase(gone, subject="ada")
        assert not any(b"Quagmire" in file.read_bytes() for file in tmp_path.iterdir())
        assert any(b"zebra" in file.read_bytes() for file in tmp_path.iterdir())
    told = list(replay(journal))
    assert [one.error for one in told] == [""] * len(told)
    assert next(one.event for one in told if one.event).content is None


def test_a_text_shorter_than_null_is_overwritten_too(tmp_path: Path) -> None:
    journal = tmp_path / "events.jsonl"
    line = b'{"at": "2026-03-01T12:00:00+00:00", "content": "Q", "digest": "d", "kind": "added", '
    journal.write_bytes(line + b'"record_id": "f1", "subject": "ada", "turn_id": null}\n')
    from atmem_core.events.journal import _wipe  # noqa: PLC0415 - what no text of ours is short enough for

    before = journal.stat().st_size
    _wipe(journal, frozenset({"f1"}))
    assert b'"Q"' not in journal.read_bytes()
    assert journal.stat().st_size == before
    assert [one.error for one in replay(journal)] == [""]
