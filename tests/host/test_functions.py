"""The nine functions that a model may call: schemas, answers, and what no argument can do."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from atmem_core import AsyncMemory, InvalidInput, Memory, Scope
from atmem_core.host import FunctionResult, HostMemory, memory_functions
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

ADA = Scope(subject="ada", project="home", session="s1")
NAMES = (
    "memory.notes.store", "memory.notes.recall", "memory.notes.forget", "memory.profile.set",
    "memory.profile.remove", "memory.profile.list", "memory.profile.history", "memory.lessons.recall",
    "memory.procedures.recall",
)  # fmt: skip


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=FakeEmbedder(), clock=FakeClock()) as opened:
        yield opened


def run(memory: Memory, name: str, where: Scope = ADA, **arguments: Any) -> FunctionResult:
    outcome = HostMemory(memory, on_error="raise").function(f"memory.{name}", arguments, where)
    assert outcome.value is not None
    return outcome.value


def test_there_are_nine_with_a_schema_and_a_sentence_each() -> None:
    found = memory_functions()
    assert tuple(one.name for one in found) == NAMES
    for one in found:
        Draft202012Validator.check_schema(dict(one.parameters))
        assert one.description
        assert not {"subject", "project", "session", "agent"} & set(one.parameters["properties"])


def test_a_note_is_stored_where_the_host_says_recalled_and_forgotten(memory: Memory) -> None:
    stored = run(memory, "notes.store", content="Brutus is my Bernese mountain dog.", tags=["pets"])
    note = memory.get(stored.details["record_id"], subject="ada")
    assert stored.text == f"stored #{note.id}"
    assert (note.scope, note.source, note.tags) == (ADA, "assistant", ("pets",))
    recalled = run(memory, "notes.recall", query="what breed is my dog Brutus?", tags=["pets"])
    assert recalled.details["record_ids"] == [note.id]
    assert recalled.text.startswith("<atmem-memory>")
    assert run(memory, "notes.recall", id=note.id, query="ignored").details["record_ids"] == [note.id]
    assert run(memory, "notes.forget", id=note.id).details["record_ids"] == [note.id]
    assert run(memory, "notes.recall", query="what breed is my dog Brutus?").text == "(no matches)"
    assert run(memory, "notes.recall", id=note.id).text == f"(no note with id {note.id})"


def test_scope_project_reads_the_hosts_project_alone(memory: Memory) -> None:
    memory.remember("Brutus is my Bernese mountain dog.", subject="ada", project="work")
    query = "what breed is my dog Brutus?"
    assert run(memory, "notes.recall", query=query).details["record_ids"]
    assert run(memory, "notes.recall", query=query, scope="project").details["record_ids"] == []


def test_the_profile_is_set_listed_and_removed(memory: Memory) -> None:
    run(memory, "profile.set", key="diet", value="no nuts")
    done = run(memory, "profile.set", key="diet", value="no nuts, no milk")
    assert len(done.details["closed"]) == 1
    assert "diet: no nuts, no milk" in run(memory, "profile.list").text
    assert len(run(memory, "profile.history", key="diet").details["record_ids"]) == 2
    assert run(memory, "profile.remove", key="diet").details == {"removed": True}
    assert run(memory, "profile.remove", key="diet").details == {"removed": False}
    assert run(memory, "profile.list").text == "(no matches)"


def test_lessons_and_procedures_are_recalled_by_words_or_id(memory: Memory) -> None:
    lesson = memory.lessons.add("walking the dog", "Carry water.", subject="ada", project="home").id
    memory.lessons.add("walking the dog", "Elsewhere.", subject="ada", project="work")
    steps = memory.procedures.add("walking the dog", ["One.", "Two."], subject="ada", project="home").id
    assert run(memory, "lessons.recall", query="the dog", k=10).details["record_ids"] == [lesson]
    assert "1. One. 2. Two." in run(memory, "procedures.recall", id=steps).text
    assert run(memory, "lessons.recall", id="lmade").text == "(no lesson with id lmade)"
    assert run(memory, "procedures.recall", query="bread").text == "(no matches)"


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [("notes.store", {}, "content"), ("notes.store", {"content": "  "}, "content"),
     ("notes.store", {"content": "x", "tags": "pets"}, "tags"),
     ("notes.store", {"content": "x", "subject": "eve"}, "subject"),
     ("notes.recall", {}, "query"), ("notes.recall", {"query": 7}, "query"),
     ("notes.recall", {"id": ""}, "id"),
     ("notes.forget", {}, "id"), ("profile.set", {"key": "a b", "value": "x"}, "key"),
     ("profile.set", {"key": "a", "value": "x", "pinned": "yes"}, "pinned"),
     ("profile.set", {"key": "a", "value": "v" * 2_001}, "text_too_long"), ("lessons.recall", {}, "query")],
)  # fmt: skip
def test_what_is_wrong_is_an_answer_and_never_an_error(
    memory: Memory, name: str, arguments: dict[str, Any], field: str
) -> None:
    result = run(memory, name, **arguments)
    assert not result.ok
    assert result.text.startswith(f"validation: {field}: ")
    assert memory.notes(subject="ada") == []


@pytest.mark.parametrize("k", ["3", 2.5, None, True, 0, 99])
def test_a_k_that_is_none_is_the_default_or_clamped(memory: Memory, k: object) -> None:
    assert run(memory, "notes.recall", query="anything", k=k).ok


def test_recalled_memory_is_never_stored_again(memory: Memory) -> None:
    memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
    shown = run(memory, "notes.recall", query="what breed is my dog Brutus?").text
    assert not run(memory, "notes.store", content=shown).ok
    assert memory.stats(subject="ada").notes == 1


def test_another_subjects_records_are_out_of_reach(memory: Memory) -> None:
    note = memory.remember("Brutus is my Bernese mountain dog.", subject="ada").id
    lesson = memory.lessons.add("the dog", "Carry water.", subject="ada").id
    memory.profile.set("pet", "a dog", subject="ada")
    eve = Scope(subject="eve")
    for name, arguments in {
        "notes.recall": {"id": note}, "notes.forget": {"id": note}, "profile.list": {},
        "profile.history": {"key": "pet"}, "profile.remove": {"key": "pet"}, "lessons.recall": {"id": lesson},
    }.items():  # fmt: skip
        assert "dog" not in run(memory, name, eve, **arguments).text
    assert memory.get(note, subject="ada").forgotten_at is None
    assert memory.profile.get("pet", subject="ada").value == "a dog"


def test_a_failing_memory_is_an_outcome(memory: Memory) -> None:
    host = HostMemory(memory)
    memory.close()
    assert host.function("memory.profile.list", {}, ADA).failure is not None
    with pytest.raises(InvalidInput):
        host.function("memory.everything", {}, ADA)


async def test_they_are_awaited_over_an_async_memory() -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        host = HostMemory(memory)
        await host.afunction("memory.profile.set", {"key": "diet", "value": "no nuts"}, ADA)
        outcome = await host.afunction("memory.profile.list", {}, ADA)
        assert outcome.value is not None
        assert "no nuts" in outcome.value.text
