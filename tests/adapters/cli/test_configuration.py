"""The command line takes its settings from a file and the environment, and its doctor says so."""

import json
from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    atmem("remember", tmp_path / "agent.db", "Brutus is my dog.", "--subject", "ada")
    return tmp_path


def test_the_doctor_shows_what_differs_and_where_it_came_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Settings: as they come." in atmem("doctor", folder / "agent.db").out
    (folder / "atmem.toml").write_text("max_released = 2\n", encoding="utf-8")
    monkeypatch.setenv("ATMEM_JUDGE", "no")
    shown = atmem("doctor", folder / "agent.db").out
    assert all(word in shown for word in ("max_released", "atmem.toml", "judge", "ATMEM_JUDGE"))
    said = json.loads(atmem("doctor", folder / "agent.db", "--json").out)["settings"]
    assert said["max_released"] == {"value": 2, "origin": "atmem.toml"}
    assert said["judge"] == {"value": False, "origin": "ATMEM_JUDGE"}
    assert said["budget_tokens"]["origin"] == "default"


def test_a_wrong_file_stops_a_command_and_says_where(folder: Path) -> None:
    (folder / "atmem.toml").write_text("unheard_of = 2\n", encoding="utf-8")
    ran = atmem("recall", folder / "agent.db", "who is Brutus?", "--subject", "ada")
    assert ran.status == 2
    assert "unheard_of" in ran.err
    assert "atmem.toml" in ran.err


def test_a_setting_reaches_the_decision(folder: Path) -> None:
    for name in ("Rex", "Pepper", "Bello"):
        atmem("remember", folder / "agent.db", f"A dog called {name} barks.", "--subject", "ada")
    (folder / "atmem.toml").write_text("judged_candidates = 2\n", encoding="utf-8")
    ran = atmem("decide", folder / "agent.db", "Which dog barks?", "--subject", "ada", "--json")
    assert len(json.loads(ran.out)["candidates"]) == 2
