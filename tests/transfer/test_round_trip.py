"""What leaves a file by an export and comes into another one is the same, in every state."""

import dataclasses
import json
from contextlib import suppress
from datetime import timedelta

from hypothesis import HealthCheck, given, settings

from atmem_core import AtmemError, Memory
from atmem_core.store.sqlite.store import SqliteStore
from atmem_core.testing.clocks import FakeClock
from tests.transfer.conftest import Opener
from tests.transfer.lives import LIVES, LIVES_WITHOUT_ERASURE, SUBJECT, Act

IDS = ("id", "superseded_by", "from", "to", "answers", "source_id")


def lived(life: list[Act]) -> Memory:
    clock = FakeClock()
    memory = Memory.open(":memory:", embedder=None, clock=clock)
    ids: list[str] = []
    for act in life:
        clock.advance(timedelta(seconds=61))
        with suppress(AtmemError):  # what isn't current can't be superseded, a key has one text, ...
            act(memory, clock, ids)
    return memory


def records(memory: Memory, subject: str = SUBJECT) -> list[str]:
    """The lines without the header, which says when."""
    return list(memory.export_records(subject=subject))[1:]


TABLES = {
    "notes": "SELECT * FROM notes",
    "tags": "SELECT notes.id, tag FROM note_tags JOIN notes USING (row)",
    "facts": "SELECT notes.id, facts.* FROM facts JOIN notes USING (row)",
    "ends": "SELECT notes.id, fact_ends.* FROM fact_ends JOIN notes USING (row)",
    "turns": "SELECT * FROM turns",
    "links": (
        "SELECT one.id, other.id, links.kind, weight, links.created_at FROM links "
        "JOIN notes AS one ON one.row = from_row JOIN notes AS other ON other.row = to_row"
    ),
    "words": "SELECT length, word, documents FROM vocabulary",
    "waiting": "SELECT notes.id FROM waiting JOIN notes USING (row)",
    "subjects": "SELECT name, documents, total_length, active FROM subjects",
    "index": "SELECT search_text FROM notes_fts",
}
NUMBERS = {"row", "number", "subject_number"}
"""The store's own integers, which nobody sees."""


def stored(memory: Memory) -> dict[str, list[str]]:
    """Everything that is in the file, but for its own integers: what an export may not forget."""
    store = memory._store
    assert isinstance(store, SqliteStore)
    found = {}
    with store._connections.reading() as connection:
        for table, sql in TABLES.items():
            cursor = connection.execute(sql)
            rows = [list(zip(cursor.get_description(), row, strict=True)) for row in cursor]
            found[table] = sorted(
                repr([value for (name, *_), value in row if name not in NUMBERS]) for row in rows
            )
    return found


def counts(memory: Memory) -> dict[str, int]:
    stats = dataclasses.asdict(memory.stats(SUBJECT))
    return {name: count for name, count in stats.items() if not name.endswith("_bytes")}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(life=LIVES)
def test_a_round_trip_loses_nothing_and_a_second_one_changes_nothing(life: list[Act]) -> None:
    with lived(life) as memory, Memory.open(":memory:", embedder=None) as copy:
        lines = list(memory.export_records(subject=SUBJECT))
        receipt = copy.import_records(lines)
        assert receipt.refused == {}
        assert receipt.created == len(lines) - 2
        assert records(copy) == lines[1:]
        assert counts(copy) == counts(memory)
        assert stored(copy) == stored(memory)
        assert copy.verify() == []
        again = copy.import_records(lines)
        assert (again.created, again.updated, again.unchanged) == (0, 0, len(lines) - 2)
        assert records(copy) == lines[1:]
        assert memory.import_records(lines).unchanged == len(lines) - 2


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(life=LIVES)
def test_another_subject_of_the_same_file_holds_the_same_under_other_ids(life: list[Act]) -> None:
    with lived(life) as memory:
        lines = list(memory.export_records(subject=SUBJECT))
        for _ in range(2):
            receipt = memory.import_records(lines, subject="eve", into_other_subject=True)
        assert (receipt.refused, receipt.created) == ({}, 0)
        assert memory.verify() == []
        assert records(memory) == lines[1:]
        ours, theirs = (
            [json.loads(line) for line in records(memory, subject)] for subject in (SUBJECT, "eve")
        )
        names = {one["id"]: other["id"] for one, other in zip(ours, theirs, strict=True) if "id" in one}
        names["erased"] = "erased"
        for one in ours:
            for part in (one, one.get("fact", {})):
                part.update({key: names.get(part[key], "?") for key in IDS if key in part})
        for one in theirs:
            said_by = one.get("fact", {}).get("source_id")
            if said_by is not None and said_by not in names.values():
                one["fact"]["source_id"] = "?"  # what said it was erased
        assert ours == theirs
        assert not {one["id"] for one in theirs if "id" in one} & (set(names) - {"erased"})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(life=LIVES_WITHOUT_ERASURE, later=LIVES_WITHOUT_ERASURE)
def test_a_later_export_brings_what_happened_since_and_an_earlier_one_undoes_nothing(
    life: list[Act], later: list[Act]
) -> None:
    clock = FakeClock()
    with (
        Memory.open(":memory:", embedder=None, clock=clock) as memory,
        Memory.open(":memory:", embedder=None) as copy,
    ):
        ids: list[str] = []
        exports = []
        for part in (life, later):
            for act in part:
                with suppress(AtmemError):
                    act(memory, clock, ids)
            exports.append(list(memory.export_records(subject=SUBJECT)))
            copy.import_records(exports[-1])
        assert copy.verify() == []
        kept = states(copy)
        for note_id, state in states(memory).items():
            assert kept[note_id] == state
        copy.import_records(exports[0])
        assert states(copy) == kept


def states(memory: Memory) -> dict[str, list[str]]:
    """For each record which of the ways to leave recall it went."""
    ways = ("superseded_by", "forgotten_at", "archived_at")
    lines = [json.loads(line) for line in records(memory)]
    return {line["id"]: [way for way in ways if way in line] for line in lines if "id" in line}


def test_an_export_holds_a_page_at_a_time(open_memory: Opener) -> None:
    memory = open_memory("a.db")
    for at in range(250):
        memory.remember(f"note {at}", subject=SUBJECT)
    seen: list[int] = []
    store = memory._store
    asked = store.page_of_notes

    def counted(subject: str, *, after: int, limit: int) -> list[object]:
        page = asked(subject, after=after, limit=limit)
        seen.append(len(page))
        return list(page)

    store.page_of_notes = counted  # type: ignore[method-assign, assignment]  # to see when it is asked
    lines = iter(memory.export_records(subject=SUBJECT))
    next(lines)
    assert seen == []
    next(lines)
    assert seen == [100]
    assert len(list(lines)) == 250
    assert seen == [100, 100, 50, 0]


def test_a_write_between_two_pages_neither_waits_nor_breaks_the_export(open_memory: Opener) -> None:
    memory, copy = open_memory("a.db"), open_memory("b.db")
    notes = [memory.remember(f"note {at}", subject=SUBJECT) for at in range(150)]
    lines = iter(memory.export_records(subject=SUBJECT))
    taken = [next(lines) for _ in range(3)]
    memory.supersede(notes[0].id, "note 0, once more", subject=SUBJECT)
    memory.forget(notes[140].id, subject=SUBJECT)
    assert copy.import_records([*taken, *lines]).whole
    copy.import_records(memory.export_records(subject=SUBJECT))
    assert records(copy) == records(memory)


async def test_an_event_loop_reads_an_export_without_waiting_for_the_file(open_memory: Opener) -> None:
    memory = open_memory("a.db")
    memory.remember("Brutus is my dog.", subject=SUBJECT)
    lines = [line async for line in memory.export_records(subject=SUBJECT)]
    assert lines[1:] == records(memory)
