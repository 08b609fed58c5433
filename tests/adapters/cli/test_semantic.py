"""``atmem semantic`` and ``atmem memory reindex``, as a person and as a program use them."""

import shutil
import sys
from pathlib import Path

import pytest

from atmem_core.embedding import BUNDLED
from tests.adapters.cli.shell import atmem, stored

DIAGNOSTIC = ("--provider", "hashing")
LOCAL = ("--provider", "local", "--model", BUNDLED.name)
ADA = ("--subject", "ada")


@pytest.fixture
def filled(database: Path) -> Path:
    stored(database, "Brutus is my dog.")
    stored(database, "I live in Lisbon.")
    return database


@pytest.fixture(scope="module")
def set_up_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gate of a real model takes two seconds."""
    database = tmp_path_factory.mktemp("semantic") / "memory.db"
    stored(database, "Brutus is my dog.")
    stored(database, "I live in Lisbon.")
    assert atmem("semantic", "setup", database, *ADA, *LOCAL).status == 0
    return database


@pytest.fixture
def set_up(set_up_once: Path, database: Path) -> Path:
    shutil.copyfile(set_up_once, database)
    return database


def test_status_names_health_and_the_next_action(filled: Path) -> None:
    found = atmem("semantic", "status", filled, *ADA, "--json").document
    assert (found["health"], found["epoch"], found["epochs"]) == ("no_profile", None, [])
    assert "atmem semantic setup" in found["next_action"]
    assert found["coverage"] == {"records": 2, "vectors": 2}
    shown = atmem("semantic", "status", filled, *ADA)
    assert (shown.status, "no_profile" in shown.out) == (0, True)


def test_setup_without_a_provider_lists_recommends_and_changes_nothing(filled: Path) -> None:
    before = atmem("semantic", "status", filled, *ADA, "--json").document
    found = atmem("semantic", "setup", filled, *ADA, "--json").document
    assert (found["changed"], found["recommended"]) == (False, BUNDLED.name)
    offered = {one["name"]: one for one in found["models"]}
    assert offered[BUNDLED.name]["installed"] is True
    assert (offered[BUNDLED.name]["licence"], offered[BUNDLED.name]["size_bytes"]) == (
        BUNDLED.licence,
        BUNDLED.size_bytes,
    )
    shown = atmem("semantic", "setup", filled, *ADA)
    assert f"--provider local --model {BUNDLED.name}" in shown.out
    assert atmem("semantic", "status", filled, *ADA, "--json").document == before


def test_a_setup_is_served_and_shown_in_every_decision(set_up: Path) -> None:
    found = atmem("semantic", "status", set_up, *ADA, "--json").document
    assert (found["health"], found["next_action"]) == ("healthy", "")
    assert [one["subject"] for one in found["epochs"]] == ["ada", "ada"]
    decision = atmem("decide", set_up, "where do I live?", *ADA, "--json").document
    assert decision["semantic"] == {
        "identity": found["digest"],
        "epoch": found["epoch"],
        "health": "healthy",
    }
    assert "active" in atmem("semantic", "status", set_up, *ADA).out


def test_verify_says_what_the_gate_found(set_up: Path) -> None:
    found = atmem("semantic", "verify", set_up, *ADA, "--json")
    assert (found.status, found.document["passed"], found.document["reasons"]) == (0, True, [])
    assert found.document["gate"]["mrr_at_5"] == 1.0


def test_a_refusal_ends_with_status_1_and_its_code(filled: Path) -> None:
    refused = atmem("semantic", "setup", filled, *ADA, *DIAGNOSTIC, "--json")
    assert (refused.status, refused.error["code"]) == (1, "diagnostic")
    refused = atmem("semantic", "rollback", filled, *ADA, "--json")
    assert (refused.status, refused.error["code"]) == (1, "no_earlier_epoch")
    refused = atmem("semantic", "setup", filled, *ADA, *LOCAL, "--dimensions", "7", "--json")
    assert (refused.status, refused.error["code"]) == (1, "wrong_dimensions")


def test_an_unknown_provider_and_no_owner_are_wrong_usage(filled: Path) -> None:
    assert atmem("semantic", "setup", filled, *ADA, "--provider", "nobody", "--json").status == 2
    assert atmem("semantic", "status", filled, "--json").status == 2


@pytest.mark.parametrize("verb", ["status", "setup", "verify", "rebuild", "rollback"])
def test_looking_makes_no_file(database: Path, verb: str) -> None:
    assert atmem("semantic", verb, database, *ADA, "--json").error["type"] == "NoDatabase"
    assert not database.exists()


def test_the_hosts_own_test_is_asked_before_the_switch(filled: Path, tmp_path: Path) -> None:
    script = tmp_path / "test.py"
    seen = tmp_path / "seen"
    script.write_text(
        "import os, pathlib, sys\n"
        f"pathlib.Path({str(seen)!r}).write_text(os.environ['ATMEM_SUBJECT'] + os.environ['ATMEM_DB'])\n"
        "print('on standard error'); sys.exit(int(sys.argv[1]))\n"
    )
    command = (*LOCAL, "--json", "--host-test")
    refused = atmem("semantic", "setup", filled, *ADA, *command, f"{sys.executable} {script} 4")
    assert (refused.status, "host_test_failed" in refused.err) == (1, True)
    assert atmem("semantic", "status", filled, *ADA, "--json").document["epoch"] is None
    assert seen.read_text() == f"ada{filled}"
    done = atmem("semantic", "setup", filled, *ADA, *command, f"{sys.executable} {script} 0")
    assert (done.status, done.document["embedded"]) == (0, 0)


def test_a_host_test_that_is_no_program_is_wrong_usage(filled: Path, tmp_path: Path) -> None:
    words = ("semantic", "setup", filled, *ADA, *LOCAL, "--host-test", str(tmp_path / "none"))
    assert atmem(*words).status == 2


def test_a_default_of_the_file_serves_everybody(filled: Path) -> None:
    done = atmem("semantic", "setup", filled, "--file-default", *LOCAL, "--json")
    assert (done.status, done.document["epoch"]["subject"]) == (0, None)
    for subject in ("ada", "a stranger"):
        found = atmem("semantic", "status", filled, "--subject", subject, "--json").document
        assert (found["epoch"], found["health"]) == (done.document["epoch"]["number"], "healthy")


def test_rebuild_and_rollback_are_said(set_up: Path) -> None:
    assert "epoch" in atmem("semantic", "rebuild", set_up, *ADA).out
    refused = atmem("semantic", "rollback", set_up, *ADA)
    assert (refused.status, "no_earlier_epoch" in refused.err) == (1, True)


def test_a_reindex_says_what_is_left(set_up: Path) -> None:
    found = atmem("memory", "reindex", set_up, "--prune", "--json")
    row = {"subject": "ada", "done": 0, "left": 0, "pruned": 0, "reason": ""}
    assert (found.status, found.document) == (0, {"subjects": [row]})
    assert "ada" in atmem("memory", "reindex", set_up).out
