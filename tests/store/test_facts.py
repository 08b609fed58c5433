"""Facts in the file: one transaction a write, one subject a look-up, no byte after an erase."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core.config import Config
from atmem_core.errors import NotFound, StoreError
from atmem_core.policy.consolidate import consolidate
from atmem_core.records import (
    Fact,
    FactAction,
    FactDraft,
    FactPlan,
    FactStored,
    PriorFacts,
    RecordKind,
    Scope,
    Selector,
)
from atmem_core.store.fact_protocol import FactFilter
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import IDENTITY, LATER, SteppingClock, drafted, opened, reading, stated, unit

SECRET = "Quagmire | keeps under the flagstones | zanzibarite"  # noqa: S105 - a fact
WORDS = ("quagmire", "Quagmire", "flagston", "zanzibarit")
SOURCE = "nsourceofthesecret"
DIMENSIONS = 384
VECTOR = unit(77, DIMENSIONS)


def put(
    store: SqliteStore, clock: SteppingClock, told: str, *, supersedes: str | None = None, **given: Any
) -> FactStored:
    """State "entity | predicate | object"."""
    entity, predicate, value = told.split(" | ")
    draft = stated(entity, predicate, value, clock, **given)
    return store.fact_store.put(draft, consolidate, supersedes=supersedes)


def listed(store: SqliteStore, subject: str = "ada", *, all_states: bool = False) -> list[Fact]:
    wanted = FactFilter(scope=Scope(subject=subject), at=LATER, all_states=all_states)
    return store.fact_store.facts(wanted, limit=999)


def test_a_fact_is_a_record_with_words_and_a_vector() -> None:
    store, clock = opened(), SteppingClock()
    found = put(store, clock, "Brutus | breed | Bernese mountain dog", source_id="t1")
    store.put_vectors(IDENTITY, {found.row: unit(1)})
    with store.read(reading(kinds=(RecordKind.FACT,))) as view:
        assert view.postings("bernese") == [found.row]
        assert view.eligible([found.row]) == [found.row]
        assert [row for row, _ in view.nearest(IDENTITY, unit(1), 3)] == [found.row]
        part = view.fact_parts([found.row])[found.row]
        assert (part.entity, part.predicate, part.object, part.source_id) == (
            "Brutus",
            "breed",
            "Bernese mountain dog",
            "t1",
        )
    with store.read(reading(kinds=(RecordKind.NOTE,))) as view:
        assert view.eligible([found.row]) == []
    store.close()


def test_a_write_that_fails_half_way_leaves_nothing() -> None:
    store, clock = opened(), SteppingClock()
    old = put(store, clock, "user | lives in | Lisbon").written.fact

    def twice(draft: FactDraft, prior: PriorFacts, supersedes: str | None) -> FactPlan:
        plan = consolidate(draft, prior, supersedes)
        return replace(plan, closes=(*plan.closes, "fmadeup"))

    with pytest.raises(NotFound):
        store.fact_store.put(stated("user", "lives in", "Porto", clock), twice)
    assert listed(store, all_states=True) == [old]
    assert store.verify() == []
    store.close()


def test_a_plan_can_close_nothing_that_is_forgotten() -> None:
    store, clock = opened(), SteppingClock()
    old = put(store, clock, "user | likes | tea").written.fact
    store.fact_store.forget("ada", old.id, at=LATER)

    def stubborn(_draft: FactDraft, _prior: PriorFacts, _supersedes: str | None) -> FactPlan:
        return FactPlan(action=FactAction.UPDATE, closes=(old.id,))

    with pytest.raises(StoreError, match="nothing was stored"):
        store.fact_store.put(stated("user", "likes", "coffee", clock), stubborn)
    assert [fact.id for fact in listed(store, all_states=True)] == [old.id]
    store.close()


def test_a_foreign_id_is_closed_by_nobody_and_found_by_nobody() -> None:
    store, clock = opened(), SteppingClock()
    foreign = put(store, clock, "user | likes | tea", subject="bob").written.fact
    new = put(store, clock, "user | likes | coffee", supersedes=foreign.id).written
    assert (new.action, new.closed) == (FactAction.ADD, ())
    assert store.fact_store.get("bob", foreign.id) == foreign
    assert not store.fact_store.forget("ada", foreign.id, at=LATER)
    assert store.fact_store.of_ids("ada", [foreign.id, new.id]) == {new.id: new.fact}
    for look_up in (store.fact_store.get, store.fact_store.history):
        with pytest.raises(NotFound):
            look_up("ada", foreign.id)
    assert store.fact_store.get("bob", foreign.id) == foreign
    store.close()


_STATEMENTS = st.tuples(
    st.sampled_from(["ada", "bob", "eve"]),
    st.sampled_from(["user", "Brutus"]),
    st.sampled_from(["lives in", "likes", "breed"]),
    st.sampled_from(["Lisbon", "Porto", "tea"]),
    st.integers(0, 6),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_STATEMENTS, max_size=14))
def test_other_subjects_and_their_ids_change_nothing(told: list[tuple[str, str, str, str, int]]) -> None:
    """Told among others', with ids of others as ``supersedes``: as if told alone and without."""
    together, clock = opened(), SteppingClock()
    written: list[tuple[str, str]] = []
    for subject, *parts, back in told:
        foreign = [fact_id for whose, fact_id in written if whose != subject]
        named = foreign[-back] if 0 < back <= len(foreign) else None
        found = put(together, clock, " | ".join(parts), subject=subject, supersedes=named)
        written.append((subject, found.written.id))
    for subject in ("ada", "bob", "eve"):
        alone = opened()
        for whose, *parts, _ in told:
            if whose == subject:
                put(alone, clock, " | ".join(parts), subject=subject)
        assert _states(together, subject) == _states(alone, subject)
        alone.close()
    assert together.verify() == []
    together.close()


def _states(store: SqliteStore, subject: str) -> list[tuple[str, bool]]:
    facts = listed(store, subject, all_states=True)
    return [(fact.text, fact.superseded_by is None) for fact in facts]


@pytest.mark.parametrize("state", ["current", "superseded", "forgotten"])
@pytest.mark.parametrize("by", ["id", "source", "session", "everything"])
def test_erase_leaves_no_byte_of_a_fact(tmp_path: Path, state: str, by: str) -> None:
    path = tmp_path / "agent.db"
    store, clock = opened(path), SteppingClock()
    for at in range(30):
        put(store, clock, f"user | likes | plain thing {at}")
        put(store, clock, f"user | likes | plain thing {at}", subject="bob")
    note = store.add(drafted("something plain", clock)).note
    secret = put(store, clock, SECRET, source_id=note.id, session="doomed")
    store.put_vectors(IDENTITY, {secret.row: VECTOR})
    fact = secret.written.fact
    if state == "superseded":
        put(store, clock, "Quagmire | keeps under the flagstones | nothing", supersedes=fact.id)
        put(store, clock, "Quagmire | keeps under the flagstones | nothing")
    if state == "forgotten":
        assert store.fact_store.forget("ada", fact.id, at=LATER)
    assert traces(path) != []
    for selector in _selectors(by, fact, note.id, store):
        receipt = store.erase("ada", selector, at=LATER)
    assert receipt.counts["facts"] >= 1
    assert traces(path) == []
    assert store.verify() == []
    assert store.stats("bob").facts == 30
    with pytest.raises(NotFound):
        store.fact_store.get("ada", fact.id)
    store.close()
    assert traces(path) == []


def _selectors(by: str, fact: Fact, note_id: str, store: SqliteStore) -> list[Selector]:
    """What takes the fact away; a fact that superseded it holds some of its words and goes too."""
    others = [
        Selector(note_id=one.id) for one in listed(store) if "flagstones" in one.text and one.id != fact.id
    ]
    match by:
        case "source":
            return [*others, Selector(note_id=note_id)]
        case "session":
            return [*others, Selector(session="doomed")]
        case "everything":
            return [Selector(everything=True)]
        case _:
            return [*others, Selector(note_id=fact.id)]


def traces(path: Path) -> list[str]:
    found = []
    for end in ("", "-wal", "-shm", "-journal"):
        file = Path(f"{path}{end}")
        data = file.read_bytes() if file.exists() else b""
        found += [f"{word}{end}" for word in WORDS if word.encode() in data]
        blob = VECTOR.tobytes()
        found += ["vector" for at in range(0, len(blob) - 12, 12) if blob[at : at + 12] in data][:1]
    return found


def test_an_erased_successor_reopens_nothing() -> None:
    store, clock = opened(), SteppingClock()
    old = put(store, clock, "user | lives in | Lisbon").written.fact
    new = put(store, clock, "user | lives in | Porto").written.fact
    store.erase("ada", Selector(note_id=new.id), at=LATER)
    assert listed(store) == []
    assert store.fact_store.get("ada", old.id).superseded_by == "erased"
    assert [fact.id for fact in store.fact_store.history("ada", old.id)] == [old.id]
    assert store.verify() == []
    store.close()


def test_forgetting_ends_a_fact_and_keeps_its_row() -> None:
    store, clock = opened(), SteppingClock()
    fact = put(store, clock, "user | likes | tea").written.fact
    assert store.fact_store.forget("ada", fact.id, at=LATER)
    kept = store.fact_store.get("ada", fact.id)
    assert (kept.text, kept.valid_to, kept.forgotten_at) == (fact.text, LATER, LATER)
    assert not store.fact_store.forget("ada", fact.id, at=LATER)
    with store.read(reading()) as view:
        assert view.postings("tea") == []
    again = put(store, clock, "user | likes | tea").written
    assert (again.action, again.id == fact.id) == (FactAction.ADD, False)
    assert store.verify() == []
    store.close()


def test_forgetting_what_is_superseded_or_unknown_changes_nothing() -> None:
    store, clock = opened(), SteppingClock()
    old = put(store, clock, "user | lives in | Lisbon").written.fact
    put(store, clock, "user | lives in | Porto")
    before = listed(store, all_states=True)
    assert not store.fact_store.forget("ada", old.id, at=LATER)
    assert not store.fact_store.forget("ada", "f-unknown", at=LATER)
    assert listed(store, all_states=True) == before
    store.close()


def test_what_a_note_said_leaves_recall_with_the_note() -> None:
    store, clock = opened(), SteppingClock()
    note = store.add(drafted("I like tea and I have a boat.", clock)).note
    said = [
        put(store, clock, told, source_id=note.id) for told in ("user | likes | tea", "user | owns | a boat")
    ]
    other = put(store, clock, "user | likes | coffee").written.id
    gone = store.forget("ada", Selector(note_id=note.id), at=LATER)
    assert set(gone.ids) == {note.id, *(one.written.id for one in said)}
    assert [fact.id for fact in listed(store)] == [other]
    assert store.verify() == []
    store.close()


def test_the_newest_come_first_and_pages_meet() -> None:
    store, clock = opened(), SteppingClock()
    ids = [put(store, clock, f"user | likes | thing {at}").written.id for at in range(7)]
    wanted = FactFilter(scope=Scope(subject="ada"), at=LATER)
    pages = [store.fact_store.facts(wanted, limit=3, offset=at) for at in (0, 3, 6)]
    assert [fact.id for page in pages for fact in page] == ids[::-1]
    store.close()


def test_a_file_of_the_first_schema_takes_facts(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    first = Path(__file__).parents[2] / "atmem_core" / "store" / "sqlite" / "sql" / "0001_notes.sql"
    connection = apsw.Connection(str(path))
    connection.execute(first.read_text(encoding="utf-8"))
    connection.pragma("application_id", 0x61746D6D)
    connection.pragma("user_version", 1)
    connection.close()
    store = SqliteStore.open(path, config=Config())
    put(store, SteppingClock(), "user | lives in | Lisbon")
    assert store.verify() == []
    assert [fact.object for fact in listed(store)] == ["Lisbon"]
    store.close()


@pytest.mark.parametrize(
    ("damage", "finding", "mended"),
    [
        ("UPDATE facts SET object = 'Madrid'", "its statement is damaged", False),
        ("UPDATE notes SET valid_to = 1", "end otherwise", True),
        ("UPDATE facts SET forgotten_at = 1", "forgotten otherwise", True),
        ("DELETE FROM facts", "has no statement", False),
    ],
)
def test_verify_finds_damage_and_repair_mends_what_is_derived(
    tmp_path: Path, damage: str, finding: str, *, mended: bool
) -> None:
    path = tmp_path / "agent.db"
    store = opened(path)
    put(store, SteppingClock(), "user | lives in | Lisbon")
    store.close()
    connection = apsw.Connection(str(path))
    connection.execute(damage)
    connection.close()
    store = opened(path)
    assert any(finding in line for line in store.verify())
    store.repair()
    assert (store.verify() == []) is mended
    store.close()


def test_vectors_of_facts_are_counted_and_waited_for() -> None:
    store, clock = opened(), SteppingClock()
    rows = [put(store, clock, f"user | likes | thing {at}").row for at in range(3)]
    store.put_vectors(IDENTITY, {rows[0]: np.asarray(unit(1))})
    stats = store.stats("ada")
    assert (stats.facts, stats.notes, stats.vectors, stats.awaiting_vector) == (3, 0, 1, 2)
    store.close()
