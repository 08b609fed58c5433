"""Encrypted files; run in a venv of their own, whose driver has ciphers. See docs/how-to/encrypt.md."""

import threading
from pathlib import Path

import apsw
import pytest

from atmem_core import Config, Key, Memory, NotADatabase, WrongKey
from tests.adapters.cli.shell import process

pytestmark = pytest.mark.skipif(
    not hasattr(apsw, "mc_version"), reason="the plain driver; see docs/how-to/encrypt.md"
)
SECRET = "quill feather ☃ it's"  # noqa: S105 - a key of these tests
TEXT = "Brutus is my Bernese mountain dog."
NEEDLES = (b"brutus", b"bernes", b"ada-lovelace", b"SQLite format 3")


def opened(path: Path, key: str | None = SECRET) -> Memory:
    config = Config(key=None if key is None else Key.from_callable(lambda: key))
    return Memory.open(path, embedder=None, config=config)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        memory.remember(TEXT, subject="ada-lovelace")
    return path


def test_no_byte_of_a_text_is_in_any_file(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory:
        memory.remember("Brutus snores.", subject="ada-lovelace")
        memory.backup(tmp_path / "copy.db")
        for file in tmp_path.iterdir():
            data = file.read_bytes().lower()
            # The index of the log is rebuilt from it and holds page numbers only.
            assert [needle for needle in NEEDLES if needle.lower() in data] == [], file


def test_a_wrong_key_is_a_clear_error_and_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(WrongKey, match="can't be read with this key") as raised:
        opened(path, "another")
    assert "another" not in str(raised.value).replace("another one", "")
    assert raised.value.__cause__ is None
    assert path.read_bytes() == before


def test_no_key_for_an_encrypted_file_is_a_clear_error(path: Path) -> None:
    with pytest.raises(NotADatabase, match="or is encrypted; give another path, or its key"):
        opened(path, None)


def test_a_key_for_a_plain_file_is_a_clear_error(tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    opened(plain, None).close()
    before = plain.read_bytes()
    with pytest.raises(WrongKey, match="isn't encrypted"):
        opened(plain)
    assert plain.read_bytes() == before


def test_a_backup_has_the_key_of_the_file(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with opened(path) as memory:
        memory.backup(copy)
    with opened(copy) as memory:
        assert [note.text for note in memory.notes(subject="ada-lovelace")] == [TEXT]
    with pytest.raises(WrongKey):
        opened(copy, "another")


def test_every_thread_reads_and_the_key_is_asked_for_once(path: Path) -> None:
    asked = []

    def ask() -> str:
        asked.append(1)
        return SECRET

    key = Key.from_callable(ask)
    with Memory.open(path, embedder=None, config=Config(key=key)) as memory:
        found: list[int] = []
        threads = [
            threading.Thread(target=lambda: found.append(len(memory.notes(subject="ada-lovelace"))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [1, 1, 1, 1]
    assert asked == [1]


def test_erase_verify_and_repair_work(path: Path) -> None:
    with opened(path) as memory:
        assert memory.verify() == []
        memory.repair()
        assert memory.erase(subject="ada-lovelace", everything=True).ids
        assert memory.verify() == []


def test_the_command_line_opens_it_with_the_key_of_the_environment(path: Path) -> None:
    ran = process("notes", "list", path, "--subject", "ada-lovelace", "--json", env={"ATMEM_KEY": SECRET})
    assert ran.status == 0, ran.err
    assert TEXT in ran.out
    wrong = process("notes", "list", path, "--subject", "ada-lovelace", env={"ATMEM_KEY": "another"})
    assert wrong.status == 1
    assert "another one" in wrong.err


def test_a_doctor_says_that_it_is_on(path: Path) -> None:
    ran = process("doctor", path, "--json", env={"ATMEM_KEY": SECRET})
    checks = {one["name"]: one["detail"] for one in ran.document["checks"]}
    assert checks["encryption"].startswith("on, SQLite3 Multiple Ciphers")
