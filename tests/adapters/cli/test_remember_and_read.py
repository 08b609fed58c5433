"""Storing, judging, recalling, searching: the four things a person does first."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem, environment, process, stored

STATEMENT = "Brutus is my Bernese mountain dog."
QUESTION = "What breed is my dog Brutus?"


def test_a_text_is_stored_and_its_id_printed(database: Path) -> None:
    ran = atmem("remember", database, STATEMENT, "--subject", "ada")
    note = atmem("notes", "list", database, "--subject", "ada", "--json").document["notes"][0]
    assert ran.out.splitlines()[0] == f"stored {note['id']}"
    assert note["text"] == STATEMENT


def test_the_same_text_again_gives_the_stored_note(database: Path) -> None:
    note = stored(database, STATEMENT)
    ran = atmem("remember", database, STATEMENT, "--subject", "ada")
    assert ran.out.splitlines()[0] == f"already stored: {note}"


def test_every_option_of_a_write_reaches_the_note(database: Path) -> None:
    options = {
        "project": "p",
        "session": "s",
        "agent": "a",
        "speaker": "Anna",
        "source": "web",
        "trust": "0.3",
        "occurred-at": "2026-05-01T20:00:00+02:00",
        "valid-from": "2026-05-01T00:00:00Z",
        "valid-to": "2026-06-01T00:00:00Z",
        "idempotency-key": "k1",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    note = stored(database, STATEMENT, *words, "--tag", "dog", "--tag", "pet")
    record = atmem("notes", "get", database, note, "--subject", "ada", "--json").document
    assert record["scope"] == {"subject": "ada", "project": "p", "session": "s", "agent": "a"}
    assert (record["speaker"], record["source"], record["trust"]) == ("Anna", "web", 0.3)
    assert record["tags"] == ["dog", "pet"]
    assert record["occurred_at"] == "2026-05-01T18:00:00+00:00"
    assert record["valid_from"] == "2026-05-01T00:00:00+00:00"
    assert record["valid_to"] == "2026-06-01T00:00:00+00:00"


def test_an_idempotency_key_stores_once(database: Path) -> None:
    first = stored(database, STATEMENT, "--idempotency-key", "k")
    words = ("remember", database, "Something else.", "--subject", "ada", "--json")
    ran = atmem(*words, "--idempotency-key", "k")
    assert first
    assert (ran.status, ran.error["code"]) == (1, "idempotency_conflict")


def test_standard_input_is_the_text_without_its_last_line_end(database: Path) -> None:
    text = "Zwei Zeilen,\nauch mit Umlaut: schön."
    ran = atmem("remember", database, "-", "--subject", "ada", "--json", stdin=f"{text}\n".encode())
    assert ran.document["record"]["text"] == text


def test_standard_input_is_the_question(database: Path) -> None:
    note = stored(database, STATEMENT)
    ran = atmem("recall", database, "-", "--subject", "ada", "--json", stdin=QUESTION.encode())
    assert [record["id"] for record in ran.document["records"]] == [note]


def test_a_text_that_begins_with_a_dash_goes_after_two_dashes(database: Path) -> None:
    ran = atmem("remember", database, "--subject", "ada", "--json", "--", "-5 degrees outside.")
    assert ran.document["record"]["text"] == "-5 degrees outside."


def test_a_decision_is_printed_as_it_is_and_holds_no_text(database: Path) -> None:
    note = stored(database, STATEMENT)
    for explain in ([], ["--explain"]):
        ran = atmem("decide", database, QUESTION, "--subject", "ada", "--json", *explain)
        assert ran.document["format"] == "atmem-retrieval-decision-v1"
        assert ran.document["ranked_record_ids"] == [note]
        assert "Bernese" not in ran.out
        assert "breed" not in ran.out


def test_a_decision_in_words_names_the_class_the_record_and_the_reason(database: Path) -> None:
    note = stored(database, STATEMENT)
    ran = atmem("decide", database, QUESTION, "--subject", "ada")
    lines = ran.out.splitlines()
    assert lines[0] == "direct support: 1 record may be injected"
    assert lines[1].strip().startswith(f"{note}  relevance 0.")
    assert "(direct_threshold)" in ran.out
    assert "Bernese" not in ran.out


def test_no_useful_memory_is_an_answer_and_no_failure(database: Path) -> None:
    stored(database, STATEMENT)
    ran = atmem("recall", database, "What is the password of the wifi?", "--subject", "ada")
    assert ran.status == 0
    assert ran.out.startswith("no useful memory: nothing is injected\n")


def test_recall_shows_the_records_that_were_released(database: Path) -> None:
    note = stored(database, STATEMENT)
    stored(database, "The dentist is on Mill Street.")
    ran = atmem("recall", database, QUESTION, "--subject", "ada")
    (row,) = [line for line in ran.out.splitlines() if "Bernese" in line]
    assert row.startswith(note)
    assert "Mill Street" not in ran.out


def test_a_part_of_the_scope_narrows_every_read(database: Path) -> None:
    stored(database, STATEMENT, "--project", "home", "--session", "s1", "--tag", "dog")
    narrow: dict[str, list[str]] = {
        "other": ["--project", "work"],
        "session": ["--session", "s2"],
        "agent": ["--agent", "a"],
        "tag": ["--tag", "cat"],
        "kind": ["--kind", "lesson"],
        "before": ["--as-of", "2001-01-01T00:00:00Z"],
    }
    for options in narrow.values():
        ran = atmem("recall", database, QUESTION, "--subject", "ada", "--json", *options)
        assert ran.document["records"] == [], options
    fitting = ["--project", "home", "--session", "s1", "--tag", "dog", "--kind", "note"]
    ran = atmem("recall", database, QUESTION, "--subject", "ada", "--json", *fitting)
    assert len(ran.document["records"]) == 1


@pytest.mark.parametrize("keyword", [[], ["--keyword"]])
def test_a_search_ranks_and_says_that_it_is_no_permission(keyword: list[str], database: Path) -> None:
    note = stored(database, STATEMENT)
    ran = atmem("search", database, "Bernese", "--subject", "ada", "--json", *keyword)
    assert ran.document["injection_authority"] is False
    assert [hit["record_id"] for hit in ran.document["hits"]] == [note]
    assert ran.document["hits"][0]["record"]["text"] == STATEMENT
    shown = atmem("search", database, "Bernese", "--subject", "ada", *keyword).out
    assert "`atmem decide` says what may be injected" in shown
    assert note in shown


def test_k_cuts_a_search(database: Path) -> None:
    for number in range(3):
        stored(database, f"Bernese dog number {number}.")
    ran = atmem("search", database, "Bernese", "--subject", "ada", "-k", "2", "--json")
    assert len(ran.document["hits"]) == 2


def test_a_context_is_the_block_and_nothing_else_on_standard_output(database: Path) -> None:
    stored(database, STATEMENT)
    block = atmem("context", database, QUESTION, "--subject", "ada", "--json").document
    ran = atmem("context", database, QUESTION, "--subject", "ada")
    assert STATEMENT in block["text"]
    assert ran.out == f"{block['text']}\n"
    assert ran.err.split()[:4] == ["channel", "records", "tokens", "at"], "its sizes, elsewhere"


def test_an_empty_context_prints_nothing_and_says_why_on_standard_error(database: Path) -> None:
    stored(database, STATEMENT)
    ran = atmem("context", database, "thank you!", "--subject", "ada")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.startswith("no useful memory: nothing is injected\n")


def test_a_read_leaves_every_byte_of_the_file(database: Path) -> None:
    stored(database, STATEMENT)
    before = database.read_bytes()
    for command in ("decide", "recall", "search", "context"):
        atmem(command, database, QUESTION, "--subject", "ada")
    atmem("notes", "list", database, "--subject", "ada")
    assert database.read_bytes() == before


def test_a_stored_escape_sequence_is_shown_and_not_obeyed(database: Path) -> None:
    note = stored(database, "The code is \x1b[31mred\x1b[0m [bold]and[/bold] \u202eback.")
    for verb, *identifier in (["get", note], ["list"], ["versions", note]):
        ran = atmem("notes", verb, database, *identifier, "--subject", "ada")
        assert "\\x1b[31mred" in ran.out
        assert "[bold]and[/bold]" in ran.out
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out


def test_processes_share_the_file_and_speak_utf8(database: Path) -> None:
    ran = process("remember", database, "私の犬は柴犬です。", "--subject", "ada", "--json")
    assert ran.document["record"]["text"] == "私の犬は柴犬です。"
    again = process("notes", "list", database, "--subject", "ada")
    assert "私の犬は柴犬です。" in again.out


def test_a_stream_that_is_not_utf8_gets_json_in_ascii(database: Path) -> None:
    stored(database, "Ich wohne in Köln.")
    ran = process(
        *("notes", "list", database, "--subject", "ada", "--json"),
        env={"PYTHONIOENCODING": "latin-1"},
    )
    assert ran.out.isascii()
    assert json.loads(ran.out)["notes"][0]["text"] == "Ich wohne in Köln."


def test_a_reader_that_leaves_early_ends_the_command_quietly(database: Path) -> None:
    for number in range(60):
        stored(database, f"Entry {number}. " + "many words " * 300)
    listing = [sys.executable, "-m", "atmem_cli", "notes", "list", str(database), "--json"]
    with subprocess.Popen(
        [*listing, "--subject", "ada"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 1
