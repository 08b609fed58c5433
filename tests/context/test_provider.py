"""Both ends of a turn: once, whole, and without an error for the agent."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from atmem_core import (
    AsyncMemory,
    Channel,
    Config,
    ContextFault,
    InvalidInput,
    Memory,
    RewriteGate,
    RewriteOutcome,
    Rewriting,
    Spoken,
    StoreError,
)
from atmem_core.context import ContextProvider, QueryRewriter
from atmem_core.context.provider import MOST_TURNS
from atmem_core.testing.chat import ScriptedChatModel
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder

DOG = "Brutus is my Bernese mountain dog."
ASKED = "what breed is my dog Brutus?"
TURN: dict[str, Any] = {"turn_id": "t1", "subject": "ada", "session": "s1"}
HISTORY = (Spoken(role="user", text="I have a dog."), Spoken(role="assistant", text="Nice."))


@pytest.fixture
def provider(memory: Memory) -> ContextProvider:
    return memory.provider()


def test_a_turn_is_answered_once_however_many_steps_it_has(
    memory: Memory, provider: ContextProvider, embedder: FakeEmbedder
) -> None:
    """Fault 6 of the reference: each step counted a use and asked the model again."""
    dog = memory.remember(DOG, subject="ada").id
    embedder.calls.clear()
    blocks = [provider.before_turn(ASKED, **TURN) for _ in range(5)]
    assert len(embedder.calls) == 1
    assert all(block is blocks[0] for block in blocks)
    assert memory.get(dog, subject="ada").use_count == 0, "nothing is written before the model is called"
    kept = [provider.after_turn(**TURN) for _ in range(3)]
    assert kept[0].used == (dog,)
    assert all(one is kept[0] for one in kept)
    assert memory.get(dog, subject="ada").use_count == 1


def test_a_turn_with_everything_on_costs_one_embed_one_rewrite_and_no_write(
    memory: Memory, embedder: FakeEmbedder
) -> None:
    model = ScriptedChatModel(["<rewritten_query>breed of the dog Brutus</rewritten_query>"])
    provider = memory.provider(rewriter=QueryRewriter(model))
    dog = memory.remember(DOG, subject="ada").id
    food = memory.remember("He eats no chicken.", subject="ada").id
    memory.links.add(dog, food, subject="ada")
    memory.profile.set("name", "Ada", subject="ada")
    memory.lessons.add("walking the dog", "Carry water.", subject="ada")
    memory.procedures.add("washing the dog", ["Fill.", "Brush."], subject="ada")
    embedder.calls.clear()
    before = list(memory.export_records(subject="ada"))
    for _ in range(3):
        block = provider.before_turn("and which breed is my dog Brutus?", history=HISTORY, **TURN)
    assert len(embedder.calls) == 1
    assert len(model.prompts) == 1
    assert list(memory.export_records(subject="ada")) == before
    assert {section.channel for section in block.sections} >= set(Channel) - {Channel.MEMORY_INDEX}


def test_linked_notes_count_as_used_and_lines_of_the_index_do_not(
    memory: Memory, provider: ContextProvider
) -> None:
    """Fault 5 of the reference: neighbours were shown and never counted."""
    dog = memory.remember(DOG, subject="ada").id
    food = memory.remember("He eats no chicken.", subject="ada").id
    tea = memory.remember("I drink tea.", subject="ada").id
    memory.links.add(dog, food, subject="ada")
    assert tea in provider.before_turn(ASKED, **TURN).record_ids
    assert provider.after_turn(**TURN).used == (dog, food)
    assert [memory.get(one, subject="ada").use_count for one in (dog, food, tea)] == [1, 1, 0]


class Broken:
    """Raises whatever it is asked."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def broken(*_args: object, **_named: object) -> Any:
            raise StoreError("broken")

        return broken


@pytest.mark.parametrize(
    ("part", "fault"),
    [("links", ContextFault.LINKS_FAILED), ("profile", ContextFault.PROFILE_FAILED),
     ("lessons", ContextFault.LESSONS_FAILED), ("procedures", ContextFault.PROCEDURES_FAILED)],
)  # fmt: skip
def test_a_channel_that_fails_is_empty_and_named_and_the_others_are_whole(
    memory: Memory, part: str, fault: ContextFault
) -> None:
    dog = memory.remember(DOG, subject="ada").id
    memory.profile.set("name", "Ada", subject="ada")
    provider = memory.provider()
    object.__setattr__(memory._sources, part, Broken())
    block = provider.before_turn(ASKED, **TURN)
    assert block.degraded == (fault,)
    assert dog in block.record_ids
    assert ("Ada" in block.text) == (part != "profile")
    check = next(one for one in memory.doctor().checks if one.name == "context")
    assert fault in check.detail


def test_a_broken_store_gives_an_empty_context_that_says_so_and_no_error(clock: FakeClock) -> None:
    memory = Memory.open(":memory:", embedder=None, clock=clock)
    provider = memory.provider()
    memory.remember(DOG, subject="ada")
    memory.close()
    block = provider.before_turn(ASKED, **TURN)
    assert block.text == ""
    assert block.decision is None, "a failure is no decision that nothing is useful"
    assert ContextFault.RECALLED_FAILED in block.degraded
    kept = provider.after_turn(user="My cat is called Tom.", **TURN)
    assert ContextFault.CAPTURE_FAILED in kept.degraded


def test_a_failing_rewriter_changes_nothing_but_what_is_said_of_it(memory: Memory) -> None:
    class Careless:
        def rewrite(
            self, message: str, history: Sequence[Spoken], *, subject: str, session: str | None
        ) -> Rewriting:
            raise RuntimeError(message)

    dog = memory.remember(DOG, subject="ada").id
    block = memory.provider(rewriter=Careless()).before_turn(ASKED, history=HISTORY, **TURN)
    assert block.record_ids == (dog,)
    assert ContextFault.REWRITER_FAILED in block.degraded
    assert block.rewriting is not None
    assert "Brutus" not in repr(block.rewriting)


def test_a_chat_model_makes_a_rewriter_by_the_settings(clock: FakeClock) -> None:
    config = Config(rewriter_gate=RewriteGate.ALWAYS, rewriter_history_turns=1)
    with Memory.open(":memory:", embedder=None, clock=clock, config=config) as memory:
        model = ScriptedChatModel(["<rewritten_query>breed of the dog Brutus</rewritten_query>"])
        provider = memory.provider(rewriter_model=model)
        many = [*HISTORY, Spoken(role="user", text="last words"), HISTORY[1]]
        block = provider.before_turn(ASKED, history=many, **TURN)
        assert block.rewriting is not None
        assert block.rewriting.outcome is RewriteOutcome.OK
        shown = model.prompts[0].messages[-1].content
        assert "last words" in shown
        assert "I have a dog." not in shown
        with pytest.raises(InvalidInput):
            memory.provider(rewriter_model=model, rewriter=QueryRewriter(model))


def test_without_a_rewriter_a_context_says_that_there_is_none(provider: ContextProvider) -> None:
    block = provider.before_turn("and hers?", history=HISTORY, **TURN)
    assert block.rewriting is not None
    assert block.rewriting.outcome is RewriteOutcome.SKIPPED_NO_MODEL
    assert block.degraded == ()


@pytest.mark.parametrize("removal", ["forget", "erase", "supersede"])
def test_what_is_removed_in_a_turn_is_not_shown_in_its_next_step(
    memory: Memory, provider: ContextProvider, removal: str
) -> None:
    dog = memory.remember(DOG, subject="ada").id
    food = memory.remember("He eats no chicken.", subject="ada").id
    memory.links.add(dog, food, subject="ada")
    memory.profile.set("name", "Ada", subject="ada")
    first = provider.before_turn(ASKED, **TURN)
    assert set(first.record_ids) >= {dog, food}
    if removal == "supersede":
        memory.supersede(dog, "Brutus is my Leonberger.", subject="ada")
    else:
        getattr(memory, removal)(dog, subject="ada")
    second = provider.before_turn(ASKED, **TURN)
    assert dog not in second.record_ids
    assert food not in second.record_ids, "a neighbour goes with what it hangs on"
    assert "Ada" in second.text
    assert DOG not in second.text
    assert [line.record_id for line in second.receipt.lines] == list(second.record_ids)


def test_profile_lessons_and_procedures_that_fell_leave_the_next_step(
    memory: Memory, provider: ContextProvider
) -> None:
    memory.profile.set("name", "Ada", subject="ada")
    lesson = memory.lessons.add("walking the dog", "Carry water.", subject="ada").id
    steps = memory.procedures.add("washing the dog", ["Fill.", "Brush."], subject="ada").id
    asked = "how do I walk and wash the dog?"
    assert len(provider.before_turn(asked, **TURN).record_ids) == 3
    memory.profile.remove("name", subject="ada")
    memory.lessons.deprecate(lesson, subject="ada")
    memory.procedures.deprecate(steps, subject="ada")
    assert provider.before_turn(asked, **TURN).text == ""


def test_turns_of_two_scopes_never_share_an_answer(memory: Memory, provider: ContextProvider) -> None:
    """Fault D15: a cached provider gave one session the state of another."""
    dog = memory.remember(DOG, subject="ada").id
    assert dog in provider.before_turn(ASKED, turn_id="t1", subject="ada").record_ids
    assert provider.before_turn(ASKED, turn_id="t1", subject="eve").text == ""
    assert provider.before_turn(ASKED, turn_id="t1", subject="ada", project="p").text == ""


def test_turns_are_dropped_the_longest_unused_first(memory: Memory, provider: ContextProvider) -> None:
    dog = memory.remember(DOG, subject="ada").id
    first = provider.before_turn(ASKED, turn_id="t0", subject="ada")
    for number in range(1, MOST_TURNS + 1):
        provider.before_turn("", turn_id=f"t{number}", subject="ada")
    assert len(provider._turns) == MOST_TURNS
    again = provider.before_turn(ASKED, turn_id="t0", subject="ada")
    assert again is not first
    assert dog in again.record_ids


def test_the_index_shows_no_note_of_the_running_conversation(
    memory: Memory, provider: ContextProvider
) -> None:
    old = memory.remember("I drink tea.", subject="ada", session="s0").id
    new = memory.remember("I moved to Leeds.", subject="ada", session="s1").id
    block = provider.before_turn("hello again, what now?", **TURN)
    assert old in block.record_ids
    assert new not in block.record_ids


def test_a_long_message_is_cut_and_still_recalls(memory: Memory, provider: ContextProvider) -> None:
    """Fault 1 of the reference: over 500 characters the provider recalled nothing, without a word."""
    dog = memory.remember(DOG, subject="ada").id
    lesson = memory.lessons.add("walking the dog", "Carry water.", subject="ada").id
    message = "It was a long day. " * 400 + ASKED
    block = provider.before_turn(ASKED + " " + message, **TURN)
    assert {dog, lesson} <= set(block.record_ids)


def test_tool_results_are_looked_up_with_the_message_and_alone(
    memory: Memory, provider: ContextProvider
) -> None:
    dog = memory.remember(DOG, subject="ada").id
    block = provider.before_turn("", tool_results=["What breed is Brutus, the dog?", "  "], **TURN)
    assert dog in block.record_ids


@pytest.mark.parametrize("message", ["", "   ", "\n"])
def test_a_blank_message_looks_nothing_up(
    memory: Memory, provider: ContextProvider, message: str, embedder: FakeEmbedder
) -> None:
    memory.remember(DOG, subject="ada")
    memory.profile.set("name", "Ada", subject="ada")
    embedder.calls.clear()
    block = provider.before_turn(message, **TURN)
    assert embedder.calls == []
    assert block.decision is None
    assert block.degraded == ()
    assert "Ada" in block.text


def test_what_was_said_is_stored_without_what_was_shown(memory: Memory, provider: ContextProvider) -> None:
    """Faults B1 and B2: recalled blocks came back as new memories."""
    memory.remember(DOG, subject="ada")
    for number in range(50):
        turn: dict[str, Any] = {"turn_id": f"t{number}", "subject": "ada", "session": "s1"}
        block = provider.before_turn(ASKED, **turn)
        assert "Bernese" in block.text
        kept = provider.after_turn(user=f"{block.text}\n{ASKED}", assistant=block.text, **turn)
        assert kept.note_ids == ()
    assert memory.stats(subject="ada").notes == 1


def test_what_was_told_is_recallable_in_the_next_turn(memory: Memory, provider: ContextProvider) -> None:
    """Fault B5: what was just said was invisible until some job had run."""
    kept = provider.after_turn(user=DOG, assistant="Lovely.", **TURN)
    assert len(kept.note_ids) == 1
    note = memory.get(kept.note_ids[0], subject="ada")
    assert (note.speaker, note.source, note.scope.session) == ("user", "user", "s1")
    again: dict[str, Any] = {**TURN, "turn_id": "t2"}
    assert kept.note_ids[0] in provider.before_turn(ASKED, **again).record_ids
    assert provider.after_turn(user=DOG, **again).note_ids == kept.note_ids, "told twice, stored once"


def test_small_talk_and_questions_are_not_stored(memory: Memory, provider: ContextProvider) -> None:
    for number, text in enumerate(["thanks!", "what is the time?", "write a haiku"]):
        kept = provider.after_turn(turn_id=f"t{number}", subject="ada", user=text)
        assert kept.passed_over == {"nothing_told": 1}
    assert memory.stats(subject="ada").notes == 0


def test_the_assistants_words_are_its_own_when_they_are_kept(memory: Memory) -> None:
    """Fault K1: the assistant's plans became facts of the user."""
    provider = memory.provider(keep_assistant=True)
    kept = provider.after_turn(user="", assistant="I will book the Elm Road practice.", **TURN)
    note = memory.get(kept.note_ids[0], subject="ada")
    assert (note.speaker, note.source) == ("assistant", "assistant")


def test_a_turn_is_written_to_the_history_when_facts_are_wanted(memory: Memory) -> None:
    provider = memory.provider(facts=True)
    provider.after_turn(user="I live in Leeds.", assistant="Noted.", **TURN)
    said = memory.sessions.recent(subject="ada", session="s1")
    assert [turn.text for turn in said] == ["Noted.", "I live in Leeds."]
    with pytest.raises(InvalidInput) as refused:
        provider.after_turn(user="I live in Leeds.", turn_id="t2", subject="ada")
    assert refused.value.field == "session"


def test_the_notes_of_a_turn_with_several_steps_are_linked_once(memory: Memory) -> None:
    """Fault 11 of the reference: only the last step's ids were seen, so links never came."""
    model = ScriptedChatModel(['{"links": [{"from": 1, "to": 2, "kind": "relates_to", "weight": 0.5}]}'])
    provider = memory.provider(links_model=model)
    dog = memory.remember(DOG, subject="ada").id
    for _ in range(3):
        provider.before_turn(ASKED, **TURN)
    assert model.prompts == [], "no model is asked before the host's own"
    kept = provider.after_turn(user="Brutus eats no chicken.", **TURN)
    assert kept.linked == 1
    assert [(one.from_id, one.to_id) for one in memory.links.list(subject="ada")] == [(dog, kept.note_ids[0])]
    assert len(model.prompts) == 1


def test_a_model_that_makes_no_links_is_named(memory: Memory) -> None:
    """Fault 464 of the reference: links never came, and nothing said so."""
    memory.remember(DOG, subject="ada")
    provider = memory.provider(links_model=ScriptedChatModel())
    provider.before_turn(ASKED, **TURN)
    kept = provider.after_turn(user="Brutus eats no chicken.", **TURN)
    assert kept.degraded == (ContextFault.GENERATION_FAILED,)
    assert len(kept.note_ids) == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"turn_id": ""}, "turn_id"), ({"subject": " "}, "subject"), ({"deadline_ms": -1}, "deadline_ms"),
     ({"tool_results": "text"}, "tool_results"), ({"history": "abc"}, "history"),
     ({"budget_tokens": 0}, "budget_tokens"), ({"tool_results": [5]}, "tool_results")],
)  # fmt: skip
def test_wrong_arguments_are_refused(provider: ContextProvider, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        provider.before_turn(ASKED, **{**TURN, **wrong})
    assert refused.value.field == field


def test_only_the_wanted_channels_are_shown(memory: Memory) -> None:
    memory.remember(DOG, subject="ada")
    memory.profile.set("name", "Ada", subject="ada")
    block = memory.provider(channels=["recalled"]).before_turn(ASKED, **TURN)
    assert [section.channel for section in block.sections] == [Channel.RECALLED]


async def test_an_event_loop_has_the_same_two_calls(clock: FakeClock) -> None:
    async with AsyncMemory.open(":memory:", embedder=None, clock=clock) as memory:
        provider = memory.provider()
        kept = await provider.after_turn(user=DOG, **TURN)
        block = await provider.before_turn(ASKED, turn_id="t2", subject="ada", session="s2")
        assert block.record_ids == kept.note_ids
        assert await provider.before_turn(ASKED, turn_id="t2", subject="ada", session="s2") == block
