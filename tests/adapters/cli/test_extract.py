"""``atmem facts extract``: out of a text, out of turns that wait, by rules or by a model."""

import json
from pathlib import Path

import pytest

from atmem_core import Memory
from atmem_core.testing.chat import ScriptedChatModel
from tests.adapters.cli.shell import Ran, atmem
from tests.chat.server import Answer, called, standing_in

ADA = ("--subject", "ada")
PORTO = {"op": "ADD", "subject": "user", "predicate": "lives in", "object": "Porto"}


def extract(database: Path, *words: str, stdin: bytes = b"") -> Ran:
    return atmem("facts", "extract", database, *words, *ADA, stdin=stdin)


def waiting(database: Path, *texts: str) -> None:
    """Turns that no model has read yet."""
    with Memory.open(database, embedder=None) as memory:
        memory.sessions.extract_with(ScriptedChatModel())
        for text in texts:
            memory.sessions.finish(text, subject="ada", session="s")
        assert memory.sessions.drain()


def test_a_text_gives_its_facts_by_rules(database: Path) -> None:
    ran = extract(database, "I moved to Porto and I like tea.", "--json")
    assert ran.status == 0, ran.err
    assert ran.document["extractor"] == "rules (no model)"
    assert sorted(one["object"] for one in ran.document["facts"]) == ["Porto", "tea"]
    listed = atmem("facts", "list", database, *ADA, "--json").document["facts"]
    assert {one["source_id"] for one in listed} == {ran.document["turn"]["id"]}


def test_a_text_without_facts_says_so(database: Path) -> None:
    assert extract(database, "Where do I live?").out == "rules (no model): no facts\n"


def test_a_text_comes_from_standard_input(database: Path) -> None:
    assert "user likes tea" in extract(database, "-", stdin=b"I like tea.\n").out


def test_turns_that_wait_are_read(database: Path) -> None:
    waiting(database, "I like tea.", "I like milk.")
    ran = extract(database, "--pending")
    assert ran.out == "rules (no model): 2 turns read, 2 facts, 0 turns wait\n"
    assert extract(database, "--pending", "--json").document["run"] == {
        "done": 0,
        "facts": 0,
        "failed": 0,
        "waiting": 0,
        "failure": "",
    }


def test_a_pass_reads_as_many_as_it_may(database: Path) -> None:
    waiting(database, "I like tea.", "I like milk.")
    assert "1 turns read, 1 facts, 1 turns wait" in extract(database, "--pending", "--limit", "1").out


def test_a_model_reads_when_one_is_named(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sesame")
    with standing_in(called(json.dumps({"ops": [PORTO]}))) as stand_in:
        server = ("--model", "tiny", "--base-url", stand_in.url, "--key-env", "SOME_KEY")
        ran = extract(database, "I have settled in Porto for good.", *server)
    assert "user lives in Porto" in ran.out
    assert stand_in.keys == ["Bearer sesame"]


def test_a_model_that_refuses_is_a_failure_and_the_turn_waits(database: Path) -> None:
    with standing_in(Answer(status=400)) as stand_in:
        ran = extract(database, "I like tea.", "--model", "tiny", "--base-url", stand_in.url)
    assert (ran.status, "status_400" in ran.out) == (1, True)
    assert "1 turns read, 1 facts" in extract(database, "--pending").out


@pytest.mark.parametrize("words", [(), ("I like tea.", "--pending")])
def test_a_text_or_the_waiting_turns_and_not_both(database: Path, words: tuple[str, ...]) -> None:
    ran = extract(database, *words)
    assert ran.status == 2
    assert "one of them" in ran.err


def test_reading_what_waits_makes_no_file(database: Path) -> None:
    assert extract(database, "--pending").status == 1
    assert not database.exists()
