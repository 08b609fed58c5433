"""A key where the driver can't encrypt, and where keys come from. Encrypted files: test_encrypted."""

import logging
from pathlib import Path

import apsw
import pytest

from atmem_core import Config, EncryptionUnavailable, InvalidInput, Key, Memory
from tests.adapters.cli.shell import atmem, process, stored

SECRET = "quill feather ☃ it's"  # noqa: S105 - what must not be shown
PLAIN = not hasattr(apsw, "mc_version")
plain_driver = pytest.mark.skipif(not PLAIN, reason="this driver encrypts; test_encrypted is for it")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@plain_driver
def test_a_key_with_the_plain_driver_raises_and_makes_no_file(path: Path) -> None:
    with pytest.raises(EncryptionUnavailable, match="pip install apsw-sqlite3mc") as raised:
        Memory.open(path, embedder=None, config=Config(key=Key.from_callable(lambda: SECRET)))
    assert SECRET not in str(raised.value)
    assert not path.exists()


@plain_driver
def test_a_key_with_the_plain_driver_leaves_a_plain_file_alone(path: Path) -> None:
    with Memory.open(path, embedder=None) as memory:
        memory.remember("Brutus is my dog.", subject="ada")
    before = path.read_bytes()
    with pytest.raises(EncryptionUnavailable):
        Memory.open(path, embedder=None, config=Config(key=Key.from_callable(lambda: SECRET)))
    assert path.read_bytes() == before


@plain_driver
@pytest.mark.parametrize("way", ["ATMEM_KEY", "ATMEM_KEY_FILE"])
def test_the_command_line_takes_its_key_from_the_environment(way: str, path: Path, tmp_path: Path) -> None:
    stored(path, "Brutus is my dog.")
    file = tmp_path / "key"
    file.write_text(SECRET + "\n", encoding="utf-8")
    value = SECRET if way == "ATMEM_KEY" else str(file)
    ran = process("notes", "list", path, "--subject", "ada", env={way: value})
    assert ran.status == 1
    assert "apsw-sqlite3mc" in ran.err
    assert SECRET not in ran.err + ran.out


@plain_driver
def test_a_doctor_gives_the_two_commands(path: Path) -> None:
    stored(path, "Brutus is my dog.")
    checks = {one["name"]: one for one in atmem("doctor", path, "--json").document["checks"]}
    assert checks["encryption"]["status"] == "ok"
    assert "pip uninstall -y apsw && pip install apsw-sqlite3mc" in checks["encryption"]["detail"]


def test_a_key_comes_from_environment_file_or_callable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    file = tmp_path / "key"
    file.write_text(SECRET + "\r\n", encoding="utf-8")
    for key in (Key.from_environment("MY_KEY"), Key.from_file(file), Key.from_callable(lambda: SECRET)):
        assert key.read() == SECRET
        assert SECRET not in repr(key)
        assert SECRET not in repr(Config(key=key))


def test_a_key_that_is_not_there_is_an_error_that_says_where(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="NO_SUCH_VARIABLE"):
        Key.from_environment("NO_SUCH_VARIABLE").read()
    with pytest.raises(InvalidInput, match="FileNotFoundError"):
        Key.from_file(tmp_path / "none").read()
    with pytest.raises(InvalidInput, match="holds no key"):
        Key.from_callable(lambda: "").read()


def test_what_a_key_store_says_when_it_fails_is_not_passed_on() -> None:
    def broken() -> str:
        raise RuntimeError(SECRET)

    with pytest.raises(InvalidInput) as raised:
        Key.from_callable(broken).read()
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_text_as_key_is_refused_and_not_shown() -> None:
    with pytest.raises(InvalidInput) as raised:
        Config(key=SECRET)  # type: ignore[arg-type]
    assert SECRET not in str(raised.value)


def test_no_log_holds_the_key(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        try:
            Memory.open(path, embedder=None, config=Config(key=Key.from_callable(lambda: SECRET))).close()
        except EncryptionUnavailable:
            assert PLAIN
    assert SECRET not in caplog.text
