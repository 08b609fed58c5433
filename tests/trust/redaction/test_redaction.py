"""Secrets are taken out before anything is written, through every way in."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from atmem_core import Config, Memory, Redaction, WriteRefused
from atmem_core.remember.redaction import redact
from tests.trust.poisoning.cases import ordinary

SECRETS = {
    "AKIA" + "IOSFODNN7EXAMPLE": "key",
    "ghp_" + "a1B2c3D4e5" * 4: "key",
    "glpat-" + "Zx9Yw8Vu7Ts6Rq5Pp4Oo": "key",
    "sk-ant-" + "api03-AbCdEfGhIjKlMnOpQrSt": "key",
    "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc": "key",
    "xoxb-" + "123456789012-abcdefGHIJKL": "key",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv": "key",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl": "token",
    "4111 1111 1111 1111": "card",
    "5500-0055-5555-5559": "card",
    "378282246310005": "card",
}
SAID = {
    "The password of the guest wifi is quillfeather.": "quillfeather",
    "My password: hunter2!": "hunter2",
    "Das Passwort ist Sonnenblume7": "Sonnenblume7",
    "La contraseña es girasol99": "girasol99",
    "数据库密码是向日葵花开八九": "向日葵花开八九",
    "api_key=0f9e8d7c6b5a4321": "0f9e8d7c6b5a4321",
    "Our client secret is 'Qm9vLWZvby1iYXI'": "Qm9vLWZvby1iYXI",
    "postgres://app:s3cr3tpw@db.example/prod": "s3cr3tpw",
    "Authorization: Bearer abcdefghijklmnop0123456789": "abcdefghijklmnop0123456789",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQ\n-----END RSA PRIVATE KEY-----": "MIIEowIBAAKCAQ",
}
HARMLESS = (
    "The password is on the router.",
    "My password expires in May.",
    "The order number is 4111 1111 1111 1112.",
    "Call me at 0049 30 1234567.",
    "The parcel is 00340434161094042557.",
    "Her PIN was changed.",
    "The secret of her cake is buttermilk.",
    "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it.",
)
SECRET = next(iter(SECRETS))
TEXT = f"The deploy key is {SECRET} for now."
LINES = (
    '{{"format": "atmem-records-v1", "subject": "ada"}}\n{}\n{{"end": "atmem-records-v1", "records": 1}}'
).format
RECORD = (
    '{"record": "note", "id": "n1", "text": "' + TEXT + '", "speaker": "user", "source": "user",'
    ' "trust": 0.9, "kind": "note", "created_at": "2026-01-01T00:00:00Z"}'
)
TURN = (
    '{"record": "turn", "id": "t1", "text": "'
    + TEXT
    + '", "session": "s", "role": "user", "speaker": "user",'
    ' "source": "user", "created_at": "2026-01-01T00:00:00Z", "extraction": "none"}'
)


def _finish(memory: Memory) -> None:
    memory.sessions.finish(TEXT, f"Noted: {SECRET}.", subject="ada", session="s")
    memory.sessions.drain()


WAYS_IN: dict[str, Callable[[Memory], object]] = {
    "remember": lambda memory: memory.remember(TEXT, subject="ada"),
    "supersede": lambda memory: memory.supersede(
        memory.remember("An old key.", subject="ada").id, TEXT, subject="ada"
    ),
    "facts.add": lambda memory: memory.facts.add("deploy", "key", SECRET, subject="ada"),
    "facts.update": lambda memory: memory.facts.update(
        memory.facts.add("deploy", "key", "none", subject="ada").fact.id, SECRET, subject="ada"
    ),
    "sessions.append": lambda memory: memory.sessions.append(TEXT, subject="ada", session="s"),
    "sessions.finish": _finish,
    "import_records": lambda memory: memory.import_records(LINES(RECORD)),
    "import_records, a turn": lambda memory: memory.import_records(LINES(TURN)),
    "import_file": lambda memory: memory.import_file(
        BytesIO(b'{"text": "' + TEXT.encode() + b'"}'), subject="ada"
    ),
    "import_file, cut in the secret": lambda memory: memory.import_file(
        BytesIO(b'{"text": "' + b"word " * 797 + TEXT.encode() + b'"}'), subject="ada"
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory.open(path, embedder=None, config=Config(redaction=Redaction.REPLACE)) as opened:
        yield opened


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
def test_a_secret_is_known_by_its_shape(secret: str, kind: str) -> None:
    text, found = redact(f"Here it is: {secret}, keep it.")
    assert text == f"Here it is: [redacted {kind}], keep it."
    assert found == {kind: 1}


@pytest.mark.parametrize(("text", "secret"), SAID.items())
def test_a_secret_is_known_by_what_it_is_called(text: str, secret: str) -> None:
    clean, found = redact(text)
    assert secret not in clean
    assert "[redacted " in clean
    assert found.total() == 1


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == (text, {})


def test_of_300_ordinary_notes_hardly_any_is_touched() -> None:
    touched = [text for text in ordinary() if redact(text)[1]]
    assert len(touched) <= 3, touched


@pytest.mark.parametrize("way", WAYS_IN)
def test_the_bytes_of_a_secret_reach_no_file(way: str, memory: Memory, path: Path) -> None:
    WAYS_IN[way](memory)
    stats = memory.stats(subject="ada")
    turns = memory.sessions.recent(subject="ada", session="s")
    assert stats.notes + stats.facts + len(turns) > 0
    open_bytes = bytes_of(path.parent)
    memory.close()
    for data in (open_bytes, bytes_of(path.parent)):
        assert SECRET.encode() not in data
        assert SECRET.lower().encode() not in data
        assert b"[redacted key]" in data


@pytest.mark.parametrize("way", WAYS_IN)
def test_without_redaction_the_same_bytes_are_there(way: str, path: Path) -> None:
    with Memory.open(path, embedder=None) as memory:
        WAYS_IN[way](memory)
    assert SECRET[:16].lower().encode() in bytes_of(path.parent).lower()


@pytest.mark.parametrize("way", [way for way in WAYS_IN if not way.startswith("import")])
def test_a_secret_can_be_refused_with_a_code(way: str, path: Path) -> None:
    with Memory.open(path, embedder=None, config=Config(redaction=Redaction.REFUSE)) as memory:
        with pytest.raises(WriteRefused) as refused:
            WAYS_IN[way](memory)
        assert refused.value.code == "secret_found"
        assert SECRET not in str(refused.value)
    assert SECRET.encode() not in bytes_of(path.parent)


@pytest.mark.parametrize("way", [way for way in WAYS_IN if way.startswith("import")])
def test_an_import_counts_what_it_refused(way: str, path: Path) -> None:
    with Memory.open(path, embedder=None, config=Config(redaction=Redaction.REFUSE)) as memory:
        receipt = WAYS_IN[way](memory)
        assert [problem.code for problem in receipt.problems] == ["secret_found"]  # type: ignore[attr-defined]
    assert SECRET.encode() not in bytes_of(path.parent)


def test_a_predicate_says_that_the_object_is_a_secret(memory: Memory, path: Path) -> None:
    memory.facts.add("user", "wifi password", "quillfeather", subject="ada")
    memory.close()
    assert b"quillfeather" not in bytes_of(path.parent)
