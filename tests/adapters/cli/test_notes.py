"""Looking at notes by id, and putting a new one in the place of an old one."""

from pathlib import Path

from tests.adapters.cli.shell import atmem, stored


def test_notes_are_listed_newest_first_and_paged(database: Path) -> None:
    ids = [stored(database, f"Statement number {number}.") for number in range(3)]
    listed = atmem("notes", "list", database, "--subject", "ada", "--json").document["notes"]
    assert [note["id"] for note in listed] == ids[::-1]
    page = atmem(*("notes", "list", database, "--subject", "ada", "--json", "--limit", "1", "--offset", "1"))
    assert [note["id"] for note in page.document["notes"]] == [ids[1]]


def test_an_empty_list_says_so(database: Path) -> None:
    stored(database, "I live in Lisbon.", subject="eve")
    assert atmem("notes", "list", database, "--subject", "ada").out == "no notes\n"


def test_a_limit_of_nothing_is_wrong_usage(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("notes", "list", database, "--subject", "ada", "--limit", "0", "--json")
    assert (ran.status, ran.error["field"]) == (2, "limit")


def test_an_id_is_never_cut_however_narrow_the_terminal(database: Path) -> None:
    note = stored(database, "I live in Lisbon, near the river, on the third floor of a tall house.")
    ran = atmem("notes", "list", database, "--subject", "ada", "--all")
    assert ran.out.splitlines()[1].split()[0] == note
    assert ran.out.splitlines()[1].split()[-1] == "current"


def test_a_note_is_shown_with_its_whole_text(database: Path) -> None:
    text = "First line.\n\nLast line."
    note = stored(database, text, "--project", "home", "--tag", "a", "--tag", "b")
    lines = atmem("notes", "get", database, note, "--subject", "ada").out.splitlines()
    shown = dict(line.split(None, 1) for line in lines[: lines.index("")])
    assert shown["id"].strip() == note
    assert shown["state"].strip() == "current"
    assert shown["project"].strip() == "home"
    assert shown["tags"].strip() == "a, b"
    assert [line.rstrip() for line in lines[lines.index("") + 1 :]] == text.split("\n")


def test_a_superseded_note_is_kept_and_the_chain_reads_oldest_first(database: Path) -> None:
    old = stored(database, "I live in Lisbon.")
    ran = atmem("notes", "supersede", database, old, "I live in Porto.", "--subject", "ada")
    new = ran.out.split()[1]
    chain = atmem("notes", "versions", database, new, "--subject", "ada", "--json").document
    assert [note["id"] for note in chain["versions"]] == [old, new]
    assert chain["versions"][0]["superseded_by"] == new
    listed = atmem("notes", "list", database, "--subject", "ada", "--json").document["notes"]
    assert [note["id"] for note in listed] == [new]
    everything = atmem("notes", "list", database, "--subject", "ada", "--all").out
    (line,) = [line for line in everything.splitlines() if line.startswith(old)]
    assert line.split()[-1] == "superseded"


def test_a_note_is_superseded_once(database: Path) -> None:
    old = stored(database, "I live in Lisbon.")
    assert atmem("notes", "supersede", database, old, "In Porto.", "--subject", "ada").status == 0
    again = atmem("notes", "supersede", database, old, "In Faro.", "--subject", "ada", "--json")
    assert (again.status, again.error["type"]) == (1, "NotFound")
