"""JSON of any size, one value at a time; a broken one costs itself and no other."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from atmem_core import InvalidInput, Memory
from atmem_core.transfer.documents import Document, documents
from atmem_core.transfer.pieces import pieces
from tests.transfer.conftest import FILES, Opener

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.lists(st.dictionaries(st.text(), _JSON, max_size=4), max_size=6)


def chunks(text: str, size: int) -> Iterator[str]:
    return iter([text[at : at + size] for at in range(0, len(text), size)])


def read(text: str, size: int = 7) -> list[Document]:
    return list(documents(chunks(text, size)))


@settings(deadline=None)
@given(values=_OBJECTS, size=st.integers(1, 30), indent=st.none() | st.integers(0, 2), ascii_=st.booleans())
def test_an_array_cut_anywhere_gives_its_elements_and_their_lines(
    values: list[Any], size: int, indent: int | None, *, ascii_: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_)
    found = read(text, size)
    assert [one.value for one in found] == values
    assert [one.error for one in found] == [""] * len(values)
    lines = text.split("\n")
    assert all(lines[one.line - 1].lstrip(" [,").startswith("{") for one in found)


@settings(deadline=None)
@given(values=_OBJECTS, size=st.integers(1, 30))
def test_lines_cut_anywhere_give_their_values_and_numbers(values: list[Any], size: int) -> None:
    text = "\n\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    found = read(text, size)
    assert [(one.line, one.value) for one in found] == [(at * 2 + 1, one) for at, one in enumerate(values)]


@settings(deadline=None)
@given(values=_OBJECTS.filter(bool), size=st.integers(1, 30))
def test_objects_of_several_lines_behind_each_other_are_read(values: list[Any], size: int) -> None:
    text = "\n".join(json.dumps(value, indent=1) for value in values)
    if "\n" in json.dumps(values[0], indent=1):
        assert [one.value for one in read(text, size)] == values


@settings(deadline=None)
@given(text=st.text(alphabet='[]{}",:\\\n ab1', max_size=60), size=st.integers(1, 9))
def test_any_text_is_read_to_its_end(text: str, size: int) -> None:
    for one in read(text, size):
        assert bool(one.error) != isinstance(one.value, dict)
        assert 1 <= one.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1},\n {"a": oops},\n {"a": 3}]', [(1, True), (2, False), (3, True)]),
        ('[\n{"a": 1},\n"text", 5,\n{"a": 2}]', [(2, True), (2, False), (4, True)]),
        ('[{"a": 1},\n{"a": 2', [(1, True), (2, False)]),
        ('[{"a": 1},\n{"a": "2}', [(1, True), (2, False)]),
        ('[{"a": 1}] tail', [(1, True), (1, False)]),
        ('{"a": 1}\n{"a":\n{"a": 3}', [(1, True), (2, False), (3, True)]),
        ("no JSON", [(1, False)]),
        ("", []),
        (" \n ", []),
        ("[]", []),
        ("[1, 2]", [(1, False)]),
    ],
)
def test_what_is_broken_is_told_by_its_line_and_costs_itself(
    text: str, expected: list[tuple[int, bool]]
) -> None:
    for size in (1, 5, 1_000):
        assert [(one.line, not one.error) for one in read(text, size)] == expected


def test_a_large_array_in_one_line_is_read_without_being_held(tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    with file.open("w") as out:
        out.write("[")
        for at in range(1_000):
            text = json.dumps(
                {"id": f"m{at % 7}", "memory": f"note {at % 7}", "metadata": {"x": "y" * 10_000}}
            )
            out.write(text + ("," if at < 999 else "]"))
    assert file.stat().st_size > 10_000_000
    with Memory.open(tmp_path / "a.db", embedder=None) as memory:
        tracemalloc.start()
        receipt = memory.import_file(file, subject="ada", format="mem0")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (receipt.created, receipt.unchanged) == (7, 993)
    assert most < 8_000_000


@settings(deadline=None)
@example(text="aa\n   aa", most=4)
@given(text=st.text(alphabet="ab.\n \t", max_size=200), most=st.integers(4, 40))
@example(text="aa\n   aa", most=4)
def test_pieces_are_short_and_lose_nothing_but_white_space(text: str, most: int) -> None:
    found = list(pieces(text, most))
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(one) <= most for one in found)
    assert all(one.strip() for one in found) or not text.strip()


def test_a_long_text_is_cut_at_its_paragraphs(open_memory: Opener) -> None:
    paragraphs = [f"Paragraph {at}. " + "word " * 400 for at in range(5)]
    memory = open_memory("a.db")
    line = json.dumps({"text": "\n\n".join(paragraphs), "id": "long"})
    for _ in range(2):
        receipt = memory.import_file(io.BytesIO(line.encode()), subject="ada")
    assert receipt.unchanged == 5
    notes = memory.notes(subject="ada")[::-1]
    assert [note.text for note in notes] == [paragraph.strip() for paragraph in paragraphs]


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/") + ".json", data)
    return path


def test_an_archive_is_read_as_it_came(tmp_path: Path, open_memory: Opener) -> None:
    data = (FILES / "chatgpt.json").read_bytes()
    archive = zipped(tmp_path / "export.zip", user=b"{}", conversations=data, shared=b"[]")
    plain, packed = open_memory("a.db"), open_memory("b.db")
    receipts = [
        memory.import_file(source, subject="ada", format="chatgpt")
        for memory, source in ((plain, FILES / "chatgpt.json"), (packed, archive))
    ]
    assert receipts[0].created == receipts[1].created == 5
    assert [one.where for one in receipts[1].problems if one.code == "bad_json"] == ["conversations.json"]


def test_an_archive_of_several_parts_is_read_part_by_part(tmp_path: Path, open_memory: Opener) -> None:
    def part(number: int) -> bytes:
        said = {"uuid": f"m{number}", "sender": "human", "text": f"part {number}"}
        return json.dumps([{"uuid": f"c{number}", "chat_messages": [said]}]).encode()

    members = {f"data__conversations-{at:03}": part(at) for at in range(3)}
    archive = zipped(tmp_path / "export.zip", **members, users=b"[]")
    memory = open_memory("a.db")
    assert memory.import_file(archive, subject="ada", format="claude").created == 3
    assert [note.text for note in memory.notes(subject="ada")] == ["part 2", "part 1", "part 0"]


def test_an_archive_without_conversations_is_refused(tmp_path: Path, open_memory: Opener) -> None:
    archive = zipped(tmp_path / "export.zip", a=b"[]", b=b"[]")
    with pytest.raises(InvalidInput, match="conversations"):
        open_memory("a.db").import_file(archive, subject="ada", format="chatgpt")


@pytest.mark.parametrize("data", [b'{"text": "gr\xfc\xdfe"}', '{"text": "hallo"}'.encode("utf-16")])
def test_a_file_that_is_not_utf8_is_refused(data: bytes, open_memory: Opener) -> None:
    memory = open_memory("a.db")
    with pytest.raises(InvalidInput, match="UTF-8"):
        memory.import_file(io.BytesIO(data), subject="ada")
    assert memory.stats().notes == 0


def test_a_byte_order_mark_is_no_part_of_the_text(open_memory: Opener) -> None:
    memory = open_memory("a.db")
    assert memory.import_file(io.BytesIO('\ufeff{"text": "hallo"}'.encode()), subject="ada").created == 1


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("format", {"format": "diary"}),
        ("subject", {"subject": " "}),
        ("project", {"project": ""}),
        ("tags", {"tags": "one"}),
        ("source", {"source": 3}),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_read(
    field: str, given: dict[str, Any], open_memory: Opener
) -> None:
    arguments = {"source": FILES / "told.jsonl", "subject": "ada", **given}
    with pytest.raises(InvalidInput) as refused:
        open_memory("a.db").import_file(arguments.pop("source"), **arguments)
    assert refused.value.field == field


def test_an_export_is_known_by_its_header_and_keeps_its_own(tmp_path: Path, open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.remember("Brutus is my dog.", subject="ada", project="pets")
    file = tmp_path / "ada.jsonl"
    file.write_text("\n".join(memory.export_records(subject="ada")), encoding="utf-8")
    with pytest.raises(InvalidInput, match="project"):
        copy.import_file(file, subject="ada", project="other")
    with pytest.raises(InvalidInput, match="into_other_subject"):
        copy.import_file(file, subject="eve")
    told: list[tuple[int, int | None]] = []
    copy.import_file(file, subject="ada", progress=lambda done, total: told.append((done, total)))
    assert copy.notes(subject="ada") == memory.notes(subject="ada")


def test_progress_of_a_file_is_told_in_bytes(tmp_path: Path, open_memory: Opener) -> None:
    file = tmp_path / "told.jsonl"
    file.write_text("\n".join(json.dumps({"text": f"note {at}"}) for at in range(250)))
    told: list[tuple[int, int | None]] = []
    open_memory("a.db").import_file(
        file, subject="ada", progress=lambda done, total: told.append((done, total))
    )
    size = file.stat().st_size
    assert told[-1] == (size, size)
    assert len(told) == 3
