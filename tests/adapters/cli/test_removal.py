"""Forget and erase: one selector, a preview, a yes."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from atmem_core import Memory
from tests.adapters.cli.shell import atmem, environment, stored

SELECTORS = {
    "id": ["ID"],
    "session": ["--session", "s1"],
    "project": ["--project", "p1"],
    "older-than": ["--older-than", "2020-01-01T00:00:00Z"],
}


def on_a_terminal(answer: str, *words: str | Path) -> tuple[int, str, str]:
    """Status, standard output, and what was shown where the person typed."""
    here, there = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "atmem_cli", *map(str, words)],
        stdin=there,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as running:
        os.write(here, f"{answer}\n".encode())
        out, err = running.communicate(timeout=60)
    os.close(here)
    os.close(there)
    return running.returncode, out.decode(), err.decode()


def ids(database: Path, *options: str) -> set[str]:
    ran = atmem("notes", "list", database, "--subject", "ada", "--json", *options)
    return {note["id"] for note in ran.document["notes"]}


@pytest.mark.parametrize("verb", ["forget", "erase"])
@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_a_selector_takes_its_notes_and_no_others(verb: str, selector: list[str], database: Path) -> None:
    meant = stored(
        *(database, "I live in Lisbon.", "--session", "s1", "--project", "p1"),
        *("--occurred-at", "2019-12-31T23:59:59Z"),
    )
    other = stored(database, "I work in Porto.", "--session", "s2", "--project", "p2")
    foreign = stored(
        *(database, "I live in Lisbon.", "--session", "s1", "--project", "p1"),
        *("--occurred-at", "2019-12-31T23:59:59Z"),
        subject="eve",
    )
    words = [meant if word == "ID" else word for word in selector]
    ran = atmem("notes", verb, database, *words, "--subject", "ada", "--yes", "--json")
    assert ran.document["ids"] == [meant]
    assert ids(database) == {other}
    assert ids(database, "--all") == ({other} if verb == "erase" else {meant, other})
    assert atmem("notes", "get", database, foreign, "--subject", "eve").status == 0


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_everything_has_to_be_said(verb: str, database: Path) -> None:
    notes = {stored(database, "I live in Lisbon."), stored(database, "I work in Porto.")}
    ran = atmem("notes", verb, database, "--everything", "--subject", "ada", "--yes", "--json")
    assert set(ran.document["ids"]) == notes


@pytest.mark.parametrize("verb", ["forget", "erase"])
@pytest.mark.parametrize("selectors", [[], ["n1", "--everything"], ["--session", "s", "--project", "p"]])
def test_none_or_two_selectors_are_wrong_usage(verb: str, selectors: list[str], database: Path) -> None:
    note = stored(database, "I live in Lisbon.")
    ran = atmem("notes", verb, database, *selectors, "--subject", "ada", "--yes")
    assert ran.status == 2
    assert "give exactly one of ID, --session, --project, --older-than and --everything" in ran.err
    assert ids(database) == {note}


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_without_a_terminal_and_a_yes_nothing_is_done(verb: str, database: Path) -> None:
    note = stored(database, "I live in Lisbon.")
    ran = atmem("notes", verb, database, note, "--subject", "ada", "--json", stdin=b"y\n")
    assert (ran.status, ran.error["type"]) == (2, "UsageError")
    assert "add --yes" in ran.error["message"]
    assert ids(database) == {note}


def test_on_a_terminal_what_is_meant_is_shown_first_and_done_after_a_yes(database: Path) -> None:
    notes = [stored(database, f"Statement number {number}.") for number in range(7)]
    status, out, shown = on_a_terminal("y", "notes", "erase", database, "--everything", "--subject", "ada")
    assert (status, out) == (0, "erased: 7 notes\n")
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines[:5]] == notes[:-6:-1]
    assert lines[0].endswith("current  Statement number 6.")
    assert lines[5] == "and 2 more"
    assert lines[6].startswith("Erase 7 notes of ada? [y/N]:")
    assert ids(database, "--all") == set()


@pytest.mark.parametrize("answer", ["n", "", "maybe"])
def test_any_other_answer_changes_nothing(answer: str, database: Path) -> None:
    note = stored(database, "I live in Lisbon.")
    status, out, shown = on_a_terminal(answer, "notes", "forget", database, note, "--subject", "ada")
    assert (status, out) == (1, "")
    assert "Forget 1 note of ada?" in shown
    assert "not confirmed; nothing was changed" in shown
    assert ids(database) == {note}


def test_a_question_leaves_standard_output_to_the_json(database: Path) -> None:
    note = stored(database, "I live in Lisbon.")
    status, out, shown = on_a_terminal("y", "notes", "forget", database, note, "--subject", "ada", "--json")
    assert (status, out.split()) == (0, ["{", '"ids":', "[", f'"{note}"', "]", "}"])
    assert "Forget 1 note of ada?" in shown


def test_a_selector_that_nothing_matches_is_done_without_a_question(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    status, out, shown = on_a_terminal("n", "notes", "erase", database, "--session", "s9", "--subject", "ada")
    assert (status, out, shown) == (0, "erased: 0 notes\n", "")


def test_a_note_told_at_the_very_instant_is_not_older(database: Path) -> None:
    stored(database, "At midnight.", "--occurred-at", "2020-01-01T00:00:00Z")
    older = stored(database, "Just before.", "--occurred-at", "2019-12-31T23:59:59Z")
    words = ("notes", "forget", database, "--older-than", "2020-01-01T00:00:00Z", "--subject", "ada")
    status, _, shown = on_a_terminal("y", *words)
    assert status == 0
    assert [line.split()[0] for line in shown.splitlines()[:-1]] == [older]


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_an_unknown_id_and_a_foreign_one_are_not_found(verb: str, database: Path) -> None:
    foreign = stored(database, "I live in Lisbon.", subject="eve")
    for note in ("n1", foreign):
        ran = atmem("notes", verb, database, note, "--subject", "ada", "--yes", "--json")
        assert (ran.status, ran.error["type"]) == (1, "NotFound")
    assert atmem("notes", "get", database, foreign, "--subject", "eve").status == 0


def test_an_erased_text_is_in_no_file_any_more(database: Path) -> None:
    note = stored(database, "My passphrase is xylophone-quartz.")
    atmem("notes", "erase", database, note, "--subject", "ada", "--yes")
    for path in database.parent.iterdir():
        assert b"xylophone" not in path.read_bytes()


@pytest.mark.parametrize(("answer", "left"), [("n", 2), ("y", 0)])
def test_a_session_that_holds_turns_alone_is_asked_about_too(database: Path, answer: str, left: int) -> None:
    with Memory.open(database, embedder=None) as memory:
        memory.sessions.finish("It rained all day.", "Indeed.", subject="ada", session="s")
        assert memory.sessions.drain()
    status, out, shown = on_a_terminal(
        answer, "notes", "erase", database, "--session", "s", "--subject", "ada"
    )
    assert "Erase 0 notes of ada, and 2 turns that were said?" in shown
    assert status == (0 if answer == "y" else 1)
    assert out == ("erased: 0 notes, 2 of the turns that were said\n" if answer == "y" else "")
    with Memory.open(database, embedder=None) as memory:
        assert memory.stats("ada").turns == left
