"""Settings from a file, the environment and a caller: who wins, what is an error, where each came from."""

from dataclasses import fields
from pathlib import Path

import pytest

from atmem_core import Config, InvalidInput, Key, Ranking, load_settings
from atmem_core.config import Redaction
from atmem_core.context import RewriteGate


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "atmem.toml"
    path.write_text('judge = false\nmax_released = 3\nranking = "hybrid-v1"\n', encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)


def test_nothing_said_is_the_defaults() -> None:
    found = load_settings(environment={})
    assert found.config == Config()
    assert set(found.origins.values()) == {"default"}
    assert set(found.origins) == {one.name for one in fields(Config)}


def test_the_later_wins_and_each_says_where_it_came_from(file: Path) -> None:
    found = load_settings(
        file, environment={"ATMEM_MAX_RELEASED": "4", "ATMEM_BUDGET_TOKENS": "90"}, budget_tokens=80
    )
    config = found.config
    assert (config.judge, config.max_released, config.budget_tokens) == (False, 4, 80)
    assert config.ranking is Ranking.HYBRID_V1
    assert found.origins["judge"] == str(file)
    assert found.origins["max_released"] == "ATMEM_MAX_RELEASED"
    assert found.origins["budget_tokens"] == "argument"
    assert found.origins["keyword_pool"] == "default"


def test_a_file_is_named_or_lies_in_the_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(environment={"ATMEM_CONFIG": str(file)}).config.max_released == 3
    assert load_settings(environment={}).config.max_released == Config().max_released
    monkeypatch.chdir(file.parent)
    assert load_settings(environment={}).config.max_released == 3


def test_the_rewriters_settings_are_read_and_refused_like_others() -> None:
    found = load_settings(environment={"ATMEM_REWRITER_GATE": "always", "ATMEM_REWRITER_TIMEOUT_MS": "500"})
    assert found.config.rewriter_gate is RewriteGate.ALWAYS
    assert (found.config.rewriter_timeout_ms, found.config.rewriter_history_turns) == (500, 3)
    for field, wrong in (
        ("rewriter_gate", "always"),
        ("rewriter_timeout_ms", 0),
        ("rewriter_history_turns", 0),
    ):
        with pytest.raises(InvalidInput, match=field):
            Config(**{field: wrong})  # type: ignore[arg-type]  # wrong on purpose


def test_tables_and_their_dotted_names_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[memory.embeddings]\nbackfill = false\n", encoding="utf-8")
    assert load_settings(path, environment={}).config.backfill is False


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("unheard_of = 1\n", "unheard_of"),
        ("[memory.embeddings]\nunheard = 1\n", "memory.embeddings.unheard"),
        ('judge = "perhaps"\n', "judge"),
        ("max_released = 0\n", "max_released"),
        ("max_released = true\n", "max_released"),
        ("max_released = 1.5\n", "max_released"),
        ('ranking = "by-mood"\n', "ranking"),
        ('key = "secret"\n', "key"),
        ("= 1", "config"),
    ],
)
def test_what_is_wrong_in_a_file_names_key_and_file(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as raised:
        load_settings(path, environment={})
    assert named in str(raised.value)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ATMEM_UNHEARD_OF", "1"), ("ATMEM_JUDGE", "perhaps"), ("ATMEM_MAX_RELEASED", "many")],
)
def test_what_is_wrong_in_the_environment_names_the_variable(variable: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=variable):
        load_settings(environment={variable: value})


def test_an_argument_that_is_no_setting_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unheard"):
        load_settings(environment={}, unheard=1)


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        load_settings(tmp_path / "nowhere.toml", environment={})


@pytest.mark.parametrize(("said", "meant"), [("true", True), ("Yes", True), ("0", False), ("off", False)])
def test_truths_in_variables(said: str, meant: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    assert load_settings(environment={"ATMEM_JUDGE": said}).config.judge is meant


def test_nothing_and_words_in_variables() -> None:
    found = load_settings(environment={"ATMEM_MAX_NOTES": "none", "ATMEM_REDACTION": "refuse"})
    assert (found.config.max_notes, found.config.redaction) == (None, Redaction.REFUSE)


def test_a_key_is_read_from_where_it_stands_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("quillfeather", encoding="utf-8")
    found = load_settings(environment={"ATMEM_KEY_FILE": str(tmp_path / "key")})
    assert isinstance(found.config.key, Key)
    assert found.config.key.read() == "quillfeather"
    assert found.origins["key"] == "ATMEM_KEY_FILE"
    assert "quillfeather" not in repr(found)


def test_other_variables_of_ours_are_no_settings() -> None:
    assert load_settings(environment={"ATMEM_SUBJECT": "ada", "PATH": "x"}).config == Config()
