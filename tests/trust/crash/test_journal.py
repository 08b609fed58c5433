"""The checker itself: each kind of loss is found."""

from pathlib import Path

import pytest

from tests.trust.crash.journal import History, Journal, faults
from tests.trust.crash.worker import opened

TEXT = "The word wq1 was told."


def judged(folder: Path, *said: dict[str, str], files: bytes = b"") -> list[str]:
    journal = Journal(folder / "journal")
    for line in said:
        for half in ("does", "did"):
            journal.says(said=half, subject="ada", **line)
    history = History()
    history.hear(folder / "journal")
    with opened(folder / "agent.db") as memory:
        return faults(memory, history, files)


@pytest.fixture
def note_id(tmp_path: Path) -> str:
    with opened(tmp_path / "agent.db") as memory:
        return memory.remember(TEXT, subject="ada").id


def test_what_agrees_has_no_fault(tmp_path: Path, note_id: str) -> None:
    assert judged(tmp_path, {"act": "remember", "word": "wq1", "id": note_id}) == []


@pytest.mark.parametrize("act", ["forget", "erase"])
def test_a_note_that_came_back_is_found(tmp_path: Path, note_id: str, act: str) -> None:
    told = {"act": "remember", "word": "wq1", "id": note_id}
    (fault,) = judged(tmp_path, told, {"act": act, "word": "wq1"})
    assert "came back" in fault


def test_a_lost_note_is_found(tmp_path: Path, note_id: str) -> None:
    (fault,) = judged(tmp_path, {"act": "remember", "word": "wq2", "id": note_id})
    assert fault == "current wq2: found as []"


def test_bytes_that_stayed_are_found(tmp_path: Path, note_id: str) -> None:
    with opened(tmp_path / "agent.db") as memory:
        memory.erase(note_id, subject="ada")
    told = {"act": "remember", "word": "wq1", "id": note_id}
    (fault,) = judged(tmp_path, told, {"act": "erase", "word": "wq1"}, files=b"... wq1 ...")
    assert "still in the files" in fault


def test_an_act_that_was_not_acknowledged_may_have_happened_or_not(tmp_path: Path, note_id: str) -> None:
    told = {"act": "remember", "word": "wq1", "id": note_id}
    assert judged(tmp_path, told) == []
    Journal(tmp_path / "journal").says(said="does", subject="ada", act="erase", word="wq1")
    assert judged(tmp_path) == []
    with opened(tmp_path / "agent.db") as memory:
        memory.erase(note_id, subject="ada")
    assert judged(tmp_path) == []


def test_a_text_that_stands_twice_is_found(tmp_path: Path, note_id: str) -> None:
    with opened(tmp_path / "agent.db") as memory:
        memory.remember(TEXT, subject="ada", session="another")
    assert f"twice: {TEXT}" in judged(tmp_path, {"act": "remember", "word": "wq1", "id": note_id})
