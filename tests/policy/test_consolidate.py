"""A new statement against prior facts: nothing is lost, and nothing of a stranger is closed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.consolidate import consolidate
from atmem_core.policy.predicates import is_single, predicate_key
from atmem_core.records import Fact, FactAction, FactDraft, FactNote, FactPlan, PriorFacts, Scope, Source
from atmem_core.remember.fact_draft import Statement, draft_fact
from atmem_core.testing.clocks import FakeClock

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def draft(entity: str, predicate: str, value: str, **given: Any) -> FactDraft:
    scope = Scope(subject="ada", project=given.pop("project", None))
    statement = Statement(entity=entity, predicate=predicate, object=value, scope=scope, **given)
    return draft_fact(statement, FakeClock(NOW))


def fact(entity: str, predicate: str, value: str, **changes: Any) -> Fact:
    made: dict[str, Any] = {
        "id": "f" + value.replace(" ", ""),
        "scope": Scope(subject="ada"),
        "entity": entity,
        "predicate": predicate,
        "object": value,
        "text": f"{entity} {predicate} {value}",
        "speaker": "user",
        "source": Source.USER,
        "trust": 0.9,
        "confidence": 1.0,
        "content_hash": "0" * 64,
        "valid_from": NOW - 30 * DAY,
        "recorded_at": NOW - 30 * DAY,
        **changes,
    }
    return Fact(**made)


LISBON = fact("user", "lives in", "Lisbon")


def planned(new: FactDraft, *, supersedes: str | None = None, **prior: Any) -> FactPlan:
    return consolidate(new, PriorFacts(**prior), supersedes)


def test_the_first_of_its_kind_is_added() -> None:
    assert planned(draft("user", "lives in", "Lisbon")) == FactPlan(action=FactAction.ADD)


def test_the_same_again_is_a_no_op() -> None:
    plan = planned(draft("user", "lives in", "Lisbon"), same=LISBON, standing=(LISBON,), before=LISBON)
    assert (plan.action, plan.closes, plan.notes) == (FactAction.NOOP, (), (FactNote.KNOWN,))


def test_another_value_of_a_predicate_with_one_value_closes_the_old() -> None:
    plan = planned(draft("user", "lives in", "Porto"), standing=(LISBON,), before=LISBON)
    assert (plan.action, plan.closes, plan.succeeded_by) == (FactAction.UPDATE, (LISBON.id,), None)


def test_another_value_of_a_predicate_with_many_stands_beside() -> None:
    tea = fact("user", "likes", "tea")
    plan = planned(draft("user", "likes", "coffee"), standing=(tea,), before=tea)
    assert (plan.action, plan.closes) == (FactAction.ADD, ())


def test_a_fact_that_is_named_gives_way_whatever_its_predicate_counts() -> None:
    tea = fact("user", "likes", "tea")
    plan = planned(draft("user", "dislikes", "tea"), named=tea, supersedes=tea.id)
    assert (plan.action, plan.closes) == (FactAction.UPDATE, (tea.id,))


@pytest.mark.parametrize(
    ("named", "note"),
    [
        (None, FactNote.SUPERSEDES_UNKNOWN),
        (fact("user", "likes", "tea", superseded_by="fnew"), FactNote.SUPERSEDES_STALE),
        (fact("user", "likes", "tea", forgotten_at=NOW), FactNote.SUPERSEDES_STALE),
        (fact("Bob", "likes", "coffee"), FactNote.SUPERSEDES_UNRELATED),
        (fact("user", "owns", "a boat"), FactNote.SUPERSEDES_UNRELATED),
        (
            fact("user", "likes", "coffee", scope=Scope(subject="ada", project="other")),
            FactNote.SUPERSEDES_UNRELATED,
        ),
    ],
)
def test_a_wrong_id_neither_loses_the_new_fact_nor_closes_a_stranger(
    named: Fact | None, note: FactNote
) -> None:
    plan = planned(draft("user", "likes", "coffee"), named=named, supersedes="fwrong")
    assert (plan.action, plan.closes, plan.notes) == (FactAction.ADD, (), (note,))


def test_what_is_more_trusted_stands_and_it_is_said() -> None:
    web = draft("user", "lives in", "Porto", source="web")
    plan = planned(web, standing=(LISBON,), before=LISBON)
    assert (plan.action, plan.closes, plan.notes) == (FactAction.ADD, (), (FactNote.LESS_TRUSTED,))
    plan = planned(web, named=LISBON, supersedes=LISBON.id)
    assert (plan.closes, plan.notes) == ((), (FactNote.LESS_TRUSTED,))


def test_a_more_trusted_telling_of_the_same_takes_its_place() -> None:
    rumour = fact("user", "lives in", "Lisbon", trust=0.2)
    plan = planned(draft("user", "lives in", "Lisbon"), same=rumour, standing=(rumour,), before=rumour)
    assert (plan.action, plan.closes) == (FactAction.UPDATE, (rumour.id,))


def test_what_is_told_late_goes_into_the_past() -> None:
    faro = fact("user", "lives in", "Faro", valid_from=NOW - 300 * DAY)
    new = draft("user", "lives in", "Porto", valid_from=NOW - 100 * DAY)
    plan = planned(new, standing=(LISBON,), before=faro, after=LISBON)
    assert plan.action is FactAction.ADD
    assert plan.closes == (faro.id,)
    assert plan.succeeded_by == LISBON
    assert plan.notes == (FactNote.HISTORICAL,)


def test_a_past_that_was_over_before_the_next_began_needs_no_end() -> None:
    new = draft("user", "lives in", "Porto", valid_from=NOW - 100 * DAY, valid_to=NOW - 50 * DAY)
    plan = planned(new, standing=(LISBON,), after=LISBON)
    assert (plan.closes, plan.succeeded_by) == ((), None)


def test_the_named_fact_gives_way_to_one_that_says_the_new_statement_already() -> None:
    tea, coffee = fact("user", "likes", "tea"), fact("user", "likes", "coffee")
    plan = planned(draft("user", "likes", "tea"), same=tea, named=coffee, supersedes=coffee.id)
    assert (plan.action, plan.closes) == (FactAction.NOOP, (coffee.id,))


FACTS = st.builds(
    fact,
    st.sampled_from(["user", "Bob"]),
    st.sampled_from(["lives in", "likes", "owns"]),
    st.sampled_from(["Lisbon", "tea", "a boat"]),
    trust=st.sampled_from([0.2, 0.9]),
    superseded_by=st.sampled_from([None, "fother"]),
    valid_from=st.sampled_from([NOW - 9 * DAY, NOW, NOW + 9 * DAY]),
)


@given(
    value=st.sampled_from(["Porto", "tea"]),
    predicate=st.sampled_from(["lives in", "likes"]),
    named=st.none() | FACTS,
    source=st.sampled_from(["user", "web"]),
)
def test_whatever_is_named_only_facts_of_the_same_entity_are_closed(
    value: str, predicate: str, named: Fact | None, source: str
) -> None:
    new = draft("user", predicate, value, source=source)
    plan = planned(new, named=named, supersedes="fnamed")
    assert plan.action is not FactAction.NOOP
    for closed in plan.closes:
        assert named is not None
        assert (closed, named.entity, named.superseded_by) == (named.id, "user", None)
        assert named.trust <= new.note.trust


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lives in", "lives_in"),
        ("lives in", "Lives In"),
        ("lives in", "is living in"),
        ("lives in", "resides in"),
        ("lives in", "livesIn"),
        ("works at", "employer"),
        ("works at", "works for"),
        ("favourite colour", "favorite colour"),
        ("favourite colour", "has favourite colour"),
        ("name", "is called"),
    ],
)
def test_one_predicate_has_many_spellings(one: str, other: str) -> None:
    assert predicate_key(one) == predicate_key(other)
    assert is_single(one)
    assert is_single(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("works at", "works as"), ("lives in", "lived in"), ("likes", "dislikes"), ("dog name", "cat name")],
)
def test_other_predicates_stay_apart(one: str, other: str) -> None:
    assert predicate_key(one) != predicate_key(other)


@pytest.mark.parametrize("predicate", ["likes", "owns", "visited", "dog's name", "is allergic to", "speaks"])
def test_what_may_be_true_beside_itself_has_many_values(predicate: str) -> None:
    assert not is_single(predicate)


@pytest.mark.parametrize("predicate", ["name", "favourite food", "birthday", "married to"])
def test_what_is_one_has_one_value(predicate: str) -> None:
    assert is_single(predicate)
