"""Facts and turns move with what was known of them and when; what two files know is joined."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from atmem_core import ImportCode, Memory
from tests.transfer.conftest import Opener

SUBJECT = "ada"
CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Sintra")


def at(year: int) -> datetime:
    return datetime(year, 7, 1, tzinfo=UTC)


@pytest.fixture
def moved(open_memory: Opener) -> Memory:
    """Five moves of home, one a year from 2010 on."""
    memory = open_memory("a.db")
    for number, city in enumerate(CITIES):
        memory.facts.add(
            "user", "lives in", city, subject=SUBJECT, valid_from=datetime(2010 + number, 1, 1, tzinfo=UTC)
        )
    return memory


def cities(memory: Memory, year: int) -> list[str]:
    return [fact.object for fact in memory.facts.as_of(at(year), subject=SUBJECT)]


def test_five_moves_of_home_are_right_at_each_point_after_an_import(
    moved: Memory, open_memory: Opener
) -> None:
    copy = open_memory("b.db")
    assert copy.import_records(moved.export_records(subject=SUBJECT)).created == 6
    for number, city in enumerate(CITIES):
        assert cities(copy, 2010 + number) == cities(moved, 2010 + number) == [city]
    (current,) = copy.facts.list(subject=SUBJECT)
    chains = [
        [fact.object for fact in one.facts.history(current.id, subject=SUBJECT)] for one in (moved, copy)
    ]
    assert chains[0] == chains[1] == list(CITIES)
    asked = [one.recall("which city do I live in now?", subject=SUBJECT) for one in (moved, copy)]
    assert asked[0].records == asked[1].records
    candidates = [[one.record_id for one in recall.decision.candidates] for recall in asked]
    assert candidates[0] == candidates[1] == [current.id]


def test_a_move_that_was_told_since_comes_with_the_next_export(moved: Memory, open_memory: Opener) -> None:
    copy = open_memory("b.db")
    first = list(moved.export_records(subject=SUBJECT))
    copy.import_records(first)
    moved.facts.add("user", "lives in", "Tomar", subject=SUBJECT, valid_from=datetime(2016, 1, 1, tzinfo=UTC))
    receipt = copy.import_records(moved.export_records(subject=SUBJECT))
    assert (receipt.created, receipt.updated, receipt.unchanged) == (1, 1, 5)
    assert [fact.object for fact in copy.facts.list(subject=SUBJECT)] == ["Tomar"]
    assert copy.import_records(first).updated == 0
    assert list(copy.export_records(subject=SUBJECT))[1:] == list(moved.export_records(subject=SUBJECT))[1:]
    assert copy.verify() == []


def test_what_stands_here_already_is_not_doubled(moved: Memory, open_memory: Opener) -> None:
    copy = open_memory("b.db")
    copy.facts.add("user", "lives in", "Sintra", subject=SUBJECT, valid_from=datetime(2015, 1, 1, tzinfo=UTC))
    receipt = copy.import_records(moved.export_records(subject=SUBJECT))
    assert (receipt.created, receipt.unchanged) == (5, 1)
    (current,) = copy.facts.list(subject=SUBJECT)
    assert len(copy.facts.history(current.id, subject=SUBJECT)) == 6
    assert copy.verify() == []


def test_a_chain_of_facts_with_a_missing_end_and_a_ring_are_walked_to_their_end(
    moved: Memory, open_memory: Opener
) -> None:
    lines = [json.loads(line) for line in moved.export_records(subject=SUBJECT)]
    ids = [line["id"] for line in lines[1:-1]]
    lines[-2]["fact"] |= {"superseded_by": ids[0], "superseded_at": "2026-01-01T00:00:00+00:00"}
    ring, gap = open_memory("b.db"), open_memory("c.db")
    assert ring.import_records(map(json.dumps, lines)).whole
    assert len(ring.facts.history(ids[3], subject=SUBJECT)) == 6
    gap.import_records(map(json.dumps, [lines[0], lines[1], lines[-1]]))
    assert [fact.id for fact in gap.facts.history(ids[0], subject=SUBJECT)] == [ids[0]]


WAITING = (
    {"format": "atmem-records-v1", "subject": SUBJECT},
    {
        "record": "turn",
        "id": "t1",
        "text": "I live in Lisbon.",
        "session": "s",
        "role": "user",
        "speaker": "user",
        "source": "user",
        "created_at": "2026-01-01T00:00:00+00:00",
        "extraction": "pending",
    },
    {"end": "atmem-records-v1", "records": 1},
)
"""A turn that was said and not read."""


def test_a_turn_that_waits_for_extraction_waits_in_the_copy_and_is_read_once(open_memory: Opener) -> None:
    copy = open_memory("b.db")
    for _ in range(2):
        assert copy.import_records(map(json.dumps, WAITING)).whole
    copy.sessions.extract_pending(subject=SUBJECT)
    assert [fact.object for fact in copy.facts.list(subject=SUBJECT)] == ["Lisbon"]
    (turn,) = copy.sessions.recent(subject=SUBJECT, session="s")
    assert (turn.id, turn.extraction) == ("t1", "done")
    assert copy.import_records(map(json.dumps, WAITING)).unchanged == 1
    copy.sessions.extract_pending(subject=SUBJECT)
    assert len(copy.facts.list(subject=SUBJECT)) == 1


def test_attempts_to_read_a_turn_are_counted_on(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.import_records(map(json.dumps, WAITING))
    memory._store.turn_store.attempted("t1", most=3)
    copy.import_records(memory.export_records(subject=SUBJECT))
    attempts = [copy._store.turn_store.attempted("t1", most=3) for _ in range(2)]
    assert attempts == ["pending", "failed"]


def test_a_turn_that_was_read_elsewhere_no_longer_waits(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.sessions.finish("I live in Lisbon.", "Nice.", subject=SUBJECT, session="s")
    assert memory.sessions.drain()
    lines = list(memory.export_records(subject=SUBJECT))
    waiting = [
        line.replace('"extraction":"done"', '"extraction":"pending"') for line in lines if '"turn"' in line
    ]
    end = '{"end":"atmem-records-v1","records":2}'
    copy.import_records([lines[0], *waiting, end])
    assert copy.sessions.waiting(SUBJECT) == 1
    receipt = copy.import_records(lines)
    assert (receipt.created, receipt.updated) == (1, 1)
    assert copy.sessions.waiting(SUBJECT) == 0
    (fact,) = copy.facts.list(subject=SUBJECT)
    assert fact.source_id == json.loads(waiting[0])["id"]


def test_what_a_turn_said_leaves_with_it_after_an_import(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    turn = memory.sessions.finish("I live in Lisbon.", "Nice.", subject=SUBJECT, session="s")
    assert turn is not None
    assert memory.sessions.drain()
    copy.import_records(memory.export_records(subject=SUBJECT))
    copy.erase(turn.id, subject=SUBJECT)
    assert copy.facts.list(subject=SUBJECT, all_states=True) == ()
    assert copy.sessions.recent(subject=SUBJECT, session="s") == []


CHANGES: dict[str, tuple[str, Callable[[dict[str, Any]], object], ImportCode]] = {
    "no statement": ("fact", lambda one: one.pop("fact"), ImportCode.BAD_RECORD),
    "a statement that is a text": ("fact", lambda one: one.update(fact="x"), ImportCode.BAD_RECORD),
    "no object": ("fact", lambda one: one["fact"].pop("object"), ImportCode.BAD_RECORD),
    "a blank object": ("fact", lambda one: one["fact"].update(object=" "), ImportCode.EMPTY_TEXT),
    "no confidence": ("fact", lambda one: one["fact"].pop("confidence"), ImportCode.BAD_RECORD),
    "confidence above 1": ("fact", lambda one: one["fact"].update(confidence=2), ImportCode.BAD_RECORD),
    "no begin": ("fact", lambda one: one["fact"].pop("valid_from"), ImportCode.BAD_RECORD),
    "ends that are no list": ("fact", lambda one: one["fact"].update(ends=3), ImportCode.BAD_RECORD),
    "an end of one time": (
        "fact",
        lambda one: one["fact"].update(ends=[["2026-01-01T00:00:00Z"]]),
        ImportCode.BAD_RECORD,
    ),
    "a successor at no time": (
        "fact",
        lambda one: one["fact"].update(superseded_by="f"),
        ImportCode.BAD_RECORD,
    ),
    "no session": ("turn", lambda one: one.pop("session"), ImportCode.BAD_RECORD),
    "another role": ("turn", lambda one: one.update(role="king"), ImportCode.BAD_RECORD),
    "another extraction": ("turn", lambda one: one.update(extraction="maybe"), ImportCode.BAD_RECORD),
    "a turn that is a recalled block": (
        "turn",
        lambda one: one.update(text="<atmem-memory>x</atmem-memory>"),
        ImportCode.ONLY_RECALLED_MEMORY,
    ),
    "a turn called erased": ("turn", lambda one: one.update(id="erased"), ImportCode.BAD_RECORD),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_fact_or_turn_that_is_not_as_it_must_be_costs_itself(name: str, open_memory: Opener) -> None:
    kind, change, code = CHANGES[name]
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.facts.add("user", "lives in", "Lisbon", subject=SUBJECT)
    memory.sessions.append("Good morning.", subject=SUBJECT, session="s")
    lines = [json.loads(line) for line in memory.export_records(subject=SUBJECT)]
    change(next(line for line in lines if line.get("record") == kind))
    receipt = copy.import_records(map(json.dumps, lines))
    assert (receipt.created, receipt.refused) == (1, {code.value: 1})
    assert copy.verify() == []


@pytest.mark.parametrize("kind", ["fact", "turn"])
def test_an_id_that_stands_for_something_else_is_refused(kind: str, open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    memory.facts.add("user", "lives in", "Lisbon", subject=SUBJECT)
    memory.sessions.append("Lisbon is warm.", subject=SUBJECT, session="s")
    lines = list(memory.export_records(subject=SUBJECT))
    copy.import_records(lines)
    changed = [line.replace("Lisbon", "Porto") if f'"{kind}"' in line else line for line in lines]
    receipt = copy.import_records(changed)
    assert (receipt.refused, receipt.unchanged) == ({"id_conflict": 1}, 1)


def test_a_turns_key_that_was_used_for_another_turn_is_refused(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    for each, text in ((memory, "Good morning."), (copy, "Good night.")):
        each.sessions.append(text, subject=SUBJECT, session="s", idempotency_key="k")
    receipt = copy.import_records(memory.export_records(subject=SUBJECT))
    assert receipt.refused == {"idempotency_conflict": 1}
    same = open_memory("c.db")
    same.sessions.append("Good morning.", subject=SUBJECT, session="s", idempotency_key="k")
    assert same.import_records(memory.export_records(subject=SUBJECT)).unchanged == 1
