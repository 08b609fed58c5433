"""Epochs in the store: begun, verified, active, retired; what is missing, what may be pruned."""

from collections.abc import Iterator

import pytest

from atmem_core.errors import NotFound, ProfileRefused
from atmem_core.records import EmbeddingIdentity, Epoch, EpochState, Selector, Verification
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import LATER, START, SteppingClock, drafted, opened, reading, unit

PASSED = Verification(gate={"passed": True}, scale=None)


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    found = opened()
    yield found
    found.close()


def model(name: str) -> EmbeddingIdentity:
    return EmbeddingIdentity(provider="fake", model=name, revision="1", dimensions=8)


OLD, NEW, THIRD = model("old"), model("new"), model("third")


def told(store: SqliteStore, *texts: str, subject: str = "ada") -> list[int]:
    clock = SteppingClock(name=f"{subject}{len(store.epoch_store.missing(subject, '', limit=999))}")
    return [store.add(drafted(text, clock, subject=subject)).row for text in texts]


def embed(store: SqliteStore, identity: EmbeddingIdentity, rows: list[int]) -> None:
    store.put_vectors(identity.digest, {row: unit(row) for row in rows})


def begun(store: SqliteStore, identity: EmbeddingIdentity, owner: str | None = "ada") -> Epoch:
    epoch = store.epoch_store.stage(owner, identity, {"provider": "fake"}, at=START)
    return store.epoch_store.verify_epoch(epoch.number, PASSED, at=START)


def switched(store: SqliteStore, identity: EmbeddingIdentity, owner: str | None = "ada") -> Epoch:
    rows = [one.row for one in store.epoch_store.missing(owner, identity.digest, limit=999)]
    embed(store, identity, rows)
    return store.epoch_store.activate(begun(store, identity, owner).number, at=START)


def waiting(store: SqliteStore) -> list[int]:
    return sorted(one.row for one in store.awaiting_vectors(limit=999))


def code(refused: pytest.ExceptionInfo[ProfileRefused]) -> str:
    return refused.value.code


def test_an_epoch_goes_through_its_states(store: SqliteStore) -> None:
    staged = store.epoch_store.stage("ada", OLD, {"provider": "fake", "model": "m"}, at=START)
    assert (staged.state, staged.subject, staged.identity) == (EpochState.STAGED, "ada", OLD)
    assert staged.choice == {"provider": "fake", "model": "m"}
    verified = store.epoch_store.verify_epoch(staged.number, PASSED, at=START)
    assert (verified.state, verified.verification) == (EpochState.VERIFIED, PASSED)
    assert store.epoch_store.serving("ada") is None
    active = store.epoch_store.activate(staged.number, at=START)
    assert (active.state, store.epoch_store.serving("ada")) == (EpochState.ACTIVE, active)
    switched(store, NEW)
    states = [(one.identity, one.state) for one in store.epoch_store.epochs("ada")]
    assert states == [(NEW, EpochState.ACTIVE), (OLD, EpochState.RETIRED)]


def test_nothing_is_active_before_it_passed_the_gate_and_every_record_has_a_vector(
    store: SqliteStore,
) -> None:
    rows = told(store, "one", "two")
    staged = store.epoch_store.stage("ada", OLD, {}, at=START)
    with pytest.raises(ProfileRefused) as refused:
        store.epoch_store.activate(staged.number, at=START)
    assert code(refused) == "not_verified"
    store.epoch_store.verify_epoch(staged.number, PASSED, at=START)
    embed(store, OLD, rows[:1])
    with pytest.raises(ProfileRefused, match="1 records have no vector") as refused:
        store.epoch_store.activate(staged.number, at=START)
    assert (code(refused), store.epoch_store.serving("ada")) == ("records_left", None)
    embed(store, OLD, rows[1:])
    assert store.epoch_store.activate(staged.number, at=START).state is EpochState.ACTIVE


def test_a_begun_epoch_is_gone_on_with_and_another_model_gives_it_up(store: SqliteStore) -> None:
    first = store.epoch_store.stage("ada", OLD, {"batch": 1}, at=START)
    again = store.epoch_store.stage("ada", OLD, {"batch": 2}, at=LATER)
    assert (again.number, again.staged_at, again.choice) == (first.number, first.staged_at, {"batch": 2})
    other = store.epoch_store.stage("ada", NEW, {}, at=START)
    assert [one.number for one in store.epoch_store.epochs("ada")] == [other.number]
    with pytest.raises(NotFound):
        store.epoch_store.activate(first.number, at=START)


def test_what_was_active_can_not_be_given_up(store: SqliteStore) -> None:
    epoch = switched(store, OLD)
    store.epoch_store.give_up(epoch.number)
    assert store.epoch_store.serving("ada") == epoch


def test_missing_is_newest_first_a_page_at_a_time_without_the_forgotten(store: SqliteStore) -> None:
    rows = told(store, "one", "two", "three", "four")
    embed(store, OLD, rows[2:3])
    embed(store, NEW, rows[:2])
    found = store.epoch_store.missing("ada", OLD.digest, limit=2)
    assert [one.row for one in found] == [rows[3], rows[1]]
    rest = store.epoch_store.missing("ada", OLD.digest, limit=2, before=found[-1].row)
    assert [one.row for one in rest] == rows[:1]
    store.forget("ada", Selector(note_id=rest[0].note.id), at=LATER)
    counted = store.epoch_store.coverage("ada", OLD.digest)
    assert (counted.records, counted.vectors, counted.missing) == (3, 1, 2)
    assert store.epoch_store.missing("nobody", OLD.digest, limit=9) == []
    assert store.epoch_store.coverage("nobody", OLD.digest).records == 0


def test_a_subject_has_its_own_epoch_over_the_files_default(store: SqliteStore) -> None:
    told(store, "ada's")
    bobs = told(store, "bob's", subject="bob")
    own = switched(store, OLD)
    assert [one.row for one in store.epoch_store.missing(None, NEW.digest, limit=9)] == bobs
    default = switched(store, NEW, None)
    assert (default.subject, store.epoch_store.serving("bob")) == (None, default)
    assert store.epoch_store.serving("a stranger") == default
    assert store.epoch_store.serving("ada") == own
    assert store.epoch_store.missing("ada", NEW.digest, limit=9) != []


def test_a_note_waits_for_a_vector_of_the_model_that_serves_it(store: SqliteStore) -> None:
    switched(store, OLD)
    (row,) = told(store, "new")
    embed(store, NEW, [row])
    assert waiting(store) == [row]
    embed(store, OLD, [row])
    assert waiting(store) == []


def test_without_any_epoch_any_vector_ends_the_waiting(store: SqliteStore) -> None:
    embed(store, NEW, told(store, "new"))
    assert waiting(store) == []


def test_a_rollback_returns_at_once_and_what_came_since_waits(store: SqliteStore) -> None:
    told(store, "one")
    before = switched(store, OLD)
    switched(store, NEW)
    (late,) = told(store, "two")
    embed(store, NEW, [late])
    back = store.epoch_store.roll_back("ada", at=LATER)
    assert (back.identity, back.state) == (OLD, EpochState.ACTIVE)
    assert back.number > before.number
    assert waiting(store) == [late]


def test_rollbacks_go_on_backwards_and_end(store: SqliteStore) -> None:
    for one in (OLD, NEW, THIRD):
        switched(store, one)
    assert [store.epoch_store.roll_back("ada", at=LATER).identity for _ in range(2)] == [NEW, OLD]
    with pytest.raises(ProfileRefused) as refused:
        store.epoch_store.roll_back("ada", at=LATER)
    assert (code(refused), store.epoch_store.serving("ada")) == (
        "no_earlier_epoch",
        store.epoch_store.epochs("ada")[0],
    )
    switched(store, THIRD)
    assert store.epoch_store.roll_back("ada", at=LATER).identity == OLD


def test_a_stranger_has_nothing_to_roll_back_to(store: SqliteStore) -> None:
    switched(store, OLD, None)
    switched(store, NEW, None)
    with pytest.raises(ProfileRefused):
        store.epoch_store.roll_back("a stranger", at=LATER)
    assert store.epoch_store.serving(None).identity == NEW  # type: ignore[union-attr]


def test_what_served_without_setup_can_be_returned_to(store: SqliteStore) -> None:
    store.epoch_store.adopt("ada", OLD, {}, at=START)
    store.epoch_store.adopt("ada", THIRD, {}, at=START)
    switched(store, NEW)
    back = store.epoch_store.roll_back("ada", at=LATER)
    assert (back.identity, back.choice) == (OLD, {})


def test_a_prune_takes_all_other_vectors_or_none(store: SqliteStore) -> None:
    rows = told(store, "one", "two")
    strangers = told(store, "bob's", subject="bob")
    embed(store, OLD, [*rows, *strangers])
    switched(store, NEW)
    told(store, "three")
    with pytest.raises(ProfileRefused) as refused:
        store.epoch_store.prune("ada", NEW.digest)
    assert (code(refused), store.epoch_store.coverage("ada", OLD.digest).vectors) == ("records_left", 2)
    embed(store, NEW, waiting(store))
    assert store.epoch_store.prune("ada", NEW.digest) == 2
    assert store.epoch_store.coverage("ada", OLD.digest).vectors == 0
    assert store.epoch_store.coverage("ada", NEW.digest).missing == 0
    assert store.epoch_store.coverage("bob", OLD.digest).vectors == 1
    assert store.epoch_store.prune("ada", NEW.digest) == store.epoch_store.prune("nobody", "") == 0


def test_a_prune_leaves_what_is_being_built(store: SqliteStore) -> None:
    rows = told(store, "one")
    switched(store, OLD)
    begun(store, NEW)
    embed(store, NEW, rows)
    assert store.epoch_store.prune("ada", OLD.digest) == 0
    assert store.epoch_store.coverage("ada", NEW.digest).vectors == 1


@pytest.mark.parametrize("owner", ["ada", None])
def test_pruned_vectors_are_no_place_to_return_to(store: SqliteStore, owner: str | None) -> None:
    told(store, "one")
    switched(store, OLD, owner)
    switched(store, NEW, owner)
    store.epoch_store.prune("ada", NEW.digest)
    with pytest.raises(ProfileRefused) as refused:
        store.epoch_store.roll_back(owner, at=LATER)
    assert code(refused) == "vectors_pruned"


def test_an_erased_subject_leaves_no_epoch(store: SqliteStore) -> None:
    told(store, "one")
    switched(store, OLD)
    store.erase("ada", Selector(everything=True), at=LATER)
    assert store.epoch_store.epochs("ada") == []
    assert store.epoch_store.subjects() == {}


def test_a_cached_matrix_is_built_anew_after_a_prune(store: SqliteStore) -> None:
    rows = told(store, "one", "two", "three")
    embed(store, OLD, rows)

    def nearest() -> list[int]:
        with store.read(reading()) as view:
            return [row for row, _ in view.nearest(OLD.digest, unit(rows[0]), 9)]

    assert sorted(nearest()) == sorted(nearest()) == rows
    switched(store, NEW)
    store.epoch_store.prune("ada", NEW.digest)
    assert nearest() == []
