"""The file as a whole: verify, repair, backup."""

from pathlib import Path

import apsw

from tests.adapters.cli.shell import atmem, stored


def test_a_sound_file_has_no_findings(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("verify", database, "--json")
    assert (ran.status, ran.document) == (0, {"findings": []})
    assert atmem("verify", database).out == "nothing is wrong\n"


def test_a_file_with_a_finding_fails_until_it_is_repaired(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    connection = apsw.Connection(str(database))
    connection.execute("UPDATE subjects SET documents = 7")
    connection.close()
    ran = atmem("verify", database, "--json")
    assert (ran.status, ran.err) == (1, "")
    assert len(ran.document["findings"]) == 1
    assert f"`atmem repair {database}`" in atmem("verify", database).err
    assert atmem("repair", database).status == 0
    assert atmem("verify", database).status == 0


def test_repair_says_what_was_done(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("repair", database, "--json")
    assert ran.status == 0
    assert set(ran.document) == {"done"}
    assert atmem("verify", database).status == 0


def test_a_backup_holds_the_same_notes(database: Path, tmp_path: Path) -> None:
    note = stored(database, "I live in Lisbon.")
    copy = tmp_path / "copy.db"
    ran = atmem("backup", database, copy, "--json")
    assert ran.document == {"path": str(copy), "bytes": copy.stat().st_size}
    assert atmem("notes", "get", copy, note, "--subject", "ada").status == 0


def test_a_backup_overwrites_nothing(database: Path, tmp_path: Path) -> None:
    stored(database, "I live in Lisbon.")
    copy = tmp_path / "copy.db"
    copy.write_text("precious")
    ran = atmem("backup", database, copy, "--json")
    assert ran.status == 1
    assert str(copy) in ran.error["message"]
    assert copy.read_text() == "precious"
