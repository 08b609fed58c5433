"""``atmem export`` and ``atmem import``, as a person and as a program use them."""

import json
import stat
from pathlib import Path

import pytest

from atmem_cli.commands.receipt import CODES
from atmem_core import ImportCode
from tests.adapters.cli.shell import atmem, process, stored
from tests.house.markdown import rows, section
from tests.house.tree import ROOT

FILES = ROOT / "tests" / "transfer" / "files"


@pytest.fixture
def filled(database: Path) -> Path:
    stored(database, "Brutus is my dog.", "--tag", "pets")
    stored(database, "Ich heiße Käthe 🐝.")
    return database


def test_what_is_exported_comes_in_elsewhere(filled: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "ada.jsonl", tmp_path / "other.db"
    done = atmem("export", filled, "--subject", "ada", "--out", out, "--json")
    assert done.document == {"path": str(out), "subject": "ada", "records": 2}
    receipt = atmem("import", other, out, "--subject", "ada", "--json")
    assert (receipt.status, receipt.document["created"]) == (0, 2)
    listed = [atmem("notes", "list", db, "--subject", "ada", "--json").document for db in (filled, other)]
    assert listed[0] == listed[1]
    again = atmem("import", other, out, "--subject", "ada", "--json").document
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 0, 2)


def test_an_exported_file_is_for_its_owners_eyes_and_never_overwritten(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "ada.jsonl"
    assert atmem("export", filled, "--subject", "ada", "--out", out).status == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    before = out.read_bytes()
    refused = atmem("export", filled, "--subject", "ada", "--out", out)
    assert refused.status == 2
    assert "exists" in refused.err
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if "ada" in path.name) == ["ada.jsonl"]


def test_lines_go_through_a_pipe_whatever_the_terminal_speaks(filled: Path, tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    lines = process("export", filled, "--subject", "ada", env=env)
    assert lines.status == 0
    assert json.loads(lines.out.splitlines()[2])["text"] == "Ich heiße Käthe 🐝."
    other = tmp_path / "other.db"
    done = process("chat-import", other, "-", "--subject", "ada", "--json", stdin=lines.out.encode())
    assert (done.status, done.document["created"]) == (0, 2)


def test_another_persons_export_is_refused_unless_asked_for(filled: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "ada.jsonl", tmp_path / "other.db"
    atmem("export", filled, "--subject", "ada", "--out", out)
    refused = atmem("import", other, out, "--subject", "eve", "--json")
    assert (refused.status, refused.error["field"]) == (2, "subject")
    taken = atmem("import", other, out, "--subject", "eve", "--into-other-subject", "--json")
    assert taken.document["created"] == 2


def test_a_receipt_is_a_table_of_what_came_and_what_did_not(database: Path) -> None:
    ran = atmem("import", database, FILES / "chatgpt.json", "--from", "chatgpt", "--subject", "ada")
    assert ran.status == 1
    rows_ = [line.split() for line in ran.out.splitlines()]
    assert ["created", "5"] in rows_
    for count, code in (("1", "bad_json"), ("1", "bad_record"), ("4", "hidden_message"), ("2", "attachment")):
        assert [count, code] in [row[:2] for row in rows_]
    assert "c-none: no conversation" in ran.out
    assert "Petrel" not in ran.out


def test_parts_that_are_left_out_by_rule_are_no_failure(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text('{"text": "a"}\n{"role": "assistant", "text": "b"}\n')
    ran = atmem("import", database, file, "--subject", "ada", "--skip-assistant", "--json")
    assert ran.status == 0
    assert ran.document["left_out"] == {"assistant_left_out": 1}


def test_what_is_imported_can_be_put_aside_and_erased_as_a_whole(database: Path) -> None:
    where = ("--subject", "ada", "--project", "old")
    ran = atmem("import", database, FILES / "told.jsonl", *where, "--tag", "letters", "--json")
    assert ran.document["created"] == 5
    notes = atmem("notes", "list", database, *where, "--tag", "letters", "--json").document["notes"]
    assert len(notes) == 5
    atmem("notes", "erase", database, *where, "--yes")
    assert atmem("notes", "list", database, *where, "--json").document["notes"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("import", "{db}", "nowhere.json", "--subject", "ada"),
        ("import", "{db}", "{dir}", "--subject", "ada"),
        ("import", "{db}", "{file}", "--subject", "ada", "--from", "diary"),
        ("import", "{db}", "{file}"),
        ("export", "{db}"),
    ],
)
def test_wrong_usage_makes_no_database(words: tuple[str, ...], database: Path, tmp_path: Path) -> None:
    given = {"db": database, "dir": tmp_path, "file": FILES / "told.jsonl"}
    ran = atmem(*(word.format(**given) for word in words), "--json")
    assert (ran.status, ran.error["type"]) == (2, "UsageError")
    assert not database.exists()


def test_an_export_of_no_database_says_so(database: Path) -> None:
    ran = atmem("export", database, "--subject", "ada")
    assert ran.status == 1
    assert "no database" in ran.err


def test_every_code_is_said_in_words_and_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "transfer.md").read_text(encoding="utf-8")
    assert set(CODES) == set(ImportCode)
    assert list(rows(section(page, "Codes"))) == [code.value for code in ImportCode]
