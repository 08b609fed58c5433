"""``atmem facts``: what is stated, what holds, what held, what was found, what was forgotten."""

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.cli.shell import Ran, atmem, stored

ADA = ("--subject", "ada")


def facts(database: Path, command: str, *words: str) -> Ran:
    return atmem("facts", command, database, *words, *ADA)


def told(database: Path, *words: str) -> dict[str, Any]:
    ran = facts(database, "add", *words, "--json")
    assert ran.status == 0, ran.err
    return ran.document


def test_a_move_is_an_update_and_the_past_is_listed(database: Path) -> None:
    old = told(database, "user", "lives in", "Lisbon", "--valid-from", "2020-01-01T00:00:00Z")
    new = told(database, "user", "lives_in", "Porto", "--valid-from", "2024-01-01T00:00:00Z")
    assert (new["action"], new["closed"]) == ("update", [old["id"]])
    listed = facts(database, "list", "--json").document["facts"]
    assert [fact["object"] for fact in listed] == ["Porto"]
    chain = facts(database, "history", old["id"], "--json").document["history"]
    assert [fact["object"] for fact in chain] == ["Lisbon", "Porto"]
    held = facts(database, "as-of", "2022-06-01T00:00:00Z", "--json").document["facts"]
    assert [fact["object"] for fact in held] == ["Lisbon"]
    early = ("2022-06-01T00:00:00Z", "--known-at", "2022-06-01T00:00:00Z")
    assert facts(database, "as-of", *early, "--json").document["facts"] == []
    shown = facts(database, "list", "--all").out
    assert "user lives in Lisbon" in shown
    assert "superseded" in shown


def test_what_was_done_is_said_to_people(database: Path) -> None:
    assert facts(database, "add", "user", "likes", "tea").out.startswith("added: f")
    assert facts(database, "add", "user", "likes", "tea").out.startswith("known: f")
    ran = facts(database, "add", "user", "likes", "coffee", "--supersedes", "f7")
    assert "note: supersedes_unknown" in ran.out


def test_search_ranks_and_finds_by_words(database: Path) -> None:
    told(database, "Brutus", "breed", "Bernese mountain dog")
    told(database, "user", "likes", "opera")
    for options in ((), ("--keyword",)):
        ran = facts(database, "search", "which breed is Brutus?", *options, "--json")
        assert ran.document["hits"][0]["fact"]["entity"] == "Brutus"
    assert "Bernese" in facts(database, "search", "Brutus").out
    assert facts(database, "search", "zebra", "--keyword").out == "no facts\n"


def test_a_value_comes_from_standard_input(database: Path) -> None:
    ran = atmem("facts", "add", database, "user", "likes", "-", *ADA, "--json", stdin=b"green tea\n")
    assert ran.document["fact"]["object"] == "green tea"


def test_forgetting_asks_and_is_said(database: Path) -> None:
    fact = told(database, "user", "likes", "tea")["id"]
    ran = facts(database, "forget", fact)
    assert ran.status == 2
    assert "--yes" in ran.err
    assert facts(database, "forget", fact, "--yes", "--json").document == {"id": fact, "forgotten": True}
    assert facts(database, "forget", fact, "--yes", "--json").document == {"id": fact, "forgotten": False}
    assert facts(database, "list").out == "no facts\n"
    assert "forgotten" in facts(database, "list", "--all").out


def test_a_fact_of_somebody_else_is_not_found(database: Path) -> None:
    fact = told(database, "user", "likes", "tea")["id"]
    for command, *more in (("history",), ("forget", "--yes")):
        ran = atmem("facts", command, database, fact, *more, "--subject", "bob", "--json")
        assert ran.status == 1
        assert "no fact" in ran.error["message"]
    assert atmem("facts", "list", database, "--subject", "bob").out == "no facts\n"


def test_a_fact_answers_a_question_and_a_note_stays_a_note(database: Path) -> None:
    stored(database, "My dentist is Dr. Weber.")
    told(database, "user", "lives in", "Lisbon")
    ran = atmem("recall", database, "where do I live?", *ADA, "--json")
    assert [record["text"] for record in ran.document["records"]] == ["user lives in Lisbon"]
    notes = atmem("notes", "list", database, *ADA, "--json").document["notes"]
    assert [note["text"] for note in notes] == ["My dentist is Dr. Weber."]


def test_an_erased_fact_is_in_no_file_any_more(database: Path) -> None:
    fact = told(database, "Quagmire", "hoards", "zanzibarite")["id"]
    assert b"zanzibarite" in database.read_bytes()
    assert atmem("notes", "erase", database, fact, *ADA, "--yes").status == 0
    left = b"".join(file.read_bytes() for file in database.parent.iterdir())
    assert b"zanzibarit" not in left
    assert b"uagmire" not in left


@pytest.mark.parametrize("verb", ["forget", "erase"])
@pytest.mark.parametrize("selector", [("--everything",), ("--session", "s1")])
def test_a_selector_takes_facts_as_well(database: Path, verb: str, selector: tuple[str, ...]) -> None:
    fact = told(database, "user", "likes", "tea", "--session", "s1")["id"]
    ran = atmem("notes", verb, database, *selector, *ADA, "--yes", "--json")
    assert ran.document["ids"] == [fact]
    assert facts(database, "list").out == "no facts\n"
    assert (fact in facts(database, "list", "--all").out) is (verb == "forget")


@pytest.mark.parametrize("command", ["list", "search", "history", "forget", "as-of"])
def test_reading_makes_no_file(database: Path, command: str) -> None:
    words = {"list": (), "as-of": ("2022-06-01T00:00:00Z",), "forget": ("f7", "--yes")}.get(command, ("f7",))
    ran = facts(database, command, *words)
    assert ran.status == 1
    assert "no database" in ran.err
    assert not database.exists()
