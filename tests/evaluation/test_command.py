"""``atmem eval`` as a person and as a program runs it."""

from pathlib import Path

import pytest

from atmem_cli.commands.evaluate import LAYOUTS
from atmem_core.evaluation import Format
from tests.adapters.cli.shell import atmem
from tests.evaluation import builders
from tests.evaluation.builders import lines, written
from tests.house.tree import run_python


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return written(tmp_path, "talk.json", builders.LOCOMO)


def test_a_person_sees_tables(talk: Path) -> None:
    ran = atmem("eval", talk, "--embedder", "none")
    assert ran.status == 0, ran.err
    for title in ("Retrieval", "What was injected", "Shipped operating point", "Threshold sweep"):
        assert title in ran.out


def test_a_program_gets_the_report(talk: Path) -> None:
    document = atmem("eval", talk, "--embedder", "none", "--json").document
    assert document["format"] == "atmem-evaluation-v1"
    assert document["dataset"]["layout"] == "locomo"


def test_a_part_of_a_data_set_can_be_run(talk: Path) -> None:
    words = ("--stores", "1", "--limit", "2", "--negatives", "0", "--seed", "7")
    document = atmem("eval", talk, "--embedder", "none", "--json", *words).document
    assert document["settings"] == {"seed": 7, "negatives": 0, "limit": 2, "stores": 1}
    assert (document["dataset"]["stores"], document["dataset"]["questions"]) == (1, 2)


def test_a_report_is_written_where_it_is_wanted(talk: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "report"
    ran = atmem("eval", talk, "--embedder", "none", "--out", out)
    assert ran.status == 0, ran.err
    assert (out / "report.json").is_file()
    assert (out / "report.md").is_file()


def test_a_folder_that_cannot_be_made_is_named(talk: Path) -> None:
    ran = atmem("eval", talk, "--embedder", "none", "--out", talk)
    assert ran.status == 1
    assert str(talk) in ran.err


def test_nothing_is_written_without_out(talk: Path) -> None:
    atmem("eval", talk, "--embedder", "none")
    assert list(talk.parent.iterdir()) == [talk]


def test_a_wrong_file_is_wrong_usage_and_lists_the_layouts(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk, eggs", encoding="utf-8")
    ran = atmem("eval", path)
    assert ran.status == 2
    assert all(f"--format {layout}" in ran.err for layout in Format)


def test_an_unknown_format_is_wrong_usage_and_lists_the_known_ones(talk: Path) -> None:
    ran = atmem("eval", talk, "--format", "csv")
    assert ran.status == 2
    assert "'csv' is none of auto, locomo" in ran.err


def test_the_command_takes_every_layout_there_is() -> None:
    assert ("auto", *Format) == LAYOUTS


def test_no_other_command_loads_the_evaluation() -> None:
    program = "import sys, atmem_cli.main; print('atmem_core.evaluation' in sys.modules)"
    assert run_python("-c", program).strip() == "False"


def test_auto_can_be_said(tmp_path: Path) -> None:
    ran = atmem("eval", lines(tmp_path, builders.LINES), "--format", "auto", "--embedder", "none", "--json")
    assert ran.document["dataset"]["layout"] == "jsonl"


def test_paragraphs_may_come_from_another_file(tmp_path: Path) -> None:
    asking = written(tmp_path, "xquad.de.json", builders.XQUAD_DE)
    stored = written(tmp_path, "xquad.en.json", builders.XQUAD_EN)
    ran = atmem("eval", asking, "--paragraphs", stored, "--embedder", "none", "--json")
    assert ran.document["dataset"]["layout"] == "xquad"


def test_paragraphs_are_for_xquad_alone(talk: Path) -> None:
    ran = atmem("eval", talk, "--format", "locomo", "--paragraphs", talk)
    assert ran.status == 2
    assert "is for xquad alone" in ran.err


def test_another_model_can_be_chosen(talk: Path) -> None:
    ran = atmem("eval", talk, "--embedder", "hashing", "--negatives", "0", "--json")
    assert ran.status == 0, ran.err
    assert ran.document["judge"]["model"] == "words-and-trigrams by hashing"


def test_control_characters_of_a_data_set_are_shown_not_obeyed(tmp_path: Path) -> None:
    label = {"type": "question", "store": "home", "text": "Where?", "label": "red \x1b[31m"}
    ran = atmem("eval", lines(tmp_path, [*builders.LINES, label]), "--embedder", "none")
    assert "\x1b[31m" not in ran.out
    assert "\\x1b" in ran.out
