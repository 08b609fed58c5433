"""``atmem profile``, ``lessons``, ``procedures``, ``links``, and what a context of them looks like."""

import json
from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem

ADA = ("--subject", "ada")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


def made(database: Path, *words: str) -> str:
    ran = atmem(words[0], words[1], database, *words[2:], *ADA, "--json")
    assert ran.status == 0, ran.err
    return str(json.loads(ran.out)["id"])


def noted(database: Path, text: str) -> str:
    ran = atmem("remember", database, text, *ADA, "--json")
    return str(json.loads(ran.out)["id"])


def test_a_profile_is_set_shown_voted_on_and_removed(database: Path) -> None:
    made(database, "profile", "set", "diet", "no nuts")
    made(database, "profile", "set", "diet", "no nuts, no milk")
    made(database, "profile", "set", "wine", "red", "--unpinned", "--keyword", "dinner")
    assert atmem("profile", "get", database, "diet", *ADA).out == "no nuts, no milk\n"
    assert "superseded" in atmem("profile", "history", database, "diet", *ADA).out
    assert "wine" not in atmem("profile", "recall", database, "hello", *ADA).out
    assert "wine" in atmem("profile", "recall", database, "what for dinner?", *ADA).out
    assert "votes: -1" in atmem("profile", "vote", database, *ADA, "--", "wine", "-1").out
    assert atmem("profile", "remove", database, "wine", *ADA).status == 2, "nobody could be asked"
    assert atmem("profile", "remove", database, "wine", "--yes", *ADA).status == 0
    assert "wine" not in atmem("profile", "list", database, *ADA).out


def test_lessons_and_procedures_are_added_recalled_and_deprecated(database: Path) -> None:
    lesson = made(database, "lessons", "add", "walking the dog", "Carry water.", "--tag", "dog")
    steps = made(database, "procedures", "add", "walking the dog", "One.", "Two.", "--lesson", lesson)
    assert "Carry water." in atmem("lessons", "get", database, lesson, *ADA).out
    assert "2. Two." in atmem("procedures", "get", database, steps, *ADA).out
    assert lesson in atmem("lessons", "recall", database, "the dog", *ADA).out
    assert atmem("procedures", "recall", database, "bread", *ADA).out == "no procedures\n"
    assert "votes: 1" in atmem("lessons", "vote", database, lesson, "1", *ADA).out
    assert steps in atmem("lessons", "deprecate", database, lesson, *ADA).out
    assert atmem("procedures", "list", database, *ADA).out == "no procedures\n"
    assert steps in atmem("procedures", "list", database, "--all", *ADA).out


def test_links_are_added_walked_and_removed(database: Path) -> None:
    dog, vet = (
        noted(database, "Brutus is my Bernese mountain dog."),
        noted(database, "Dr Bell is in Elm Road."),
    )
    assert atmem("links", "add", database, dog, vet, "--kind", "references", *ADA).status == 0
    assert "references" in atmem("links", "list", database, "--note", vet, *ADA).out
    assert "Dr Bell" in atmem("links", "expand", database, dog, *ADA).out
    shown = atmem("context", database, "what breed is my dog Brutus?", *ADA)
    assert f"linked: references {dog}]" in shown.out
    assert "recalled" in shown.err
    assert atmem("links", "remove", database, dog, vet, *ADA).out == "removed: 1\n"
    assert atmem("links", "add", database, dog, dog, *ADA).status == 2


def test_a_context_shows_the_size_of_each_channel_and_the_index_when_asked(database: Path) -> None:
    noted(database, "I drink green tea.")
    made(database, "profile", "set", "name", "Ada")
    plain = atmem("context", database, "what is on tonight?", *ADA)
    assert "green tea" not in plain.out
    assert "name: Ada" in plain.out
    index = atmem("context", database, "what is on tonight?", "--channel", "memory-index", *ADA)
    assert "green tea" in index.out
    assert "memory-index" in index.err
    told = json.loads(atmem("context", database, "what is on tonight?", "--json", *ADA).out)
    assert told["receipt"]["lines"][0]["channel"] == "profile"


def test_records_beside_notes_are_forgotten_and_erased_by_id(database: Path) -> None:
    fact = made(database, "profile", "set", "secret", "marzipan")
    lesson = made(database, "lessons", "add", "baking", "Use marzipan.")
    assert "forgotten" in atmem("notes", "forget", database, fact, "--yes", *ADA).out
    assert atmem("notes", "erase", database, lesson, *ADA).status == 2, "nobody could be asked"
    assert atmem("notes", "erase", database, lesson, "--yes", *ADA).status == 0
    assert atmem("notes", "erase", database, fact, "--yes", *ADA).status == 0
    assert b"marzipan" not in b"".join(one.read_bytes() for one in database.parent.iterdir())
    assert atmem("notes", "erase", database, "lmade", "--yes", *ADA).status == 1


def test_what_a_removed_value_held_is_in_no_file(database: Path) -> None:
    made(database, "profile", "set", "secret", "marzipan")
    atmem("profile", "remove", database, "secret", "--yes", *ADA)
    assert b"marzipan" not in b"".join(one.read_bytes() for one in database.parent.iterdir())


def test_consolidation_without_a_server_says_so(database: Path) -> None:
    ids = [noted(database, f"walk {number}") for number in range(3)]
    for one in ids[1:]:
        atmem("links", "add", database, ids[0], one, *ADA)
    ran = atmem(
        "lessons", "consolidate", database, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", *ADA
    )
    assert ran.status == 0
    assert "0 clusters, 0 left" in ran.out, "untouched for a day, they aren't"
