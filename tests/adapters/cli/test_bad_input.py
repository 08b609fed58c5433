"""What goes wrong is said clearly, with an exit status and, when asked for, as JSON."""

from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem, process, stored

READS = [
    ["decide", "DB", "where?"],
    ["recall", "DB", "where?"],
    ["search", "DB", "where?"],
    ["context", "DB", "where?"],
    ["notes", "list", "DB"],
    ["notes", "get", "DB", "n1"],
    ["notes", "versions", "DB", "n1"],
    ["notes", "supersede", "DB", "n1", "other"],
    ["notes", "forget", "DB", "n1", "--yes"],
    ["notes", "erase", "DB", "n1", "--yes"],
]
WHOLE_FILE = [["doctor", "DB"], ["verify", "DB"], ["repair", "DB"], ["backup", "DB", "copy.db"]]


def words(pattern: list[str], database: Path) -> list[str]:
    return [str(database) if word == "DB" else word for word in pattern]


@pytest.mark.parametrize("pattern", [*READS, *WHOLE_FILE], ids=" ".join)
@pytest.mark.parametrize("there", ["nothing", "an empty file"])
def test_only_remember_makes_a_file(pattern: list[str], there: str, database: Path) -> None:
    if there == "an empty file":
        database.touch()
    ran = atmem(*words(pattern, database), subject="ada")
    assert ran.status == 1
    assert ran.err == (f"error: no database at {database}; `atmem remember {database} ...` makes one\n")
    assert [one.stat().st_size for one in database.parent.iterdir()] == (
        [0] if there == "an empty file" else []
    )


@pytest.mark.parametrize("pattern", READS, ids=" ".join)
def test_a_missing_subject_is_wrong_usage(pattern: list[str], database: Path) -> None:
    ran = atmem(*words(pattern, database))
    assert ran.status == 2
    assert "Missing option '--subject' (env var: 'ATMEM_SUBJECT')" in ran.err


def test_a_blank_subject_is_wrong_usage(database: Path) -> None:
    ran = atmem("remember", database, "I live in Lisbon.", "--subject", " ", "--json")
    assert (ran.status, ran.error["type"], ran.error["field"]) == (2, "InvalidInput", "subject")


def test_the_environment_may_name_the_subject_and_the_option_wins(database: Path) -> None:
    stored(database, "I live in Lisbon.", subject="ada")
    assert len(atmem("notes", "list", database, "--json", subject="ada").document["notes"]) == 1
    named = atmem("notes", "list", database, "--subject", "eve", "--json", subject="ada")
    assert named.document == {"notes": []}


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_wrong_usage_and_makes_no_file(text: str, database: Path) -> None:
    ran = atmem("remember", database, text, subject="ada")
    assert ran.status == 2
    assert "TEXT: is empty" in ran.err
    assert not database.exists()


def test_an_empty_question_is_wrong_usage(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    assert atmem("decide", database, "", subject="ada").status == 2


def test_a_text_that_is_too_long_is_refused_with_a_code(database: Path) -> None:
    ran = atmem("remember", database, "word " * 1000, "--subject", "ada", "--json")
    assert ran.status == 1
    assert (ran.error["type"], ran.error["code"]) == ("WriteRefused", "text_too_long")


@pytest.mark.parametrize("command", ["remember", "recall", "doctor"])
def test_another_kind_of_file_is_named_as_such(command: str, database: Path) -> None:
    database.write_text("dear diary, " * 1000)
    text = [] if command == "doctor" else ["where?"]
    ran = atmem(command, database, *text, "--subject", "ada", "--json")
    assert ran.status == 1
    if command == "doctor":
        assert ran.document["healthy"] is False
        assert ran.document["checks"][0]["status"] == "fail"
    else:
        assert ran.error["type"] == "NotADatabase"
        assert str(database) in ran.error["message"]
    assert database.read_text().startswith("dear diary")


@pytest.mark.parametrize("command", ["remember", "recall"])
def test_a_folder_is_no_database(command: str, tmp_path: Path) -> None:
    ran = atmem(command, tmp_path, "where?", "--subject", "ada", "--json")
    assert (ran.status, ran.error["type"]) == (1, "NotADatabase")


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    database = tmp_path / "nowhere" / "memory.db"
    ran = atmem("remember", database, "I live in Lisbon.", "--subject", "ada")
    assert ran.status == 1
    assert str(database.parent) in ran.err


def test_a_memory_that_would_be_gone_is_refused() -> None:
    ran = atmem("remember", ":memory:", "I live in Lisbon.", "--subject", "ada")
    assert ran.status == 2
    assert "would be gone when this command ends" in ran.err


@pytest.mark.parametrize("k", ["0", "51", "many"])
def test_a_wrong_k_is_wrong_usage(k: str, database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("search", database, "Lisbon", "--subject", "ada", "-k", k, "--json")
    assert (ran.status, ran.error["exit_status"]) == (2, 2)


@pytest.mark.parametrize("command", ["remember", "decide", "recall", "search", "context"])
def test_an_unknown_kind_is_wrong_usage_and_the_known_ones_are_named(command: str, database: Path) -> None:
    ran = atmem(command, database, "where?", "--subject", "ada", "--kind", "dream")
    assert ran.status == 2
    assert "'dream'" in ran.err
    assert "lesson" in ran.err


def test_a_kind_that_remember_does_not_store_is_refused(database: Path) -> None:
    ran = atmem("remember", database, "x", "--subject", "ada", "--kind", "lesson", "--json")
    assert (ran.status, ran.error["code"]) == (1, "kind_not_stored_here")


def test_a_time_without_a_zone_is_wrong_usage_and_the_right_form_is_shown(database: Path) -> None:
    ran = atmem("decide", database, "where?", "--subject", "ada", "--as-of", "2026-05-01T18:00")
    assert ran.status == 2
    assert "has no time zone; write 2026-05-01T18:00:00Z" in ran.err


def test_no_time_at_all_is_wrong_usage(database: Path) -> None:
    ran = atmem("decide", database, "where?", "--subject", "ada", "--as-of", "yesterday")
    assert ran.status == 2
    assert "'yesterday' is no time" in ran.err


def test_a_deadline_of_nothing_is_wrong_usage(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("decide", database, "where?", "--subject", "ada", "--deadline-ms", "0", "--json")
    assert (ran.status, ran.error["field"]) == (2, "deadline_ms")


def test_an_unknown_id_and_a_foreign_one_answer_alike(database: Path) -> None:
    note = stored(database, "I live in Lisbon.", subject="ada")
    foreign = atmem("notes", "get", database, note, "--subject", "eve", "--json")
    missing = atmem("notes", "get", database, "nothing", "--subject", "eve", "--json")
    assert foreign.status == missing.status == 1
    assert foreign.error["type"] == missing.error["type"] == "NotFound"
    assert foreign.error["message"].replace(note, "ID") == missing.error["message"].replace("nothing", "ID")


def test_an_option_that_is_missing_its_value_is_reported_as_json_too(database: Path) -> None:
    ran = atmem("decide", database, "where?", "--json", "--subject")
    assert (ran.status, ran.error["type"]) == (2, "UsageError")


def test_a_file_that_is_not_utf8_on_standard_input_is_refused(database: Path) -> None:
    ran = atmem("remember", database, "-", "--subject", "ada", stdin=b"abc\xe9")
    assert ran.status == 2
    assert "isn't UTF-8 (byte 3)" in ran.err


def test_an_error_names_the_usage_once_and_says_what_is_wrong_last(database: Path) -> None:
    ran = process("decide", database)
    lines = ran.err.splitlines()
    assert lines[0].startswith("Usage: atmem decide")
    assert lines[-1] == "error: Missing argument 'QUERY'."
