"""The backfill: missing vectors made up in the background, and when it doesn't."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from atmem_core import Config, Memory, QualityClass
from atmem_core.embedding import EmbedPurpose, Float32Array
from atmem_core.semantic.backfill import Backfill
from tests.semantic.models import GoodModel, opened

ADA = "ada"
COUNT = 40


@pytest.fixture
def model() -> GoodModel:
    return GoodModel("auto", quality=QualityClass.PRODUCTION)


@pytest.fixture
def memory(tmp_path: Path, model: GoodModel) -> Iterator[Memory]:
    with opened(tmp_path / "m.db", {}) as unseen:
        for at in range(COUNT):
            unseen.remember(f"Note number {at}.", subject=ADA)
        unseen.remember("Of another.", subject="bob")
    with opened(tmp_path / "m.db", {"auto": model}) as found:
        yield found


def backfill(memory: Memory, delay_s: float = 0.0) -> Backfill:
    return Backfill(memory._store, memory._profiles, delay_s=delay_s)


def ran(memory: Memory) -> None:
    run = backfill(memory)
    run.start()
    run.join(60)


def test_everything_gets_a_vector_newest_first(memory: Memory, model: GoodModel) -> None:
    ran(memory)
    assert memory.stats().awaiting_vector == 0
    of_ada = [text for text in model.documents if text.startswith("Note")]
    assert of_ada == [f"Note number {at}." for at in reversed(range(COUNT))]
    assert len(model.documents) == COUNT + 1


def test_a_model_that_stops_answering_ends_it_and_the_next_open_goes_on(
    memory: Memory, model: GoodModel
) -> None:
    model.down = True
    ran(memory)
    assert memory.stats().awaiting_vector == COUNT + 1
    model.down = False
    ran(memory)
    assert memory.stats().awaiting_vector == 0


def test_a_poison_note_stops_nothing_below_it(memory: Memory, model: GoodModel) -> None:
    model.poison = "number 33."
    ran(memory)
    assert memory.stats().awaiting_vector == 1
    assert len(set(model.documents)) == COUNT


def test_what_is_stored_meanwhile_embeds_itself(memory: Memory, model: GoodModel) -> None:
    run = backfill(memory)
    run._below = {ADA: memory._store.epoch_store.subjects()[ADA]}
    model.down = True
    memory.remember("Later.", subject=ADA)
    model.down = False
    run._run()
    assert "Later." not in model.documents
    assert memory.stats(ADA).awaiting_vector == 1


def test_closing_ends_it_before_it_began(memory: Memory, model: GoodModel) -> None:
    run = backfill(memory, delay_s=3600.0)
    run.start()
    run.stop()
    run.stop()
    assert model.documents == []


class Halting(GoodModel):
    """Waits in its first call until it is let go."""

    def __init__(self) -> None:
        super().__init__("auto", quality=QualityClass.PRODUCTION)
        self.entered, self.go = threading.Event(), threading.Event()

    def embed(self, texts: object, *, purpose: EmbedPurpose) -> Float32Array:
        self.entered.set()
        assert self.go.wait(60)
        return super().embed(texts, purpose=purpose)  # type: ignore[arg-type]  # handed on


def test_a_close_ends_it_between_two_calls(tmp_path: Path, memory: Memory) -> None:
    model = Halting()
    with opened(tmp_path / "m.db", {"auto": model}) as other:
        run = backfill(other)
        run.start()
        assert model.entered.wait(60)
        run._stop.set()
        model.go.set()
        run.join(60)
        left = other.stats().awaiting_vector
    assert 0 < left < COUNT


@pytest.mark.parametrize("wanted", [True, False])
def test_it_runs_while_a_memory_is_open_unless_it_is_turned_off(
    tmp_path: Path,
    memory: Memory,
    model: GoodModel,
    wanted: bool,  # noqa: FBT001 - pytest passes it
) -> None:
    with Memory.open(tmp_path / "m.db", embedder=model, config=Config(backfill=wanted)) as opened_again:
        alive = opened_again._backfill._thread.is_alive()
    assert alive is wanted
    assert not opened_again._backfill._thread.is_alive()
