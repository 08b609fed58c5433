"""No public verb gives one subject's memory to another. A verb that isn't in the table fails a test."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from atmem_core import AtmemError, EmbeddingUnavailable, InvalidInput, Memory, NotFound, ProfileRefused
from atmem_core.testing.chat import ScriptedChatModel
from atmem_core.testing.clocks import FakeClock
from tests.trust.isolation.owner import CANARIES, NAMES, QUERY, REFUSED, Ids, everything, seen, settle

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
VERBS: dict[str, Callable[[Memory, Any, Ids], object]] = {
    "remember": lambda memory, who, ids: memory.remember("I like tea.", subject=who),
    "remember, in place of": lambda memory, who, ids: memory.remember(
        "I like tea.", subject=who, supersedes=ids.note
    ),
    "supersede": lambda memory, who, ids: memory.supersede(ids.note, "I like tea.", subject=who),
    "forget": lambda memory, who, ids: memory.forget(ids.note, subject=who),
    "forget, a session": lambda memory, who, ids: memory.forget(subject=who, session="s"),
    "forget, all": lambda memory, who, ids: memory.forget(subject=who, everything=True),
    "erase": lambda memory, who, ids: memory.erase(ids.note, subject=who),
    "erase, a project": lambda memory, who, ids: memory.erase(subject=who, project="p"),
    "erase, all": lambda memory, who, ids: memory.erase(subject=who, everything=True),
    "mark_used": lambda memory, who, ids: memory.mark_used([ids.note, ids.fact], subject=who),
    "decide": lambda memory, who, ids: memory.decide(QUERY, subject=who),
    "recall": lambda memory, who, ids: memory.recall(QUERY, subject=who, allow_background=True),
    "context": lambda memory, who, ids: memory.context(QUERY, subject=who, allow_background=True),
    "search": lambda memory, who, ids: memory.search(QUERY, subject=who, k=50),
    "search, keyword": lambda memory, who, ids: memory.search(QUERY, subject=who, mode="keyword"),
    "notes": lambda memory, who, ids: memory.notes(subject=who, all_states=True),
    "get": lambda memory, who, ids: memory.get(ids.note, subject=who),
    "get, a fact": lambda memory, who, ids: memory.get(ids.fact, subject=who),
    "versions": lambda memory, who, ids: memory.versions(ids.old_note, subject=who),
    "stats": lambda memory, who, ids: memory.stats(subject=who),
    "export_records": lambda memory, who, ids: list(memory.export_records(subject=who)),
    "import_records": lambda memory, who, ids: memory.import_records(
        list(memory.export_records(subject="bystander")), subject=who, into_other_subject=True
    ),
    "import_file": lambda memory, who, ids: memory.import_file(
        BytesIO(b'{"text": "I like tea."}'), subject=who
    ),
    "facts.add": lambda memory, who, ids: memory.facts.add(
        "user", "lives in", "Rome", subject=who, supersedes=ids.fact
    ),
    "facts.update": lambda memory, who, ids: memory.facts.update(ids.fact, "Rome", subject=who),
    "facts.get": lambda memory, who, ids: memory.facts.get(ids.fact, subject=who),
    "facts.list": lambda memory, who, ids: memory.facts.list(subject=who, all_states=True),
    "facts.as_of": lambda memory, who, ids: memory.facts.as_of(NOW, subject=who),
    "facts.search": lambda memory, who, ids: memory.facts.search("who lives in periwinkle", subject=who),
    "facts.history": lambda memory, who, ids: memory.facts.history(ids.fact, subject=who),
    "facts.forget": lambda memory, who, ids: memory.facts.forget(ids.fact, subject=who),
    "context, of a turn": lambda memory, who, ids: memory.context(
        QUERY, subject=who, channels=["memory-index", "recalled", "profile", "lessons", "procedures"]
    ),
    "forget, a lesson": lambda memory, who, ids: memory.forget(ids.lesson, subject=who),
    "erase, a lesson": lambda memory, who, ids: memory.erase(ids.lesson, subject=who),
    "links.add": lambda memory, who, ids: memory.links.add(ids.note, ids.old_note, subject=who),
    "links.list": lambda memory, who, ids: memory.links.list(subject=who),
    "links.list, of a note": lambda memory, who, ids: memory.links.list(subject=who, note_id=ids.note),
    "links.remove": lambda memory, who, ids: memory.links.remove(ids.note, ids.old_note, subject=who),
    "links.expand": lambda memory, who, ids: memory.links.expand([ids.note], subject=who, depth=3),
    "links.generate": lambda memory, who, ids: memory.links.generate(
        [ids.note, ids.old_note], ScriptedChatModel(['{"links": []}']), subject=who
    ),
    "profile.set": lambda memory, who, ids: memory.profile.set("gym", "is new", subject=who),
    "profile.get": lambda memory, who, ids: memory.profile.get("gym", subject=who),
    "profile.list": lambda memory, who, ids: memory.profile.list(subject=who),
    "profile.history": lambda memory, who, ids: memory.profile.history("gym", subject=who),
    "profile.recall": lambda memory, who, ids: memory.profile.recall(QUERY, subject=who),
    "profile.vote": lambda memory, who, ids: memory.profile.vote("gym", 1, subject=who),
    "profile.remove": lambda memory, who, ids: memory.profile.remove("gym", subject=who),
    "lessons.add": lambda memory, who, ids: memory.lessons.add("tea", "Warm the pot.", subject=who),
    "lessons.add, from a note": lambda memory, who, ids: memory.lessons.add(
        "tea", "Warm the pot.", subject=who, parent_ids=[ids.note]
    ),
    "lessons.get": lambda memory, who, ids: memory.lessons.get(ids.lesson, subject=who),
    "lessons.list": lambda memory, who, ids: memory.lessons.list(subject=who, status=None),
    "lessons.recall": lambda memory, who, ids: memory.lessons.recall(QUERY, subject=who, k=10),
    "lessons.deprecate": lambda memory, who, ids: memory.lessons.deprecate(ids.lesson, subject=who),
    "lessons.deprecate_stale": lambda memory, who, ids: memory.lessons.deprecate_stale(subject=who),
    "lessons.outcome": lambda memory, who, ids: memory.lessons.outcome(ids.lesson, success=True, subject=who),
    "lessons.vote": lambda memory, who, ids: memory.lessons.vote(ids.lesson, 1, subject=who),
    "lessons.used": lambda memory, who, ids: memory.lessons.used([ids.lesson], subject=who),
    "lessons.consolidate": lambda memory, who, ids: memory.lessons.consolidate(
        ScriptedChatModel(["no"]), subject=who
    ),
    "procedures.add": lambda memory, who, ids: memory.procedures.add("tea", ["Boil.", "Pour."], subject=who),
    "procedures.add, of a lesson": lambda memory, who, ids: memory.procedures.add(
        "tea", ["Boil.", "Pour."], subject=who, lesson_ids=[ids.lesson]
    ),
    "procedures.get": lambda memory, who, ids: memory.procedures.get(ids.procedure, subject=who),
    "procedures.list": lambda memory, who, ids: memory.procedures.list(subject=who, status=None),
    "procedures.recall": lambda memory, who, ids: memory.procedures.recall(QUERY, subject=who, k=10),
    "procedures.deprecate": lambda memory, who, ids: memory.procedures.deprecate(ids.procedure, subject=who),
    "procedures.deprecate_stale": lambda memory, who, ids: memory.procedures.deprecate_stale(subject=who),
    "procedures.outcome": lambda memory, who, ids: memory.procedures.outcome(
        ids.procedure, success=False, subject=who
    ),
    "procedures.vote": lambda memory, who, ids: memory.procedures.vote(ids.procedure, -1, subject=who),
    "procedures.used": lambda memory, who, ids: memory.procedures.used([ids.procedure], subject=who),
    "provider, before": lambda memory, who, ids: memory.provider().before_turn(
        QUERY, turn_id="t", subject=who, allow_background=True
    ),
    "provider, after": lambda memory, who, ids: memory.provider().after_turn(
        turn_id="t", subject=who, user="I like tea."
    ),
    "sessions.append": lambda memory, who, ids: memory.sessions.append("Hi.", subject=who, session="s"),
    "sessions.finish": lambda memory, who, ids: memory.sessions.finish("Hi.", subject=who, session="s"),
    "sessions.recent": lambda memory, who, ids: memory.sessions.recent(subject=who, session="s"),
    "sessions.search": lambda memory, who, ids: memory.sessions.search("gym", subject=who, session="s"),
    "sessions.extract_pending": lambda memory, who, ids: memory.sessions.extract_pending(subject=who),
    "sessions.waiting": lambda memory, who, ids: memory.sessions.waiting(who),
    "quarantine.list": lambda memory, who, ids: memory.quarantine.list(subject=who),
    "quarantine.confirm": lambda memory, who, ids: memory.quarantine.confirm(ids.suspect, subject=who),
    "quarantine.reject": lambda memory, who, ids: memory.quarantine.reject(ids.suspect, subject=who),
    "semantic.status": lambda memory, who, ids: memory.semantic.status(subject=who),
    "semantic.setup": lambda memory, who, ids: memory.semantic.setup(subject=who, provider="elsewhere"),
    "semantic.verify": lambda memory, who, ids: memory.semantic.verify(subject=who),
    "semantic.rebuild": lambda memory, who, ids: memory.semantic.rebuild(subject=who),
    "semantic.rollback": lambda memory, who, ids: memory.semantic.rollback(subject=who),
}
"""Every verb that names a subject, called as a stranger with the owner's ids, words and labels."""
MAY_BE_NONE = {
    "stats", "sessions.extract_pending", "sessions.waiting", "import_records", "semantic.status",
    "semantic.setup", "semantic.verify", "semantic.rebuild", "semantic.rollback",
}  # fmt: skip
"""Without a subject they count the whole file and give no text; an import goes by its header, and a model
without a subject is the file's default."""
WHOLE_FILE = {
    "open", "close", "doctor", "verify", "repair", "backup", "facts.close", "facts.recorder",
    "sessions.close", "sessions.check", "sessions.health", "sessions.drain", "sessions.extract_with",
    "semantic.reindex", "lessons.close", "lessons.consolidate_every",
}  # fmt: skip
"""They name no subject and give no record: a person who has the file calls them."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "agent.db", embedder=None, clock=FakeClock()) as opened:
        opened.remember("I like tea.", subject="bystander")
        yield opened


@pytest.fixture
def ids(memory: Memory) -> Ids:
    return settle(memory)


def public_verbs() -> set[str]:
    """Of Memory, and of whatever has a life of its own on it."""
    with Memory.open(":memory:", embedder=None) as memory:
        found = {name for name in dir(Memory) if not name.startswith("_") and callable(getattr(Memory, name))}
        for part, value in vars(memory).items():
            inside = type(value).__module__
            if not part.startswith("_") and inside.startswith("atmem_core.") and ".events" not in inside:
                found |= {f"{part}.{name}" for name in dir(value) if not name.startswith("_")}
    return found


def test_every_public_verb_is_in_the_table() -> None:
    tried = {name.split(",")[0] for name in VERBS}
    assert tried | WHOLE_FILE == public_verbs()
    assert not tried & WHOLE_FILE


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_gives_a_stranger_nothing_and_changes_nothing(verb: str, memory: Memory, ids: Ids) -> None:
    before = everything(memory)
    for kind, who in NAMES.items():
        try:
            given = VERBS[verb](memory, who, ids)
        except AtmemError as error:
            given = error
        assert seen(given) == [], kind
    memory.sessions.drain()
    assert everything(memory) == before
    assert sum(canary in line.casefold() for line in before for canary in CANARIES) >= len(CANARIES)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_refuses_what_is_no_subject(verb: str, memory: Memory, ids: Ids) -> None:
    before = everything(memory)
    for kind, who in REFUSED.items():
        if who is None and verb in MAY_BE_NONE:
            with suppress(NotFound, ProfileRefused, InvalidInput, EmbeddingUnavailable):
                assert seen(VERBS[verb](memory, who, ids)) == []
            continue
        with pytest.raises(InvalidInput) as refused:
            VERBS[verb](memory, who, ids)
        assert refused.value.field == "subject", kind
    assert everything(memory) == before


@pytest.mark.parametrize(
    "verb",
    ["supersede", "forget", "erase", "get", "get, a fact", "versions", "facts.get", "facts.history",
     "facts.update", "facts.forget", "quarantine.confirm", "quarantine.reject", "remember, in place of",
     "forget, a lesson", "erase, a lesson", "links.add", "links.list, of a note", "links.remove",
     "lessons.get", "lessons.deprecate", "lessons.outcome", "lessons.vote", "lessons.add, from a note",
     "procedures.get", "procedures.deprecate", "procedures.outcome", "procedures.vote",
     "procedures.add, of a lesson"],
)  # fmt: skip
def test_a_foreign_id_answers_as_one_that_is_not_there(verb: str, memory: Memory, ids: Ids) -> None:
    """The same class and the same words: the answer doesn't even say that the record exists."""
    made_up = Ids(note="nmade", old_note="nother", fact="fmade", suspect="nmade")
    answers = []
    for asked in (ids, made_up):
        try:
            answers.append(repr(VERBS[verb](memory, "eve", asked)))
        except NotFound as error:
            said = str(error)
            for name in ("note", "old_note", "fact", "suspect", "lesson", "procedure"):
                said = said.replace(getattr(asked, name), "ID")
            answers.append(said)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("verb", ["decide", "search", "stats", "context"])
def test_a_strangers_numbers_are_the_same_whoever_else_is_in_the_file(verb: str, tmp_path: Path) -> None:
    given = []
    for crowded in (False, True):
        with Memory.open(tmp_path / f"{crowded}.db", embedder=None, clock=FakeClock()) as memory:
            told = [memory.remember(text, subject="eve").id for text in ("My gym is new.", "My locker jams.")]
            ids = Ids(note="n1", old_note="n1", fact="f1", suspect="n1")
            if crowded:
                settle(memory)
                for number in range(20):
                    memory.remember(f"The gym locker code is {number}.", subject="ada")
            shown = repr(VERBS[verb](memory, "eve", ids))
            given.append(shown if verb != "stats" else repr((memory.stats(subject="eve").notes, told)))
    assert given[0] == given[1]
