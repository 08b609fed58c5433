"""No command gives one subject's memory to another. A command that isn't in the table fails a test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from atmem_cli.main import app
from atmem_core import Memory
from tests.adapters.cli.shell import atmem
from tests.trust.isolation.owner import NAMES, OWNER, QUERY, Ids, everything, seen, settle

Words = list[str | Path]
COMMANDS: dict[str, Callable[[Path, Ids], Words]] = {
    "remember": lambda db, ids: ["remember", db, "I like tea."],
    "decide": lambda db, ids: ["decide", db, QUERY, "--explain"],
    "recall": lambda db, ids: ["recall", db, QUERY, "--allow-background"],
    "search": lambda db, ids: ["search", db, QUERY],
    "context": lambda db, ids: ["context", db, QUERY, "--allow-background"],
    "notes list": lambda db, ids: ["notes", "list", db, "--all"],
    "notes get": lambda db, ids: ["notes", "get", db, ids.note],
    "notes versions": lambda db, ids: ["notes", "versions", db, ids.old_note],
    "notes supersede": lambda db, ids: ["notes", "supersede", db, ids.note, "I like tea."],
    "notes forget": lambda db, ids: ["notes", "forget", db, ids.note, "--yes"],
    "notes forget, all": lambda db, ids: ["notes", "forget", db, "--everything", "--yes"],
    "notes erase": lambda db, ids: ["notes", "erase", db, ids.note, "--yes"],
    "notes erase, all": lambda db, ids: ["notes", "erase", db, "--everything", "--yes"],
    "facts add": lambda db, ids: ["facts", "add", db, "user", "lives in", "Rome"],
    "facts list": lambda db, ids: ["facts", "list", db, "--all"],
    "facts history": lambda db, ids: ["facts", "history", db, ids.fact],
    "facts forget": lambda db, ids: ["facts", "forget", db, ids.fact, "--yes"],
    "facts search": lambda db, ids: ["facts", "search", db, "who lives in periwinkle"],
    "facts as-of": lambda db, ids: ["facts", "as-of", db, "2026-03-01T12:00:00Z"],
    "facts extract": lambda db, ids: ["facts", "extract", db, "--pending"],
    "context, of a turn": lambda db, ids: ["context", db, QUERY, "--channel", "memory-index"],
    "profile set": lambda db, ids: ["profile", "set", db, "gym", "is new"],
    "profile get": lambda db, ids: ["profile", "get", db, "gym"],
    "profile list": lambda db, ids: ["profile", "list", db],
    "profile history": lambda db, ids: ["profile", "history", db, "gym"],
    "profile recall": lambda db, ids: ["profile", "recall", db, QUERY],
    "profile vote": lambda db, ids: ["profile", "vote", db, "gym", "1"],
    "profile remove": lambda db, ids: ["profile", "remove", db, "gym", "--yes"],
    "lessons add": lambda db, ids: ["lessons", "add", db, "tea", "Warm the pot.", "--parent", ids.note],
    "lessons list": lambda db, ids: ["lessons", "list", db, "--all"],
    "lessons get": lambda db, ids: ["lessons", "get", db, ids.lesson],
    "lessons recall": lambda db, ids: ["lessons", "recall", db, QUERY],
    "lessons deprecate": lambda db, ids: ["lessons", "deprecate", db, ids.lesson],
    "lessons vote": lambda db, ids: ["lessons", "vote", db, ids.lesson, "1"],
    "lessons consolidate": lambda db, ids: [
        *("lessons", "consolidate", db, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
    ],
    "procedures add": lambda db, ids: [
        "procedures",
        "add",
        db,
        "tea",
        "Boil.",
        "Pour.",
        "--lesson",
        ids.lesson,
    ],
    "procedures list": lambda db, ids: ["procedures", "list", db, "--all"],
    "procedures get": lambda db, ids: ["procedures", "get", db, ids.procedure],
    "procedures recall": lambda db, ids: ["procedures", "recall", db, QUERY],
    "procedures deprecate": lambda db, ids: ["procedures", "deprecate", db, ids.procedure],
    "procedures vote": lambda db, ids: ["procedures", "vote", db, ids.procedure, "1"],
    "links add": lambda db, ids: ["links", "add", db, ids.note, ids.old_note],
    "links list": lambda db, ids: ["links", "list", db],
    "links remove": lambda db, ids: ["links", "remove", db, ids.note, ids.old_note],
    "links expand": lambda db, ids: ["links", "expand", db, ids.note],
    "quarantine list": lambda db, ids: ["quarantine", "list", db],
    "quarantine confirm": lambda db, ids: ["quarantine", "confirm", db, ids.suspect],
    "quarantine reject": lambda db, ids: ["quarantine", "reject", db, ids.suspect],
    "semantic status": lambda db, ids: ["semantic", "status", db],
    "semantic setup": lambda db, ids: [
        *(
            "semantic",
            "setup",
            db,
            "--provider",
            "ollama",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9",
        ),
    ],
    "semantic verify": lambda db, ids: ["semantic", "verify", db],
    "semantic rebuild": lambda db, ids: ["semantic", "rebuild", db],
    "semantic rollback": lambda db, ids: ["semantic", "rollback", db],
    "export": lambda db, ids: ["export", db],
    "import": lambda db, ids: ["import", db, db.with_name("told.jsonl")],
    "doctor": lambda db, ids: ["doctor", db],
}
"""Every command that takes a subject, as a stranger types it."""
WITHOUT_SUBJECT = {
    "demo", "verify", "repair", "backup", "eval", "mcp", "chat-import", "memory reindex",
    "openclaw path",
}  # fmt: skip
"""They name no subject and print no record; ``mcp`` serves one (test_tools), ``chat-import`` is import."""
TYPED: dict[str, list[str]] = {"upper case": [], "a quote": ["--json"]}
NO_SUBJECTS = {"blank": "  ", "too long": "ada" * 171}


def leaves(group: TyperGroup, before: str = "") -> set[str]:
    found: set[str] = set()
    for name, command in group.commands.items():
        whole = f"{before}{name}"
        inner = isinstance(command, TyperGroup)
        found |= leaves(command, whole + " ") if isinstance(command, TyperGroup) else {whole}
        if inner and getattr(command, "invoke_without_command", False):
            found.add(whole)
    return found


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.db"
    (tmp_path / "told.jsonl").write_text('{"text": "I like tea."}\n', encoding="utf-8")
    return path


@pytest.fixture
def ids(database: Path) -> Iterator[Ids]:
    with Memory.open(database, embedder=None) as memory:
        yield settle(memory)


def owned(database: Path) -> list[str]:
    with Memory.open(database, embedder=None) as memory:
        return everything(memory)


def test_every_command_is_in_the_table() -> None:
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    tried = {name.split(",")[0] for name in COMMANDS}
    assert tried | WITHOUT_SUBJECT == leaves(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_gives_a_stranger_nothing_and_changes_nothing(
    command: str, database: Path, ids: Ids
) -> None:
    before = owned(database)
    for kind, form in TYPED.items():
        ran = atmem(*COMMANDS[command](database, ids), "--subject", str(NAMES[kind]), *form)
        said = ran.out + ran.err
        # What was typed is shown again: the question is the stranger's own.
        assert seen(said.replace(QUERY, "")) == [], (kind, said)
        assert ran.status in {0, 1}, said
    assert owned(database) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_refuses_what_is_no_subject(command: str, database: Path, ids: Ids) -> None:
    before = owned(database)
    for kind, who in NO_SUBJECTS.items():
        ran = atmem(*COMMANDS[command](database, ids), "--subject", who)
        assert ran.status != 0, kind
        assert seen((ran.out + ran.err).replace(QUERY, "")) == []
    assert owned(database) == before


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"doctor"}))
def test_a_command_without_a_subject_is_wrong_usage(command: str, database: Path, ids: Ids) -> None:
    assert atmem(*COMMANDS[command](database, ids)).status == 2


def test_the_owner_does_see_it(database: Path, ids: Ids) -> None:
    ran = atmem(*COMMANDS["notes list"](database, ids), "--subject", OWNER)
    assert "quillfeather" in ran.out
