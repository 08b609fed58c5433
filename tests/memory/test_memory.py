"""The write side of the facade: what is stored, what is refused, what leaves."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from atmem_core import Config, InvalidInput, Memory, NotFound, StoreError, WriteRefused
from atmem_core.testing.clocks import FakeClock

ADA = "ada"
TEXT = "Brutus is my Bernese mountain dog."
QUESTION = "what breed is my dog Brutus?"
NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - without a zone on purpose


def released(memory: Memory, query: str = QUESTION, subject: str = ADA) -> list[str]:
    return [note.text for note in memory.recall(query, subject=subject).records]


# -- remember


def test_a_text_is_stored_as_it_is_and_recalled_at_once(memory: Memory) -> None:
    stored = memory.remember(TEXT, subject=ADA)
    assert stored.created
    assert stored.record == memory.get(stored.id, subject=ADA)
    assert stored.record.text == TEXT
    assert released(memory) == [TEXT]


def test_another_memory_of_the_file_reads_what_was_just_written(memory: Memory, path: Path) -> None:
    with Memory.open(path, embedder=None) as other:
        assert released(other) == []
        memory.remember(TEXT, subject=ADA)
        assert released(other) == [TEXT]


def test_an_exact_repeat_gives_the_stored_note(memory: Memory) -> None:
    first = memory.remember(TEXT, subject=ADA)
    again = memory.remember(f"  {TEXT}\n", subject=ADA)
    assert (again.id, again.created) == (first.id, False)
    assert memory.stats(ADA).notes == 1


@pytest.mark.parametrize(
    "other",
    [
        {"session": "s2"},
        {"project": "p2"},
        {"agent": "a2"},
        {"speaker": "Anna"},
        {"valid_to": datetime(2030, 1, 1, tzinfo=UTC)},
        {"subject": "bob"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_same_words_elsewhere_are_another_note(memory: Memory, other: dict[str, Any]) -> None:
    first = memory.remember(TEXT, subject=ADA)
    second = memory.remember(TEXT, **({"subject": ADA} | other))
    assert second.created
    assert second.id != first.id


def test_a_near_match_is_named_and_never_merged(memory: Memory) -> None:
    long = "The spare key to the garden shed hangs behind the blue door beside the old copper kettle"
    first = memory.remember(f"{long}.", subject=ADA)
    second = memory.remember(f"{long} now.", subject=ADA)
    assert second.created
    assert second.similar == (first.id,)
    assert memory.stats(ADA).notes == 2


def test_a_note_about_something_else_is_not_similar(memory: Memory) -> None:
    memory.remember(TEXT, subject=ADA)
    assert memory.remember("The dentist is on Tuesday at nine.", subject=ADA).similar == ()


def test_an_idempotency_key_stores_once_and_refuses_other_content(memory: Memory) -> None:
    first = memory.remember(TEXT, subject=ADA, idempotency_key="turn-7")
    assert memory.remember(TEXT, subject=ADA, idempotency_key="turn-7").id == first.id
    with pytest.raises(WriteRefused) as refused:
        memory.remember("Brutus is a cat.", subject=ADA, idempotency_key="turn-7")
    assert refused.value.code == "idempotency_conflict"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "empty_text"), (" \0\n", "empty_text"), ("x" * 4_001, "text_too_long")],
    ids=["nothing", "blank", "too long"],
)
def test_a_refusal_has_a_code(memory: Memory, text: str, code: str) -> None:
    with pytest.raises(WriteRefused) as refused:
        memory.remember(text, subject=ADA)
    assert refused.value.code == code
    assert memory.stats().notes == 0


def test_a_recalled_block_is_not_stored_again(memory: Memory) -> None:
    memory.remember(TEXT, subject=ADA)
    block = memory.context(QUESTION, subject=ADA)
    assert block.record_ids
    with pytest.raises(WriteRefused) as refused:
        memory.remember(block.text, subject=ADA)
    assert refused.value.code == "only_recalled_memory"
    assert memory.stats(ADA).notes == 1


@pytest.mark.parametrize("kind", ["fact", "lesson"])
def test_another_kind_has_a_door_of_its_own(memory: Memory, kind: str) -> None:
    with pytest.raises(WriteRefused) as refused:
        memory.remember(TEXT, subject=ADA, kind=kind)
    assert refused.value.code == "kind_not_stored_here"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("occurred_at", NAIVE),
        ("valid_from", NAIVE),
        ("valid_to", NAIVE),
        ("tags", "pet"),
        ("tags", [" "]),
        ("source", "rumour"),
        ("kind", "thought"),
        ("trust", 1.5),
        ("speaker", ""),
        ("session", " "),
        ("subject", "ad\0a"),
        ("text", 7),
    ],
)
def test_a_wrong_argument_of_a_write_is_named(memory: Memory, field: str, value: object) -> None:
    arguments: dict[str, object] = {"text": TEXT, "subject": ADA} | {field: value}
    with pytest.raises(InvalidInput) as wrong:
        memory.remember(**arguments)  # type: ignore[arg-type]  # wrong on purpose
    assert wrong.value.field == field
    assert memory.stats().notes == 0


def test_above_max_notes_old_ones_are_archived_and_none_is_lost(path: Path, clock: FakeClock) -> None:
    with Memory.open(path, embedder=None, config=Config(max_notes=3), clock=clock) as memory:
        ids = [memory.remember(f"Shelf {at} holds jar {at}.", subject=ADA).id for at in range(5)]
        stats = memory.stats(ADA)
        assert (stats.notes, stats.archived) == (5, 2)
        assert memory.get(ids[-1], subject=ADA).archived_at is None
        assert {note.id for note in memory.notes(subject=ADA, all_states=True)} == set(ids)


# -- supersede


def test_superseding_closes_the_old_and_stores_the_new(memory: Memory, clock: FakeClock) -> None:
    old = memory.remember(TEXT, subject=ADA, session="s1", tags=["pet"], speaker="Ada")
    at = clock.advance(timedelta(days=1))
    new = memory.supersede(old.id, "Brutus is a Leonberger dog.", subject=ADA)
    closed = memory.get(old.id, subject=ADA)
    assert (closed.superseded_by, closed.superseded_at) == (new.id, at)
    assert (new.record.scope.session, new.record.tags, new.record.speaker) == ("s1", ("pet",), "Ada")
    assert released(memory) == ["Brutus is a Leonberger dog."]


def test_a_chain_of_versions_is_given_oldest_first_from_any_link(memory: Memory) -> None:
    first = memory.remember("The standup is at 9.", subject=ADA)
    second = memory.supersede(first.id, "The standup is at 10.", subject=ADA)
    third = memory.remember("The standup is at 11.", subject=ADA, supersedes=second.id)
    chain = [first.id, second.id, third.id]
    for one in chain:
        assert [note.id for note in memory.versions(one, subject=ADA)] == chain


def test_what_is_superseded_or_forgotten_cannot_be_superseded(memory: Memory) -> None:
    first = memory.remember("The standup is at 9.", subject=ADA)
    second = memory.supersede(first.id, "The standup is at 10.", subject=ADA)
    memory.forget(second.id, subject=ADA)
    for closed in (first.id, second.id):
        with pytest.raises(NotFound):
            memory.supersede(closed, "The standup is at 11.", subject=ADA)
    assert memory.stats(ADA).notes == 2


# -- forget and erase


def test_a_forgotten_note_leaves_recall_at_once_and_keeps_its_history(memory: Memory) -> None:
    note = memory.remember(TEXT, subject=ADA)
    assert memory.forget(note.id, subject=ADA).ids == (note.id,)
    assert released(memory) == []
    assert memory.search("Brutus", subject=ADA) == []
    assert memory.get(note.id, subject=ADA).forgotten_at is not None


def test_an_erased_note_is_gone_from_every_answer_and_from_the_file(memory: Memory, path: Path) -> None:
    note = memory.remember("The vault word is xyzzy-plugh.", subject=ADA)
    kept = memory.remember(TEXT, subject=ADA)
    memory.decide("what is the vault word xyzzy-plugh?", subject=ADA)
    assert memory.erase(subject=ADA, note_id=note.id).ids == (note.id,)
    with pytest.raises(NotFound):
        memory.get(note.id, subject=ADA)
    assert [one.id for one in memory.notes(subject=ADA, all_states=True)] == [kept.id]
    for file in path.parent.iterdir():
        assert b"plugh" not in file.read_bytes(), file.name


SELECTORS: dict[str, dict[str, object]] = {
    "none": {},
    "an id of None": {"note_id": None},
    "a session of None": {"session": None},
    "everything off": {"everything": False},
    "two": {"session": "s1", "project": "p1"},
    "an id and everything": {"note_id": "n1", "everything": True},
}


@pytest.mark.parametrize("act", ["forget", "erase"])
@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_a_wrong_selector_is_refused_before_anything_is_read(
    memory: Memory, act: str, selector: dict[str, object]
) -> None:
    memory.close()  # whatever reads now says that the file is closed
    with pytest.raises(InvalidInput, match="exactly one"):
        getattr(memory, act)(subject=ADA, **selector)


@pytest.mark.parametrize("act", ["forget", "erase"])
def test_a_naive_older_than_is_refused(memory: Memory, act: str) -> None:
    with pytest.raises(InvalidInput, match="older_than"):
        getattr(memory, act)(subject=ADA, older_than=NAIVE)


@pytest.mark.parametrize("act", ["forget", "erase"])
@pytest.mark.parametrize(
    ("selector", "left"),
    [
        ({"session": "s1"}, {"project", "old"}),
        ({"project": "p1"}, {"session", "old"}),
        ({"older_than": datetime(2021, 1, 1, tzinfo=UTC)}, {"session", "project"}),
        ({"everything": True}, set()),
    ],
    ids=["session", "project", "older_than", "everything"],
)
def test_a_selector_takes_its_notes_and_no_others(
    memory: Memory, act: str, selector: dict[str, object], left: set[str]
) -> None:
    ids = {
        memory.remember("A jar.", subject=ADA, session="s1").id: "session",
        memory.remember("A box.", subject=ADA, project="p1").id: "project",
        memory.remember("A tin.", subject=ADA, occurred_at=datetime(2020, 1, 1, tzinfo=UTC)).id: "old",
    }
    foreign = memory.remember("A jar.", subject="bob", session="s1", project="p1").id
    taken = getattr(memory, act)(subject=ADA, **selector)
    assert {ids[one] for one in taken.ids} == {"session", "project", "old"} - left
    assert {ids[note.id] for note in memory.notes(subject=ADA)} == left
    assert memory.get(foreign, subject="bob").forgotten_at is None


# -- whose it is

Act = Callable[[Memory, str], object]
FOREIGN: dict[str, Act] = {
    "get": lambda memory, note: memory.get(note, subject="bob"),
    "versions": lambda memory, note: memory.versions(note, subject="bob"),
    "supersede": lambda memory, note: memory.supersede(note, "Mine now.", subject="bob"),
    "remember": lambda memory, note: memory.remember("Mine now.", subject="bob", supersedes=note),
    "forget": lambda memory, note: memory.forget(note, subject="bob"),
    "erase": lambda memory, note: memory.erase(subject="bob", note_id=note),
}


@pytest.mark.parametrize("act", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_id_answers_as_a_missing_one_does(memory: Memory, act: Act) -> None:
    note = memory.remember(TEXT, subject=ADA)
    with pytest.raises(NotFound) as foreign:
        act(memory, note.id)
    with pytest.raises(NotFound) as missing:
        act(memory, "nowhere")
    assert str(foreign.value).replace(note.id, "ID") == str(missing.value).replace("nowhere", "ID")
    assert memory.get(note.id, subject=ADA) == note.record
    assert memory.stats("bob").notes == 0


def test_a_use_is_counted_for_the_own_subject_only(memory: Memory, clock: FakeClock) -> None:
    note = memory.remember(TEXT, subject=ADA)
    at = clock.advance(timedelta(hours=1))
    memory.mark_used([note.id, "nowhere"], subject="bob")
    assert memory.get(note.id, subject=ADA).use_count == 0
    memory.mark_used([note.id], subject=ADA)
    memory.mark_used([note.id], subject=ADA)
    used = memory.get(note.id, subject=ADA)
    assert (used.use_count, used.last_used_at) == (2, at)


# -- the file


def test_a_closed_memory_says_so_and_closes_again(memory: Memory) -> None:
    memory.close()
    memory.close()
    for act in (
        lambda: memory.remember(TEXT, subject=ADA),
        lambda: memory.decide(QUESTION, subject=ADA),
        lambda: memory.decide(QUESTION, subject=ADA, deadline_ms=50),
        memory.stats,
    ):
        with pytest.raises(StoreError, match="closed"):
            act()


def test_a_backup_is_a_memory_of_its_own(memory: Memory, tmp_path: Path) -> None:
    memory.remember(TEXT, subject=ADA)
    memory.backup(tmp_path / "copy.db")
    memory.erase(subject=ADA, everything=True)
    with Memory.open(tmp_path / "copy.db", embedder=None) as copy:
        assert released(copy) == [TEXT]
        assert copy.verify() == []
    with pytest.raises(StoreError):
        memory.backup(tmp_path / "copy.db")
