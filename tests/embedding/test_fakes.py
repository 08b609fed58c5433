"""The fakes, and a conformance kit that can fail."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

from atmem_core.embedding import EmbeddingIdentity, EmbedPurpose, Float32Array
from atmem_core.errors import InvalidInput
from atmem_core.testing.embedders import (
    BrokenEmbedder,
    EmbedCall,
    FakeEmbedder,
    Fault,
    check_embedder,
)

QUERY = EmbedPurpose.QUERY


class Drifting(FakeEmbedder):
    """Gives each call another direction."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        rows = super().embed(texts, purpose=purpose)
        return np.roll(rows, len(self.calls), axis=1)


class Mixing(FakeEmbedder):
    """Lets the texts of one call colour each other."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        rows = super().embed(texts, purpose=purpose)
        rows += 0.01 * rows.sum(axis=0)
        mixed: Float32Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return mixed


class Blind(FakeEmbedder):
    """Sees no difference."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        return super().embed(["same"] * len(texts), purpose=purpose)


class Fragile(FakeEmbedder):
    """Can't read a lone surrogate."""

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        return super().embed([text.encode().decode() for text in texts], purpose=purpose)


class Shifting(FakeEmbedder):
    """Never says the same identity twice."""

    _reads = count()

    @property
    def identity(self) -> EmbeddingIdentity:
        return FakeEmbedder(model=f"fake {next(self._reads)}").identity


def cosine(fake: FakeEmbedder, one: str, other: str) -> float:
    rows = fake.embed([one, other], purpose=QUERY)
    return float(rows[0] @ rows[1])


def test_the_fake_keeps_the_protocol() -> None:
    check_embedder(FakeEmbedder(), tolerance=0.0)
    check_embedder(FakeEmbedder(synonyms=[("bees", "hive")], dimensions=16), tolerance=0.0)


@pytest.mark.parametrize(
    ("embedder", "complaint"),
    [
        (Drifting(), "asking again changes a vector"),
        (Mixing(), "asking alone changes a vector"),
        (Blind(), "two different texts have one vector"),
        (Shifting(), "the identity's digest changes"),
        (BrokenEmbedder(Fault.NOT_FINITE), "a number isn't finite"),
        (BrokenEmbedder(Fault.NOT_NORMALIZED), "a row's length is off 1"),
        (BrokenEmbedder(Fault.WRONG_DIMENSIONS), "expected shape"),
        (BrokenEmbedder(Fault.WRONG_LENGTH), "expected shape"),
        (BrokenEmbedder(Fault.WRONG_DTYPE), "expected float32, got float64"),
    ],
)
def test_the_kit_names_the_broken_promise(embedder: FakeEmbedder, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_embedder(embedder)


def test_the_kit_tries_text_that_can_not_be_encoded() -> None:
    with pytest.raises(UnicodeEncodeError):
        check_embedder(Fragile())


def test_words_of_one_group_mean_the_same() -> None:
    fake = FakeEmbedder(synonyms=[("dog", "Hound")])
    assert cosine(fake, "my dog", "My hound!") == pytest.approx(1.0)
    assert abs(cosine(fake, "dog", "tax")) < 0.5


def test_a_text_has_the_vector_that_the_test_gives_it() -> None:
    fake = FakeEmbedder({"bees": [3.0, 4.0]})
    rows = fake.embed(["bees"], purpose=QUERY)
    assert rows.tolist() == [pytest.approx([0.6, 0.8])]
    assert fake.identity.dimensions == 2


def test_vectors_of_two_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"of one length, got \[1, 2\]"):
        FakeEmbedder({"bees": [1.0], "tax": [1.0, 0.0]})


def test_the_fake_remembers_its_calls() -> None:
    fake = FakeEmbedder()
    fake.embed(["bees", "tax"], purpose=QUERY)
    assert fake.calls == [EmbedCall(texts=("bees", "tax"), purpose=QUERY)]


def test_a_hanging_embedder_answers_when_it_is_released() -> None:
    with ThreadPoolExecutor(1) as pool, BrokenEmbedder(Fault.HANGS) as broken:
        asked = pool.submit(broken.embed, ["bees"], purpose=QUERY)
        assert broken.entered.wait(timeout=30)
        assert not asked.done()
        broken.release()
        assert asked.result(timeout=30).shape == (1, broken.identity.dimensions)
