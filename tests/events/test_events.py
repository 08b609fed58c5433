"""Events: typed, each handed over once, a fault of a sink counted and never passed on."""

import ast
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atmem_core.errors import AtmemError, InvalidInput
from atmem_core.events import (
    EVENT_TYPES,
    Degraded,
    EventStream,
    FactAdded,
    FactForgotten,
    FactsErased,
    JsonLinesSink,
    MemoryEvent,
    event_from_dict,
    replay,
)
from tests.house.tree import ROOT, python_files

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLACES = {
    "FactAdded",
    "FactUpdated",
    "FactForgotten",
    "FactsErased",
    "Retrieval",
    "JobDropped",
    "Degraded",
    "BulkRetirement",
}


class Listener:
    def __init__(self) -> None:
        self.events: list[MemoryEvent] = []

    def record(self, event: MemoryEvent) -> None:
        self.events.append(event)


class Choosy:
    """Refuses one record."""

    def __init__(self) -> None:
        self.asked: list[MemoryEvent] = []

    def record(self, event: MemoryEvent) -> None:
        self.asked.append(event)
        if isinstance(event, FactForgotten) and event.record_id == "f2":
            raise RuntimeError("Brutus is a Bernese")


def forgotten(number: int) -> FactForgotten:
    return FactForgotten(subject="ada", at=AT, record_id=f"f{number}")


def added(content: str | None = None) -> FactAdded:
    return FactAdded(subject="ada", at=AT, turn_id="t1", record_id="f1", digest="d", content=content)


def built(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            yield ast.unparse(one.func).rpartition(".")[2]


def test_each_kind_is_built_in_one_place_of_the_core() -> None:
    found: Counter[str] = Counter()
    for path in python_files("atmem_core", "adapters"):
        if path != ROOT / "atmem_core" / "events" / "kinds.py":
            found.update(
                name for name in built(ast.parse(path.read_text(encoding="utf-8"))) if name in PLACES
            )
    assert {one.__name__ for one in EVENT_TYPES.values()} == PLACES
    assert found == dict.fromkeys(PLACES, 1)


def test_a_stream_without_a_sink_keeps_nothing_and_counts() -> None:
    stream = EventStream()
    stream.emit(forgotten(1), forgotten(2))
    assert (stream.emitted, stream.set_aside) == (2, ())


def test_content_is_cleared_unless_it_was_opted_in() -> None:
    plain, open_ = Listener(), Listener()
    EventStream([plain]).emit(added("user lives in Lisbon"))
    EventStream([open_], content=True).emit(added("user lives in Lisbon"))
    assert plain.events == [added(None)]
    assert open_.events == [added("user lives in Lisbon")]


def test_a_refused_event_is_set_aside_once_and_the_others_go_on() -> None:
    choosy, listener = Choosy(), Listener()
    stream = EventStream([choosy])
    stream.subscribe(listener)
    stream.emit(forgotten(1), forgotten(2), forgotten(3))
    assert listener.events == [forgotten(1), forgotten(2), forgotten(3)]
    assert choosy.asked == listener.events
    assert stream.failures == {"Choosy": 1}
    (aside,) = stream.set_aside
    assert (aside.event, aside.error) == (forgotten(2), "RuntimeError")
    assert "Bernese" not in repr(aside)


def test_the_newest_hundred_refusals_are_kept_and_all_are_counted() -> None:
    class Deaf:
        def record(self, event: MemoryEvent) -> None:
            raise OSError

    stream = EventStream([Deaf()])
    stream.emit(*(forgotten(number) for number in range(150)))
    assert stream.failures == {"Deaf": 150}
    assert [one.event for one in stream.set_aside] == [forgotten(number) for number in range(50, 150)]


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
def test_every_kind_survives_json(kind: str, tmp_path: Path) -> None:
    fields = {
        "record_id": "f1",
        "record_ids": ["f1", "f2"],
        "digest": "d",
        "superseded_id": "f0",
        "decision_id": "d1",
        "score": 0.5,
        "reason": "overflow",
        "dropped": 3,
        "limit": 4,
        "turn_id": None,
        "content": None,
    }
    names = EVENT_TYPES[kind].__dataclass_fields__
    said = {"kind": kind, "subject": "ada", "at": AT.isoformat()}
    event = event_from_dict(said | {name: value for name, value in fields.items() if name in names})
    sink = JsonLinesSink(tmp_path / "events.jsonl")
    sink.record(event)
    assert [one.event for one in replay(tmp_path / "events.jsonl")] == [event]


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"kind": "burnt"},
        {"kind": "forgotten"},
        {"kind": "forgotten", "subject": "ada", "at": "soon", "record_id": "f1"},
        {"kind": "forgotten", "subject": "ada", "at": AT.isoformat(), "record_id": "f1", "extra": 1},
    ],
)
def test_what_is_no_event_is_refused(said: object) -> None:
    with pytest.raises(InvalidInput):
        event_from_dict(said)


def test_a_journal_is_rotated_and_replayed_oldest_first(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    sink = JsonLinesSink(path, most_bytes=400, keep=2)
    for number in range(20):
        sink.record(forgotten(number))
    files = sorted(one.name for one in tmp_path.iterdir())
    assert files == ["events.jsonl", "events.jsonl.1", "events.jsonl.2"]
    assert all(one.stat().st_size <= 400 for one in tmp_path.iterdir())
    seen = [one.event for one in replay(path)]
    assert seen == [forgotten(number) for number in range(20 - len(seen), 20)]
    assert len(seen) > 6


def test_a_bad_line_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    sink = JsonLinesSink(path)
    sink.record(forgotten(1))
    with path.open("ab") as file:
        file.write(b'{"kind": "forgotten", "secret": "Bernese"}\n\xff\xfe\n{"kind"\n')
    sink.record(forgotten(2))
    read = list(replay(path))
    assert [one.event for one in read if one.event] == [forgotten(1), forgotten(2)]
    assert [one.line for one in read if one.error] == [2, 3, 4]
    assert "Bernese" not in repr(read)


def test_a_sink_that_cant_write_is_counted(tmp_path: Path) -> None:
    stream = EventStream([JsonLinesSink(tmp_path / "gone" / "events.jsonl")])
    stream.emit(Degraded(subject="ada", at=AT, reason="extraction_timeout"))
    assert stream.failures == {"JsonLinesSink": 1}


def test_a_journal_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(AtmemError, match="no events at"):
        list(replay(tmp_path / "events.jsonl"))


def test_erased_ids_come_back_as_they_were(tmp_path: Path) -> None:
    event = FactsErased(subject="ada", at=AT, record_ids=("f1", "f2"))
    assert event_from_dict(event.to_dict()) == event
