"""A bad line costs itself, is told by its number and a code, and nothing else is lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from atmem_core import ImportCode, InvalidInput, Memory
from tests.transfer.conftest import Opener

SUBJECT = "ada"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def lines(open_memory: Opener) -> list[str]:
    memory = open_memory("a.db")
    memory.remember("Brutus is my dog.", subject=SUBJECT, tags=["pets"], idempotency_key="k")
    memory.remember("I live in Lisbon.", subject=SUBJECT)
    memory.remember("I like tea.", subject=SUBJECT)
    return list(memory.export_records(subject=SUBJECT))


def texts(memory: Memory) -> list[str]:
    return [note.text for note in memory.notes(subject=SUBJECT, all_states=True)]


@pytest.mark.parametrize(
    "bad", ["{", "[1]", '"text"', "nonsense", "\x00", '{"record": "note"', "[" * 100_000, "1e999"]
)
def test_a_line_that_is_no_object_is_said_and_passed_over(
    bad: str, lines: list[str], open_memory: Opener
) -> None:
    memory = open_memory("b.db")
    receipt = memory.import_records([*lines[:2], bad, *lines[2:]])
    assert texts(memory) == ["I like tea.", "I live in Lisbon.", "Brutus is my dog."]
    assert receipt.refused == {"bad_json": 1}
    (problem,) = receipt.problems
    assert (problem.line, problem.code) == (3, ImportCode.BAD_JSON)
    assert not receipt.whole


CHANGES: dict[str, tuple[Change, ImportCode]] = {
    "no id": (lambda one: one.pop("id"), ImportCode.BAD_RECORD),
    "an id that is no text": (lambda one: one.update(id=3), ImportCode.BAD_RECORD),
    "the id of what was erased": (lambda one: one.update(id="erased"), ImportCode.BAD_RECORD),
    "no text": (lambda one: one.pop("text"), ImportCode.BAD_RECORD),
    "a blank text": (lambda one: one.update(text=" "), ImportCode.EMPTY_TEXT),
    "a long text": (lambda one: one.update(text="x" * 5_000), ImportCode.TEXT_TOO_LONG),
    "a recalled block": (
        lambda one: one.update(text="<atmem-memory>\nx\n</atmem-memory>"),
        ImportCode.ONLY_RECALLED_MEMORY,
    ),
    "a text that is a list": (lambda one: one.update(text=["x"]), ImportCode.BAD_RECORD),
    "no speaker": (lambda one: one.pop("speaker"), ImportCode.BAD_RECORD),
    "another source": (lambda one: one.update(source="oracle"), ImportCode.BAD_RECORD),
    "trust above 1": (lambda one: one.update(trust=1.5), ImportCode.BAD_RECORD),
    "trust that is none": (lambda one: one.update(trust=float("nan")), ImportCode.BAD_RECORD),
    "trust that is a text": (lambda one: one.update(trust="high"), ImportCode.BAD_RECORD),
    "tags that are a text": (lambda one: one.update(tags="pets"), ImportCode.BAD_RECORD),
    "a time without a zone": (
        lambda one: one.update(created_at="2026-01-01T00:00:00"),
        ImportCode.BAD_RECORD,
    ),
    "a time that is none": (lambda one: one.update(occurred_at="yesterday"), ImportCode.BAD_RECORD),
    "no time of storing": (lambda one: one.pop("created_at"), ImportCode.BAD_RECORD),
    "an interval turned round": (
        lambda one: one.update(valid_from="2026-01-02T00:00:00Z", valid_to="2026-01-01T00:00:00Z"),
        ImportCode.BAD_RECORD,
    ),
    "superseded at no time": (lambda one: one.update(superseded_by="n9"), ImportCode.BAD_RECORD),
    "superseded by itself": (
        lambda one: one.update(superseded_by=one["id"], superseded_at="2026-01-02T00:00:00Z"),
        ImportCode.BAD_RECORD,
    ),
    "a count below 0": (lambda one: one.update(use_count=-1), ImportCode.BAD_RECORD),
    "another kind of note": (lambda one: one.update(kind="lesson"), ImportCode.KIND_NOT_STORED_HERE),
    "another kind of record": (lambda one: one.update(record="dream"), ImportCode.UNKNOWN_RECORD),
    "no kind of record": (lambda one: one.update(record=None), ImportCode.UNKNOWN_RECORD),
    "a project that is blank": (lambda one: one.update(project=" "), ImportCode.BAD_RECORD),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_record_that_is_not_as_it_must_be_costs_itself(
    name: str, lines: list[str], open_memory: Opener
) -> None:
    change, code = CHANGES[name]
    record = json.loads(lines[2])
    change(record)
    memory = open_memory("b.db")
    receipt = memory.import_records([*lines[:2], json.dumps(record), *lines[3:]])
    assert texts(memory) == ["I like tea.", "Brutus is my dog."]
    assert receipt.refused == {code.value: 1}
    assert (receipt.created, receipt.problems[0].line) == (2, 3)
    assert memory.verify() == []


def test_a_problem_never_quotes_what_was_told(lines: list[str], open_memory: Opener) -> None:
    broken = [lines[0], *(line.replace('"speaker":"user"', '"speaker":["Brutus"]') for line in lines[1:])]
    receipt = open_memory("b.db").import_records([*broken[:-1], '{"text": "Brutus', broken[-1]])
    assert len(receipt.problems) == 4
    assert "Brutus" not in str(receipt)


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_file_that_was_cut_is_stored_as_far_as_it_goes_and_said_to_be_cut(
    cut: int, lines: list[str], open_memory: Opener
) -> None:
    receipt = open_memory("b.db").import_records(lines[:cut])
    assert (receipt.created, receipt.refused) == (cut - 1, {"incomplete": 1})


def test_a_line_that_is_gone_from_the_middle_is_missed(lines: list[str], open_memory: Opener) -> None:
    receipt = open_memory("b.db").import_records([*lines[:2], *lines[3:]])
    assert (receipt.created, receipt.refused) == (2, {"incomplete": 1})


@pytest.mark.parametrize(
    "header",
    [
        "",
        '{"record": "note", "id": "n1"}',
        '{"format": "atmem-records-v2", "subject": "ada"}',
        '{"format": "atmem-records-v1"}',
        '{"format": "atmem-records-v1", "subject": " "}',
        '{"format": 1, "subject": "ada"}',
    ],
)
def test_without_a_header_that_can_be_read_nothing_is_stored(
    header: str, lines: list[str], open_memory: Opener
) -> None:
    memory = open_memory("b.db")
    with pytest.raises(InvalidInput):
        memory.import_records([header, *lines[1:]])
    assert memory.stats().notes == 0


def test_another_subject_is_refused_unless_it_was_asked_for(lines: list[str], open_memory: Opener) -> None:
    memory = open_memory("b.db")
    with pytest.raises(InvalidInput, match="into_other_subject"):
        memory.import_records(lines, subject="eve")
    assert memory.stats().notes == 0
    assert memory.import_records(lines, subject="eve", into_other_subject=True).created == 3
    assert memory.stats("ada").notes == 0
    assert memory.stats("eve").notes == 3
    assert memory.import_records(lines).created == 3


def test_a_receipt_lists_a_thousand_problems_and_counts_all(lines: list[str], open_memory: Opener) -> None:
    receipt = open_memory("b.db").import_records([lines[0], *["{"] * 1_500, *lines[1:]])
    assert (len(receipt.problems), receipt.refused) == (1_000, {"bad_json": 1_500})
    assert receipt.created == 3


def test_a_text_is_as_good_as_a_list_of_its_lines(lines: list[str], open_memory: Opener) -> None:
    assert open_memory("b.db").import_records("\r\n".join(lines) + "\r\n\r\n").created == 3


def test_progress_is_told_after_each_batch(open_memory: Opener) -> None:
    memory = open_memory("a.db")
    for at in range(250):
        memory.remember(f"note {at}", subject=SUBJECT)
    told: list[tuple[int, int | None]] = []
    open_memory("b.db").import_records(
        memory.export_records(subject=SUBJECT), progress=lambda done, total: told.append((done, total))
    )
    assert [total for _, total in told] == [250] * len(told)
    assert len(told) >= 2
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_link_to_a_note_that_was_not_brought_is_refused(lines: list[str], open_memory: Opener) -> None:
    link = {"record": "link", "from": "n1", "to": "nowhere", "kind": "about", "weight": 1.0}
    link["created_at"] = "2026-01-01T00:00:00Z"
    bad = [{**link, "weight": None}, {**link, "from": 3}, link]
    end = json.dumps({"end": "atmem-records-v1", "records": 6})
    receipt = open_memory("b.db").import_records([*lines[:-1], *map(json.dumps, bad), end])
    assert receipt.refused == {"bad_record": 2, "unknown_target": 1}
