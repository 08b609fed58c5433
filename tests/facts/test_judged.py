"""Facts are candidates of the same decision as notes: one door, one set of rules."""

from datetime import timedelta
from pathlib import Path

import pytest

from atmem_core import Config, FactAction, Memory, NotFound, ReasonCode, RecordKind, SupportClass
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder


def released(memory: Memory, query: str, **asked: object) -> list[str]:
    return [record.text for record in memory.recall(query, subject="ada", **asked).records]  # type: ignore[arg-type]


def signal(memory: Memory, query: str, record_id: str) -> float | None:
    decision = memory.decide(query, subject="ada")
    return next(one.signals.get("fact_key") for one in decision.candidates if one.record_id == record_id)


def test_remember_brutus(memory: Memory) -> None:
    fact = memory.facts.add("Brutus", "breed", "Bernese Mountain Dog", subject="ada", source_id="t1")
    recall = memory.recall("what breed is my dog Brutus?", subject="ada")
    assert [record.id for record in recall.records] == [fact.id]
    assert [record.kind for record in recall.records] == [RecordKind.FACT]
    assert "Brutus breed Bernese Mountain Dog" in memory.context("what breed is Brutus?", subject="ada").text


def test_a_named_key_is_a_signal_that_may_support(memory: Memory) -> None:
    fact = memory.facts.add("user", "lives in", "Lisbon", subject="ada").id
    anna = memory.facts.add("Anna", "lives in", "Porto", subject="ada").id
    memory.remember("I live near the river.", subject="ada")
    assert signal(memory, "where do I live?", fact) == 1.0
    assert signal(memory, "where do I live?", anna) == 0.0
    assert signal(memory, "where does Anna live?", anna) == 1.0
    decision = memory.decide("where do I live?", subject="ada")
    by_id = {one.record_id: one for one in decision.candidates}
    part = next(part for part in by_id[fact].contributions if part.name == "fact_key")
    assert part.eligible_for_support
    notes = [one for one in decision.candidates if one.record_id not in (fact, anna)]
    assert [one.signals.get("fact_key") for one in notes] == [None]


def test_a_named_key_lifts_what_words_alone_nearly_reach(memory: Memory) -> None:
    question = "before the trip, remind me: do we still live near somewhere in Lisbon or Sintra?"
    memory.facts.add("user", "live in", "Lisbon", subject="ada")
    keyed = memory.decide(question, subject="ada").candidates[0]
    assert keyed.signals["fact_key"] == round(1 / 3, 6)
    memory.erase(subject="ada", everything=True)
    memory.remember("user live in Lisbon", subject="ada")
    note = memory.decide(question, subject="ada").candidates[0]
    assert keyed.signals["lexical"] == note.signals["lexical"]
    assert keyed.relevance_score > note.relevance_score


def test_a_thing_that_the_query_gives_to_another_is_not_the_owners(memory: Memory) -> None:
    memory.facts.add("user", "name", "Ada", subject="ada")
    memory.facts.add("user", "birthday", "12 March", subject="ada")
    assert released(memory, "what is my name?") == ["user name Ada"]
    assert released(memory, "when is my birthday?") == ["user birthday 12 March"]
    for question in ("what is my dog's name?", "what is my brother's name?", "when is my sister's birthday?"):
        assert released(memory, question) == []


@pytest.mark.parametrize("embedder", ["words alone", "with meaning"])
def test_a_noun_names_the_predicate(clock: FakeClock, embedder: str) -> None:
    model = FakeEmbedder() if embedder == "with meaning" else None
    with Memory.open(":memory:", embedder=model, clock=clock) as memory:
        memory.facts.add("user", "works as", "a civil engineer", subject="ada")
        memory.facts.add("user", "married to", "Tom", subject="ada")
        memory.facts.add("Marta", "works as", "a nurse", subject="ada")
        assert released(memory, "what is my job?") == ["user works as a civil engineer"]
        assert released(memory, "who is my husband?") == ["user married to Tom"]
        assert released(memory, "what is Marta's profession?") == ["Marta works as a nurse"]
        assert released(memory, "what is Bob's job?") == []
        assert released(memory, "what is my boss called?") == []


def test_a_fact_that_shares_the_name_alone_answers_no_where(memory: Memory) -> None:
    memory.facts.add("Bob", "is allergic to", "peanuts", subject="ada")
    assert released(memory, "where does Bob live?") == []
    assert released(memory, "what is Bob allergic to?") == ["Bob is allergic to peanuts"]


def test_a_visitors_allergy_is_not_the_owners(memory: Memory) -> None:
    memory.facts.add("I", "am allergic to", "nuts", subject="ada", speaker="Bob")
    for question in ("am I allergic to nuts?", "what am I allergic to?", "what are my allergies?"):
        assert released(memory, question) == []
    assert released(memory, "what is Bob allergic to?") == ["Bob am allergic to nuts"]
    assert [fact.entity for fact in memory.facts.list(subject="ada")] == ["Bob"]
    assert memory.facts.list(subject="ada", entity="user") == ()


def test_anothers_home_is_not_mine(memory: Memory) -> None:
    memory.facts.add("Anna", "lives in", "Porto", subject="ada")
    decision = memory.decide("where do I live?", subject="ada")
    assert decision.support_class is not SupportClass.DIRECT_SUPPORT
    assert ReasonCode.OWNER_MISMATCH in decision.candidates[0].reason_codes
    assert released(memory, "where does Anna live?") == ["Anna lives in Porto"]


def test_what_is_the_owners_is_found_by_my(memory: Memory) -> None:
    for entity in ("user's sister", "my brother"):
        memory.facts.add(entity, "lives in", "Porto", subject="ada")
    assert [fact.entity for fact in memory.facts.list(subject="ada")] == ["user's brother", "user's sister"]
    assert released(memory, "where does my sister live?") == ["my sister lives in Porto"]
    assert released(memory, "where do I live?") == []
    memory.facts.add("my aunt", "lives in", "Faro", subject="ada", speaker="Bob")
    assert released(memory, "where does my aunt live?") == []
    assert released(memory, "where does Bob's aunt live?") == ["Bob's aunt lives in Faro"]


def test_a_fact_and_the_note_that_said_it_count_once(memory: Memory) -> None:
    note = memory.remember("My boat is called Sirena.", subject="ada").id
    fact = memory.facts.add("my boat", "is called", "Sirena", subject="ada", source_id=note).id
    recall = memory.recall("what is my boat called?", subject="ada")
    assert len(recall.records) == 1
    assert {one.record_id for one in recall.decision.candidates} == {note, fact}
    lowered = next(one for one in recall.decision.candidates if one.record_id != recall.records[0].id)
    assert lowered.reason_codes == (ReasonCode.DUPLICATE_CONTENT,)


def test_a_note_whose_facts_are_all_closed_tells_what_is_no_longer_so(
    memory: Memory, clock: FakeClock
) -> None:
    old = memory.remember("I live in Lisbon.", subject="ada").id
    memory.facts.add("user", "lives in", "Lisbon", subject="ada", source_id=old)
    assert len(released(memory, "where do I live?")) == 1
    clock.advance(timedelta(days=9))
    memory.facts.add("user", "lives in", "Porto", subject="ada")
    assert released(memory, "where do I live?") == ["user lives in Porto"]
    decision = memory.decide("where do I live?", subject="ada")
    stale = next(one for one in decision.candidates if one.record_id == old)
    assert stale.reason_codes == (ReasonCode.NEWER_RECORD,)
    then = clock.now() - timedelta(days=1)
    assert len(released(memory, "where do I live?", as_of=then)) == 1
    decision = memory.decide("where do I live?", subject="ada", as_of=then)
    assert all(ReasonCode.NEWER_RECORD not in one.reason_codes for one in decision.candidates)


def test_a_note_holds_until_the_day_on_which_its_fact_gives_way(memory: Memory, clock: FakeClock) -> None:
    old = memory.remember("I live in Lisbon.", subject="ada").id
    memory.facts.add("user", "lives in", "Lisbon", subject="ada", source_id=old)
    day = clock.now() + timedelta(days=30)
    memory.facts.add("user", "lives in", "Porto", subject="ada", valid_from=day)
    for moved in (False, True):
        decision = memory.decide("where do I live?", subject="ada")
        codes = next(one.reason_codes for one in decision.candidates if one.record_id == old)
        assert (ReasonCode.NEWER_RECORD in codes) is moved
        clock.advance(timedelta(days=31))


def test_a_note_with_a_fact_that_stands_is_no_stale_evidence(memory: Memory) -> None:
    note = memory.remember("I live in Lisbon and my boat is called Sirena.", subject="ada").id
    memory.facts.add("user", "lives in", "Lisbon", subject="ada", source_id=note)
    memory.facts.add("boat", "is called", "Sirena", subject="ada", source_id=note)
    memory.facts.add("user", "lives in", "Porto", subject="ada")
    decision = memory.decide("what is my boat called?", subject="ada")
    kept = next(one for one in decision.candidates if one.record_id == note)
    assert ReasonCode.NEWER_RECORD not in kept.reason_codes


@pytest.mark.parametrize("gone", ["forgotten", "expired", "superseded", "erased"])
def test_what_no_longer_holds_is_never_a_candidate(memory: Memory, clock: FakeClock, gone: str) -> None:
    end = clock.now() + timedelta(days=1) if gone == "expired" else None
    fact = memory.facts.add("user", "lives in", "Lisbon", subject="ada", valid_to=end).id
    assert released(memory, "where do I live?") == ["user lives in Lisbon"]
    clock.advance(timedelta(days=2))
    match gone:
        case "forgotten":
            assert memory.facts.forget(fact, subject="ada")
        case "superseded":
            memory.facts.update(fact, "Porto", subject="ada")
        case "erased":
            memory.erase(fact, subject="ada")
        case _:
            pass
    decision = memory.decide("where do I live?", subject="ada")
    assert fact not in {one.record_id for one in decision.candidates}
    assert fact not in {hit.fact.id for hit in memory.facts.search("live Lisbon", subject="ada").hits}
    assert fact not in {one.record_id for one in memory.search("live Lisbon", subject="ada")}


def test_kinds_choose_between_notes_and_facts(memory: Memory) -> None:
    note = memory.remember("I live in Lisbon by the river.", subject="ada").id
    fact = memory.facts.add("user", "lives in", "Lisbon", subject="ada").id
    for kinds, wanted in ((("fact",), {fact}), (("note",), {note}), ((), {fact, note})):
        found = memory.search("where do I live?", subject="ada", kinds=kinds)
        assert {one.record_id for one in found} == wanted
    assert [one.id for one in memory.notes(subject="ada", all_states=True)] == [note]


def test_a_note_never_supersedes_a_fact(memory: Memory) -> None:
    fact = memory.facts.add("user", "lives in", "Lisbon", subject="ada").id
    with pytest.raises(NotFound):
        memory.remember("I live in Porto.", subject="ada", supersedes=fact)
    assert memory.facts.get(fact, subject="ada").superseded_by is None
    assert memory.notes(subject="ada") == []


def test_a_less_trusted_contradiction_is_not_what_is_released(memory: Memory) -> None:
    memory.facts.add("user", "lives in", "Lisbon", subject="ada")
    web = memory.facts.add("user", "lives in", "Atlantis", subject="ada", source="web", speaker="page")
    assert web.action is FactAction.ADD
    assert released(memory, "where do I live?") == ["user lives in Lisbon"]


def test_facts_survive_closing_the_file(path: Path, memory: Memory) -> None:
    memory.facts.add("user", "lives in", "Lisbon", subject="ada")
    memory.close()
    with Memory.open(path, embedder=None) as again:
        assert [fact.object for fact in again.facts.list(subject="ada")] == ["Lisbon"]
        assert [one.text for one in again.recall("where do I live?", subject="ada").records] == [
            "user lives in Lisbon"
        ]


def test_a_fact_that_would_be_released_is_not_cut_before_judgement(clock: FakeClock) -> None:
    question = "before the trip, remind me: do we still live near somewhere in Lisbon or Sintra?"
    with Memory.open(":memory:", embedder=None, config=Config(judged_candidates=1), clock=clock) as memory:
        note = memory.remember("live Lisbon", subject="ada").id  # shorter: its words weigh a little more
        assert memory.decide(question, subject="ada").candidates[0].record_id == note
        fact = memory.facts.add("user", "live in", "Lisbon", subject="ada").id
        assert memory.decide(question, subject="ada").candidates[0].record_id == fact
