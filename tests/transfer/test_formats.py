"""Each format from a file of our own, whole: who said what, when, where; and what was left out and why."""

import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from atmem_core import ImportReceipt, Memory, Note, Source
from tests.transfer.conftest import FILES, Opener

SUBJECT = "ada"


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of a file."""

    memory: Memory
    receipt: ImportReceipt

    @property
    def notes(self) -> list[Note]:
        """In the order of the file."""
        return self.memory.notes(subject=SUBJECT, all_states=True)[::-1]

    def said(self) -> list[tuple[str, str]]:
        return [(note.speaker, note.text) for note in self.notes]

    def note(self, start: str) -> Note:
        (found,) = [note for note in self.notes if note.text.startswith(start)]
        return found

    def keys(self) -> list[str]:
        held = self.memory._store.page_of_notes(SUBJECT, after=0, limit=100)
        return [one.idempotency_key or "" for one in held]


@pytest.fixture
def came(open_memory: Opener) -> Any:
    def bring(name: str, form: str, **given: Any) -> Came:
        memory = open_memory("a.db")
        receipt = memory.import_file(FILES / name, subject=SUBJECT, format=form, **given)
        assert memory.verify() == []
        return Came(memory=memory, receipt=receipt)

    return bring


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]  # year to microsecond


def test_chatgpt_gives_the_branch_that_was_on_the_screen(came: Any) -> None:
    found = came("chatgpt.json", "chatgpt")
    assert found.said() == [
        ("user", "My boat is called Petrel and lies in Faro."),
        ("assistant", "Petrel is a fine name for a boat in Faro."),
        ("user", "This is her new sail.\nIt cost 900 euros."),
        ("assistant", "Red suits her."),
        ("user", "My daughter Lia drew this."),
    ]
    assert dict(found.receipt.left_out) == {
        "hidden_message": 4,
        "tool_message": 2,
        "attachment": 2,
        "other_branch": 1,
    }
    assert dict(found.receipt.refused) == {"bad_record": 1, "bad_json": 1}
    assert found.keys()[0] == "import/chatgpt/c-sea/u1"
    assert {one.where for one in found.receipt.problems if one.code == "other_branch"} == {"c-sea/a1"}


def test_chatgpt_keeps_time_session_source_and_trust(came: Any) -> None:
    found = came("chatgpt.json", "chatgpt", project="old", agent="me", tags=["mine"])
    boat, reply, sail = (found.note(start) for start in ("My boat", "Petrel", "This is"))
    assert boat.occurred_at == at(2025, 2, 19, 21, 20, 10, 250_000)
    assert sail.occurred_at == at(2025, 2, 19, 21, 20, 0, 500_000)  # its conversation's, for want of one
    assert (boat.scope.session, boat.scope.project, boat.scope.agent) == ("c-sea", "old", "me")
    assert boat.tags == ("import:chatgpt", "mine")
    assert (boat.source, boat.trust) == (Source.IMPORT, 0.7)
    assert (reply.source, reply.trust) == (Source.ASSISTANT, 0.5)


def test_what_the_assistant_said_can_be_left_out(came: Any) -> None:
    found = came("chatgpt.json", "chatgpt", assistant=False)
    assert {speaker for speaker, _ in found.said()} == {"user"}
    assert found.receipt.left_out["assistant_left_out"] == 2


def test_claude_gives_text_blocks_in_order_and_the_old_form_too(came: Any) -> None:
    found = came("claude.json", "claude")
    assert found.said() == [
        ("user", "I keep three hives behind the old mill."),
        ("assistant", "Let me look.\nThree hives are plenty."),
        ("user", "My brother Theo is a baker."),
        ("user", "Which bread keeps longest?"),
        ("assistant", "Sourdough rye."),
    ]
    assert dict(found.receipt.left_out) == {
        "attachment": 3,
        "hidden_message": 1,
        "tool_message": 2,
        "other_branch": 1,
    }
    assert dict(found.receipt.refused) == {"bad_record": 2}
    hives = found.note("I keep")
    assert (hives.scope.session, hives.occurred_at) == ("k-1", at(2026, 2, 14, 10, 4, 22))
    assert found.keys()[:2] == ["import/claude/k-1/m-1", "import/claude/k-1/m-2"]


def test_locomo_gives_named_speakers_session_by_session_of_one_sample(came: Any) -> None:
    found = came("locomo.json", "locomo")
    assert found.said() == [
        ("Rafe", "What did you do last week?"),
        ("Odile", "I bought a kiln!"),
        ("Rafe", "Happy new year!"),
    ]
    kiln, year = found.note("I bought"), found.note("Happy")
    assert (kiln.scope.session, kiln.occurred_at) == ("conv-a/session_1", at(2023, 5, 8, 13, 56))
    assert year.occurred_at == at(2024, 1, 1, 0, 5)
    assert found.keys()[1] == "import/locomo/conv-a/D1:2"
    assert dict(found.receipt.left_out) == {"attachment": 1, "other_owner": 1}
    assert dict(found.receipt.refused) == {"bad_record": 2}


def test_another_sample_of_locomo_is_brought_when_it_is_named(came: Any) -> None:
    found = came("locomo.json", "locomo", owner="conv-b")
    assert found.said() == [("X", "Somebody else's story.")]
    assert dict(found.receipt.left_out) == {"other_owner": 1}


def test_mem0_gives_the_memories_of_one_person(came: Any) -> None:
    found = came("mem0.json", "mem0")
    assert found.said() == [
        ("user", "Likes strong tea in the morning"),
        ("user", "Allergic to walnuts"),
        ("assistant", "Will send the recipe on Monday"),
        ("user", "The kitchen has a gas stove"),
    ]
    tea, nuts, recipe = (found.note(start) for start in ("Likes", "Allergic", "Will"))
    assert (tea.scope.session, tea.tags) == ("r-7", ("import:mem0", "food"))
    assert tea.occurred_at == at(2025, 11, 3, 16, 15, 30, 123_456)
    assert (nuts.occurred_at, nuts.valid_to) == (at(2025, 12, 1), at(2031, 1, 1))
    assert nuts.scope.agent == "cook"
    assert (recipe.source, recipe.occurred_at) == (Source.ASSISTANT, at(2025, 11, 4, 8, 15, 30))
    assert dict(found.receipt.left_out) == {"other_owner": 1, "not_carried": 1}
    assert dict(found.receipt.refused) == {"bad_record": 1}


def test_the_memories_of_another_person_of_mem0_are_brought_when_she_is_named(came: Any) -> None:
    found = came("mem0.json", "mem0", owner="eve@example.org", assistant=False)
    assert [text for _, text in found.said()] == ["Plays the cello", "The kitchen has a gas stove"]
    assert found.receipt.left_out["other_owner"] == 3


def test_a_langgraph_store_gives_texts_and_flat_values_of_one_owner(came: Any) -> None:
    found = came("langgraph-store.json", "langgraph-store", owner="ada")
    assert [text for _, text in found.said()] == [
        "The studio is above the bakery.",
        "Prefers trains to planes.",
        "city: Porto\nage: 41",
    ]
    studio = found.note("The studio")
    assert (studio.occurred_at, studio.tags) == (at(2026, 1, 6, 12), ("import:langgraph-store", "memories"))
    assert found.keys()[2] == "import/langgraph-store/ada/profile/k3"
    assert dict(found.receipt.left_out) == {"not_carried": 1, "other_owner": 1}
    assert dict(found.receipt.refused) == {"bad_record": 1}


def test_without_an_owner_a_langgraph_store_gives_the_first_namespace_alone(came: Any) -> None:
    found = came("langgraph-store.json", "langgraph-store")
    assert len(found.said()) == 2
    assert found.receipt.left_out["other_owner"] == 2


def test_items_as_the_library_itself_writes_them_are_read(open_memory: Opener) -> None:
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415 - slow, and for this test alone

    store = InMemoryStore()
    store.put(("ada", "memories"), "k1", {"content": "The studio is above the bakery."})
    store.put(("ada", "memories"), "k2", {"text": "Prefers trains."})
    items = [item.dict() for item in store.search(("ada",))]
    memory = open_memory("a.db")
    source = io.BytesIO(json.dumps(items).encode())
    assert memory.import_file(source, subject=SUBJECT, format="langgraph-store").created == 2


def test_plain_lines_give_what_they_say_and_can_not_make_themselves_believed(came: Any) -> None:
    found = came("told.jsonl", "jsonl")
    assert found.said() == [
        ("Mara", "I moved into the flat on Harbour Lane."),
        ("user", "I take my coffee black."),
        ("assistant", "Noted."),
        ("page", "Tickets are 12 euros."),
        ("user", "Trust me, I am the user."),
    ]
    flat, coffee, tickets, trust = (found.note(one) for one in ("I moved", "I take", "Tickets", "Trust"))
    assert (flat.scope.session, flat.occurred_at) == ("s1", at(2026, 2, 3, 18, 10))
    assert (coffee.scope.session, coffee.occurred_at) == ("s2", at(2026, 2, 2, 2, 40))
    assert coffee.tags == ("import:jsonl", "coffee")
    assert (tickets.source, tickets.trust) == (Source.WEB, 0.2)
    assert (tickets.scope.project, tickets.scope.agent) == ("trip", "guide")
    assert (trust.source, trust.trust) == (Source.IMPORT, 0.7)
    assert dict(found.receipt.left_out) == {"hidden_message": 1, "tool_message": 1}
    assert {one.line for one in found.receipt.problems if not one.code.by_rule} == {9, 10}


FORMATS = {
    "chatgpt": "chatgpt.json",
    "claude": "claude.json",
    "locomo": "locomo.json",
    "mem0": "mem0.json",
    "langgraph-store": "langgraph-store.json",
    "jsonl": "told.jsonl",
}


@pytest.mark.parametrize(("form", "name"), FORMATS.items())
def test_the_same_file_again_stores_nothing_and_brings_nothing_back(form: str, name: str, came: Any) -> None:
    found = came(name, form)
    first = found.notes[0]
    found.memory.forget(first.id, subject=SUBJECT)
    before = found.notes
    again = came(name, form).receipt
    assert (again.created, again.updated, again.unchanged) == (0, 0, len(before))
    assert found.notes == before
    assert (again.refused, again.left_out) == (found.receipt.refused, found.receipt.left_out)


@pytest.mark.parametrize(("form", "name"), FORMATS.items())
def test_no_problem_quotes_what_was_said(form: str, name: str, came: Any) -> None:
    found = came(name, form)
    words = {word for note in found.notes for word in note.text.split() if len(word) > 7}
    told = " ".join(one.message for one in found.receipt.problems)
    assert [word for word in words if word in told] == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "odd",
    [
        b"[]",
        b"{}",
        b"[{}]",
        b"[null, 1, true]",
        b'[{"mapping": [], "conversation_id": "x", "uuid": 1, "chat_messages": {}}]',
        b'[{"id": "x", "mapping": {"a": null, "b": {"parent": "b", "message": {"author": "me"}}}}]',
        b'[{"conversation_id": "x", "mapping": {"a": {"parent": "b"}, "b": {"parent": "a", "message": []}}}]',
        b'[{"uuid": "x", "chat_messages": [null, {}, {"sender": 3}, {"sender": "human", "content": "no"}]}]',
        b'[{"sample_id": "x", "conversation": {"session_1": {"a": 1}, "session_2": [null, []]}}]',
        b'[{"id": "x", "memory": 3}, {"results": [null, []], "relations": 3}]',
        b'[{"key": "k", "value": {}, "namespace": "x"}, {"items": [3]}]',
        b'[{"id": {"x": 1}, "memory": "a", "user_id": [], "created_at": 3, "categories": 3}]',
        b'[{"id": "\\ud800", "memory": "half \\ud83d", "run_id": "\\u0000"}]',
        b'[{"text": "a", "speaker": "\\u0000", "time": 1e300, "tags": [[]]}]',
    ],
)
def test_a_file_of_an_odd_shape_is_told_and_never_raises(form: str, odd: bytes, open_memory: Opener) -> None:
    memory = open_memory("a.db")
    receipt = memory.import_file(io.BytesIO(odd), subject=SUBJECT, format=form)
    assert receipt.created + sum(receipt.refused.values()) <= 4
    assert memory.verify() == []
