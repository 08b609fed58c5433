"""Profiles over a memory: set up, served by, changed, failing, rolled back."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from atmem_core import (
    AsyncSemantic,
    Decision,
    EmbeddingIdentity,
    EpochState,
    Memory,
    ProfileRefused,
    QualityClass,
    ReasonCode,
    Semantic,
    SemanticHealth,
)
from atmem_core.errors import EmbeddingUnavailable
from tests.semantic.models import Confused, Eager, GoodModel, opened

ADA, BOB = "ada", "bob"
NOTES = ("Brutus is my Bernese mountain dog.", "I live in Lisbon.", "The dentist is Dr Weber.")
CANONICAL = ("notes", "note_tags", "facts", "turns", "links", "vocabulary", "near_keys")


@pytest.fixture
def models() -> dict[str, GoodModel]:
    names = ("auto", "old", "new")
    return {one: GoodModel(one) for one in names} | {
        "auto": GoodModel("auto", quality=QualityClass.PRODUCTION),
        "confused": Confused("confused"),
        "eager": Eager("eager"),
        "hash": GoodModel("hash", quality=QualityClass.DIAGNOSTIC),
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(file: Path, models: dict[str, GoodModel]) -> Iterator[Memory]:
    with opened(file, models) as found:
        for text in NOTES:
            found.remember(text, subject=ADA)
        found.remember("Bob's own note.", subject=BOB)
        yield found


class HostThatAgrees:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, identity: EmbeddingIdentity) -> int:
        self.seen.append(identity.digest)
        return 0


def set_up(memory: Memory, model: str, subject: str | None = ADA) -> None:
    memory.semantic.setup(subject=subject, provider="fake", model=model)


def asked(memory: Memory, subject: str = ADA) -> Decision:
    return memory.decide("what breed is my dog Brutus?", subject=subject)


def used(decision: Decision) -> tuple[str, int | None, str]:
    assert decision.semantic is not None
    return decision.semantic.identity, decision.semantic.epoch, decision.semantic.health


def canonical(file: Path) -> dict[str, list[tuple[object, ...]]]:
    found = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    rows = {name: list(found.execute(f"SELECT * FROM {name} ORDER BY 1, 2")) for name in CANONICAL}  # noqa: S608 - names above
    found.close()
    return rows


def refusal(memory: Memory, model: str) -> str:
    with pytest.raises(ProfileRefused) as refused:
        set_up(memory, model)
    return str(refused.value.code)


def test_without_a_setup_all_is_as_it_was(memory: Memory, models: dict[str, GoodModel]) -> None:
    assert used(asked(memory)) == (models["auto"].identity.digest, None, "healthy")
    status = memory.semantic.status(subject=ADA)
    assert (status.health, status.epoch, status.epochs) == (SemanticHealth.NO_PROFILE, None, ())


def test_a_setup_switches_one_subject_alone(memory: Memory, models: dict[str, GoodModel]) -> None:
    done = memory.semantic.setup(subject=ADA, provider="fake", model="new")
    assert (done.embedded, done.reused, done.epoch.state) == (3, 0, EpochState.ACTIVE)
    assert used(asked(memory)) == (models["new"].identity.digest, done.epoch.number, "healthy")
    assert used(asked(memory, BOB))[:2] == (models["auto"].identity.digest, None)
    assert not set(models["new"].documents) & {"Bob's own note."}


def test_a_files_default_serves_whoever_has_no_profile(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "old")
    set_up(memory, "new", None)
    assert used(asked(memory))[0] == models["old"].identity.digest
    assert used(asked(memory, BOB))[0] == used(asked(memory, "carol"))[0] == models["new"].identity.digest


def test_each_note_is_embedded_once_and_a_query_once(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "new")
    model = models["new"]
    assert len(model.documents) == len(NOTES)
    memory.remember("My bicycle is red.", subject=ADA)
    assert len(model.documents) == len(NOTES) + 1
    memory.decide("where do I live?", subject=ADA)
    assert len(model.queries) == 1
    assert memory.stats(ADA).awaiting_vector == 0


def test_a_second_switch_to_a_model_embeds_nothing(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "old")
    set_up(memory, "new")
    before, models["old"].embed_calls = list(models["old"].documents), 0
    done = memory.semantic.setup(subject=ADA, provider="fake", model="old")
    assert (done.embedded, done.reused, models["old"].documents) == (0, len(NOTES), before)
    assert models["old"].embed_calls == 0


def test_no_canonical_record_changes_a_byte(memory: Memory, file: Path) -> None:
    memory.facts.add("user", "lives_in", "Lisbon", subject=ADA)
    before = canonical(file)
    set_up(memory, "old")
    set_up(memory, "new", None)
    set_up(memory, "new")
    memory.semantic.reindex(prune=False)
    memory.semantic.rollback(subject=ADA)
    memory.semantic.rebuild(subject=ADA)
    memory.semantic.verify(subject=ADA)
    memory.semantic.reindex(prune=True)
    assert canonical(file) == before
    assert memory.verify() == []


def test_a_rollback_needs_no_embedding(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "new")
    embedded = {name: list(model.documents) for name, model in models.items()}
    epoch = memory.semantic.rollback(subject=ADA)
    assert epoch.identity.digest == used(asked(memory))[0] == models["auto"].identity.digest
    assert {name: model.documents for name, model in models.items()} == embedded


def test_no_query_reaches_vectors_of_another_epoch(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "new")
    reached = [one.signals for one in asked(memory).candidates]
    assert any(one["semantic"] for one in reached)
    memory._store.epoch_store.activate(  # an epoch whose vectors are then taken away
        memory._store.epoch_store.epochs(ADA)[0].number, at=memory._clock.now()
    )
    with memory._store._connections.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("DELETE FROM vectors WHERE identity = ?", (models["new"].identity.digest,))
    found = asked(memory)
    assert not any(one.signals["semantic"] for one in found.candidates)
    assert ReasonCode.VECTORS_MISSING in found.degraded


def test_a_changed_identity_is_never_asked(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "new")
    named = models["new"].identity.digest
    models["new"].become("2")
    found = memory.decide("which dog is mine?", subject=ADA)
    assert used(found)[0] == named
    assert used(found)[2] == "unavailable"
    assert ReasonCode.EMBEDDING_UNAVAILABLE in found.degraded
    assert models["new"].queries == []
    written = memory.remember("Something new.", subject=ADA)
    assert written.degraded == (ReasonCode.EMBEDDING_UNAVAILABLE.value,)
    status = memory.semantic.status(subject=ADA)
    assert status.health is SemanticHealth.IDENTITY_CHANGED
    assert "atmem semantic rebuild" in status.next_action
    assert memory.semantic.verify(subject=ADA).reasons == ("identity_changed",)
    rebuilt = memory.semantic.rebuild(subject=ADA)
    assert (rebuilt.embedded, rebuilt.epoch.identity) == (len(NOTES) + 1, models["new"].identity)
    assert memory.semantic.status(subject=ADA).health is SemanticHealth.HEALTHY


def test_a_model_that_is_down_costs_meaning_and_comes_back_by_itself(
    memory: Memory, models: dict[str, GoodModel]
) -> None:
    set_up(memory, "new")
    models["new"].down = True
    memory.remember("My bicycle is red.", subject=ADA)
    status = memory.semantic.status(subject=ADA)
    assert (status.health, status.coverage.missing) == (SemanticHealth.UNAVAILABLE, 1)  # type: ignore[union-attr]
    assert "atmem semantic rollback" in status.next_action
    assert memory.semantic.verify(subject=ADA).reasons == ("unavailable",)
    (left, _) = memory.semantic.reindex()
    assert (left.done, left.left, left.reason) == (0, 1, "failed")
    models["new"].down = False
    assert memory.semantic.status(subject=ADA).health is SemanticHealth.INCOMPLETE
    assert memory.semantic.verify(subject=ADA).reasons == ("incomplete",)
    assert [one.left for one in memory.semantic.reindex()] == [0, 0]
    assert memory.semantic.status(subject=ADA).health is SemanticHealth.HEALTHY
    assert memory.semantic.verify(subject=ADA).passed


def test_while_the_model_is_down_nothing_more_is_released(
    memory: Memory, models: dict[str, GoodModel]
) -> None:
    set_up(memory, "new")
    queries = ("what breed is my dog Brutus?", "where do I live?", "who is my dentist?", "who is my uncle?")
    well = {query: set(memory.decide(query, subject=ADA).ranked_record_ids) for query in queries}
    models["new"].down = True
    for query in queries:
        assert set(memory.decide(query + " ", subject=ADA).ranked_record_ids) <= well[query]


@pytest.mark.parametrize(
    ("model", "reason"), [("confused", "paraphrase_not_first"), ("eager", "unrelated_taken")]
)
def test_the_gate_refuses_a_model_that_is_bad_on_purpose(memory: Memory, model: str, reason: str) -> None:
    before = used(asked(memory))
    with pytest.raises(ProfileRefused, match=reason) as refused:
        set_up(memory, model)
    assert refused.value.code == "gate_failed"
    assert (used(asked(memory)), memory.semantic.status(subject=ADA).epochs) == (before, ())


def test_a_diagnostic_model_is_refused_before_it_embeds(memory: Memory, models: dict[str, GoodModel]) -> None:
    assert refusal(memory, "hash") == "diagnostic"
    assert models["hash"].documents == []


def test_other_dimensions_than_were_asked_for_are_refused(memory: Memory) -> None:
    with pytest.raises(ProfileRefused, match="gives 96 dimensions, not 128") as refused:
        memory.semantic.setup(subject=ADA, provider="fake", model="new", dimensions=128)
    assert refused.value.code == "wrong_dimensions"


def test_a_model_that_is_down_is_not_set_up(memory: Memory, models: dict[str, GoodModel]) -> None:
    models["new"].down = True
    with pytest.raises(EmbeddingUnavailable):
        set_up(memory, "new")
    assert used(asked(memory))[1] is None


def test_a_host_that_says_no_keeps_the_model_that_served(
    memory: Memory, models: dict[str, GoodModel]
) -> None:
    with pytest.raises(ProfileRefused, match="status 3") as refused:
        memory.semantic.setup(subject=ADA, provider="fake", model="new", host_test=lambda _: 3)
    assert (refused.value.code, used(asked(memory))[1]) == ("host_test_failed", None)
    embedded = list(models["new"].documents)
    agreed = HostThatAgrees()
    memory.semantic.setup(subject=ADA, provider="fake", model="new", host_test=agreed)
    assert agreed.seen == [models["new"].identity.digest] == [used(asked(memory))[0]]
    assert models["new"].documents == embedded


def test_a_poison_note_refuses_the_switch_and_stops_no_reindex(
    memory: Memory, models: dict[str, GoodModel]
) -> None:
    models["new"].poison = "Lisbon"
    assert refusal(memory, "new") == "records_left"
    assert used(asked(memory))[1] is None
    assert sorted(models["new"].documents) == sorted(one for one in NOTES if "Lisbon" not in one)
    models["new"].poison = ""
    set_up(memory, "new")
    assert len(models["new"].documents) == len(NOTES)


def test_a_note_that_is_stored_between_build_and_switch_gets_its_vector_first(
    memory: Memory, models: dict[str, GoodModel]
) -> None:
    def late(_: object) -> int:
        memory.remember("Told meanwhile.", subject=ADA)
        return 0

    done = memory.semantic.setup(subject=ADA, provider="fake", model="new", host_test=late)
    assert done.embedded == len(NOTES) + 1
    assert memory.semantic.status(subject=ADA).coverage.missing == 0  # type: ignore[union-attr]


def test_a_prune_waits_for_every_note(memory: Memory, models: dict[str, GoodModel]) -> None:
    set_up(memory, "new")
    models["new"].poison = "bicycle"
    memory.remember("My bicycle is red.", subject=ADA)
    (ada, bob) = memory.semantic.reindex(prune=True)
    assert (ada.pruned, ada.left, bob.pruned) == (0, 1, 0)
    models["new"].poison = ""
    (ada, _) = memory.semantic.reindex(prune=True)
    assert (ada.pruned, ada.left, ada.done) == (len(NOTES), 0, 1)
    with pytest.raises(ProfileRefused) as refused:
        memory.semantic.rollback(subject=ADA)
    assert refused.value.code == "vectors_pruned"


def test_keywords_alone_are_a_health_of_their_own(file: Path) -> None:
    with opened(file, {}) as memory:
        memory.remember("One.", subject=ADA)
        assert memory.semantic.status(subject=ADA).health is SemanticHealth.NO_MODEL
        with pytest.raises(ProfileRefused, match="no_model"):
            memory.semantic.verify(subject=ADA)
        (found,) = memory.semantic.reindex(prune=True)
        assert (found.left, found.reason) == (1, "no_model")


def test_an_embedder_of_ones_own_goes_before_the_profile(file: Path, models: dict[str, GoodModel]) -> None:
    with opened(file, models) as memory:
        memory.remember(NOTES[0], subject=ADA)
        set_up(memory, "new")
    with Memory.open(file, embedder=models["old"]) as memory:
        memory.remember(NOTES[1], subject=ADA)
        assert used(memory.decide("where do I live?", subject=ADA))[0] == models["old"].identity.digest
    with opened(file, models) as memory:
        assert memory.stats(ADA).awaiting_vector == 1
        memory.remember(NOTES[2], subject=ADA)
        assert memory.stats(ADA).awaiting_vector == 0


def test_an_unknown_model_that_passed_counts_on_its_own_scale(memory: Memory) -> None:
    set_up(memory, "new")
    found = asked(memory)
    assert found.calibration_version.startswith("minilm-2@")
    semantic = [one for each in found.candidates for one in each.contributions if one.name == "semantic"]
    assert any(one.eligible_for_support for one in semantic)
    scale = memory.semantic.status(subject=ADA).epochs[0].verification.scale  # type: ignore[union-attr]
    assert scale is not None
    assert 0 < scale.null_median < scale.null_high < scale.right_median == 1.0


def test_the_async_book_has_the_same_methods() -> None:
    names = {name for name in vars(Semantic) if not name.startswith("_")}
    assert names == {name for name in vars(AsyncSemantic) if not name.startswith("_")}
    for name in names:
        ours, theirs = getattr(AsyncSemantic, name), getattr(Semantic, name)
        assert inspect.signature(ours) == inspect.signature(theirs), name


def test_a_download_that_was_allowed_once_is_not_kept(memory: Memory) -> None:
    done = memory.semantic.setup(subject=ADA, provider="fake", model="new", allow_download=True)
    assert "allow_download" not in done.epoch.choice
    assert "allow_download" not in memory.semantic.rebuild(subject=ADA).epoch.choice
