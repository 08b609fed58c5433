"""The doctor: what is well, what isn't, and the exit status."""

from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem, stored


def checks(database: Path) -> dict[str, dict[str, str]]:
    document = atmem("doctor", database, "--json").document
    return {check["name"]: check for check in document["checks"]}


def test_a_sound_file_is_healthy(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    ran = atmem("doctor", database, "--json")
    assert (ran.status, ran.document["healthy"], ran.err) == (0, True, "")
    assert ran.document["database"] == str(database)
    assert ran.document["stats"]["notes"] == 1
    assert {check["status"] for check in ran.document["checks"]} <= {"ok", "warn"}


def test_storing_judging_and_injecting_are_tried_out(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    assert checks(database)["round trip"]["status"] == "ok"


def test_the_model_is_named(database: Path) -> None:
    stored(database, "I live in Lisbon.")
    assert checks(database)["embedder"]["detail"]


def test_a_subject_narrows_the_counts(database: Path) -> None:
    stored(database, "I live in Lisbon.", subject="ada")
    stored(database, "I live in Porto.", subject="eve")
    ran = atmem("doctor", database, "--subject", "ada", "--json")
    assert (ran.document["subject"], ran.document["stats"]["notes"]) == ("ada", 1)
    shown = atmem("doctor", database, "--subject", "ada").out
    assert "Records of ada:" in shown


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_broken_file_is_reported_and_the_status_says_so(json: list[str], database: Path) -> None:
    database.write_text("dear diary, " * 1000)
    ran = atmem("doctor", database, *json)
    assert (ran.status, ran.err) == (1, "")
    assert "fail" in ran.out


def test_the_doctor_shows_no_content(database: Path) -> None:
    stored(database, "My passphrase is xylophone-quartz.")
    assert "xylophone" not in atmem("doctor", database, "--subject", "ada").out
