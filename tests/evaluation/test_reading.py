"""Which layout a path is in, and what is said when it is in none."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from atmem_core.errors import InvalidInput
from atmem_core.evaluation import Format, read_dataset
from atmem_core.evaluation.reading import EXPECTED
from tests.evaluation import builders
from tests.evaluation.builders import lines, written
from tests.house.markdown import blocks
from tests.house.tree import ROOT


def folder_of_stores(folder: Path) -> Path:
    written(folder, "desk.json", builders.STORE)
    return folder


def folder_of_languages(folder: Path) -> Path:
    written(folder, "xquad.de.json", builders.XQUAD_DE)
    written(folder, "xquad.en.json", builders.XQUAD_EN)
    return folder


MADE: dict[Format, Callable[[Path], Path]] = {
    Format.LOCOMO: lambda folder: written(folder, "talk.json", builders.LOCOMO),
    Format.SQUAD: lambda folder: written(folder, "dev.json", builders.SQUAD),
    Format.XQUAD: folder_of_languages,
    Format.LONGMEMEVAL: lambda folder: written(folder, "long.json", builders.LONGMEMEVAL),
    Format.JSONL: lambda folder: lines(folder, builders.LINES),
    Format.PRECISION: lambda folder: written(folder, "doors.json", builders.PRECISION),
    Format.STORES: folder_of_stores,
}


@pytest.mark.parametrize("layout", Format)
def test_a_layout_is_recognised_by_its_content(layout: Format, tmp_path: Path) -> None:
    assert read_dataset(MADE[layout](tmp_path)).format is layout


@pytest.mark.parametrize("layout", Format)
def test_a_layout_can_be_named(layout: Format, tmp_path: Path) -> None:
    assert read_dataset(MADE[layout](tmp_path), layout=layout).format is layout


@pytest.mark.parametrize("layout", Format)
def test_the_list_of_layouts_says_what_each_is(layout: Format) -> None:
    assert EXPECTED[layout]


def test_one_conversation_alone_is_recognised(tmp_path: Path) -> None:
    assert len(read_dataset(written(tmp_path, "one.json", builders.IDA_AND_PER)).stores) == 1


def test_a_file_of_labelled_stores_is_recognised(tmp_path: Path) -> None:
    assert read_dataset(written(tmp_path, "desk.json", builders.STORE)).format is Format.STORES


def test_a_single_line_of_json_lines_is_recognised(tmp_path: Path) -> None:
    note = {"type": "note", "key": "n1", "text": "Rain."}
    with pytest.raises(InvalidInput, match="was read as jsonl and holds no question"):
        read_dataset(lines(tmp_path, [note]))


@pytest.mark.parametrize("content", ["not a data set", "{}", "[]", "[1]", '"text"', ""])
def test_an_unknown_file_is_refused_with_the_list_of_layouts(content: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        read_dataset(path)
    for layout in Format:
        assert f"--format {layout}: {EXPECTED[layout]}" in str(refused.value)


def test_a_wrong_layout_says_what_was_expected_and_what_it_looks_like(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'haystack_sessions'; this looks like --format locomo"):
        read_dataset(written(tmp_path, "talk.json", builders.LOCOMO), layout=Format.LONGMEMEVAL)


@pytest.mark.parametrize("layout", [one for one in Format if one is not Format.STORES])
def test_a_named_layout_refuses_another_s_file(layout: Format, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        read_dataset(written(tmp_path, "desk.json", builders.STORE), layout=layout)


def test_a_path_where_nothing_is_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is nothing at"):
        read_dataset(tmp_path / "gone.json")


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds no \.json file"):
        read_dataset(tmp_path)


def test_bytes_that_are_no_text_say_so(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(b"\xff\xfe[]")
    with pytest.raises(InvalidInput, match=r"isn't UTF-8 \(byte 0\)"):
        read_dataset(path)


def test_a_question_that_names_an_unknown_note_is_refused(tmp_path: Path) -> None:
    question = {"type": "question", "store": "home", "text": "Who?", "evidence": ["n7"]}
    with pytest.raises(InvalidInput, match="a question names n7, which is no note of this store"):
        read_dataset(lines(tmp_path, [*builders.LINES, question]))


def test_a_store_without_a_note_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="home holds no note"):
        read_dataset(lines(tmp_path, [builders.LINES[0], builders.LINES[4]]))


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    first = read_dataset(written(tmp_path, "a.json", builders.LOCOMO))
    same = read_dataset(written(tmp_path, "b.json", builders.LOCOMO))
    other = read_dataset(written(tmp_path, "c.json", builders.SQUAD))
    assert first.digest == same.digest != other.digest


def test_the_examples_of_the_reference_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "evaluation.md").read_text(encoding="utf-8")
    own, precision = [block.body for block in blocks(page) if block.info == "json"]
    path = tmp_path / "own.jsonl"
    path.write_text(own, encoding="utf-8")
    assert len(read_dataset(path).stores[0].questions) == 2
    assert read_dataset(written(tmp_path, "p.json", json.loads(precision))).format is Format.PRECISION
