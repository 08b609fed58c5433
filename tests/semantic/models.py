"""Fake models for setups: one that passes the gate, and ways to be bad."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from atmem_core import Config, Memory, QualityClass, SystemClock
from atmem_core.embedding import Embedder, EmbedPurpose, Float32Array, resolve
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity
from atmem_core.semantic.gate_cases import GatePart, bundled_cases
from atmem_core.store import open_store
from atmem_core.testing import FakeEmbedder


def _answers() -> dict[str, str]:
    """The note that each paraphrase of the gate asks for, by the question."""
    cases = bundled_cases()
    parts: Sequence[GatePart] = (cases.calibration, cases.heldout)
    return {one.query: part.notes[one.answer] for part in parts for one in part.paraphrases.values()}


class GoodModel:
    """Passes the gate: knows which note each of its paraphrases asks for. Unknown to any catalog."""

    def __init__(self, name: str, *, quality: QualityClass = QualityClass.UNVERIFIED) -> None:
        self._inner = FakeEmbedder(model=name, quality=quality, dimensions=96)
        self._answers = _answers()
        self.identity: EmbeddingIdentity = self._inner.identity
        self.down = False
        self.poison = ""
        """A text that can't be embedded while this stands in it."""
        self.documents: list[str] = []
        """Every text that was embedded as a document, but for the gate's and the probe."""
        self.queries: list[str] = []
        self.embed_calls = 0

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """As the fake, questions of the gate as their answers."""
        self.embed_calls += 1
        if self.down or (self.poison and any(self.poison in text for text in texts)):
            raise EmbeddingUnavailable("failed", "down")
        own = [text for text in texts if text not in GATE_TEXTS]
        (self.documents if purpose is EmbedPurpose.DOCUMENT else self.queries).extend(own)
        return self._inner.embed([self._answers.get(text, text) for text in texts], purpose=purpose)

    def become(self, revision: str) -> None:
        """What a server does when its model is pulled anew."""
        self.identity = replace(self.identity, revision=revision)


def _gate_texts() -> set[str]:
    cases = bundled_cases()
    found = {"health"}
    for part in (cases.calibration, cases.heldout):
        found |= {*part.notes.values(), *part.unrelated.values()}
        found |= {one.query for one in part.paraphrases.values()}
    return found


GATE_TEXTS = _gate_texts()


class Confused(GoodModel):
    """Bad on purpose: hears one thing in every question."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """A question is no other than the next one."""
        heard = ["which way?"] * len(texts) if purpose is EmbedPurpose.QUERY else texts
        return super().embed(heard, purpose=purpose)


class Eager(GoodModel):
    """Bad on purpose: takes every unrelated question of the held-out part for one about its first note."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """A question that has no answer is heard as a note."""
        part = bundled_cases().heldout
        first, unrelated = next(iter(part.notes.values())), set(part.unrelated.values())
        return super().embed([first if text in unrelated else text for text in texts], purpose=purpose)


def opened(path: object, models: Mapping[str, Embedder], *, config: Config | None = None) -> Memory:
    """A memory whose setups find these models by name; the one called ``auto`` serves without a setup."""
    config = config or Config(backfill=False, judge=False)
    return Memory(
        open_store(str(path), config=config),
        resolve(models.get("auto")),
        config=config,
        clock=SystemClock(),
        automatic=True,
        make=lambda choice: models[str(choice["model"])],
    )
