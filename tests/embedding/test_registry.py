"""From what was asked for to the embedder in use."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from atmem_core.embedding import (
    BUNDLED,
    CheckedEmbedder,
    Embedder,
    EmbedPurpose,
    HashingEmbedder,
    MiniLmEmbedder,
    resolve,
)
from atmem_core.embedding.minilm import RUNTIME, WEIGHTS
from atmem_core.errors import InvalidInput
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault


def test_auto_is_the_bundled_model_when_it_is_installed() -> None:
    found = resolve("auto")
    assert found.embedder is not None
    assert found.embedder.identity.model == BUNDLED.name
    assert found.reason == ""


def test_auto_gives_one_instance_to_all_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: resolve("auto").embedder, range(32)))
    assert len({id(embedder) for embedder in found}) == 1


@pytest.mark.parametrize("package", [WEIGHTS, *RUNTIME])
def test_auto_without_a_package_is_none_and_says_why(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    found = resolve("auto")
    assert found.embedder is None
    assert found.reason == (
        f"the local model needs {package}; install it with: pip install 'atmem-core[local]'"
    )


def test_none_is_none_and_says_why() -> None:
    found = resolve(None)
    assert found.embedder is None
    assert found.reason == "none was asked for (embedder=None)"


def test_an_embedder_of_ones_own_is_the_one_in_use() -> None:
    fake = FakeEmbedder()
    found = resolve(fake).embedder
    assert found is not None
    found.embed(["bees"], purpose=EmbedPurpose.DOCUMENT)
    assert len(fake.calls) == 1


def test_the_same_embedder_has_the_same_wrapper_and_counts() -> None:
    fake = FakeEmbedder()
    first, second = resolve(fake).embedder, resolve(fake).embedder
    assert first is second
    assert resolve(first).embedder is first


def test_two_embedders_of_one_identity_are_not_mixed_up() -> None:
    healthy, broken = FakeEmbedder(), BrokenEmbedder(Fault.RAISES)
    assert healthy.identity.digest == broken.identity.digest
    assert resolve(healthy).embedder is not resolve(broken).embedder


def test_a_wrapper_that_nobody_holds_is_let_go() -> None:
    fake = FakeEmbedder()
    found = resolve(fake).embedder
    assert found is not None
    found.embed(["bees"], purpose=EmbedPurpose.DOCUMENT)
    del found
    again = resolve(fake).embedder
    assert again is not None
    assert again.counts == {}


def test_choosing_does_not_ask_for_the_identity() -> None:
    assert resolve(BrokenEmbedder(Fault.NO_IDENTITY)).embedder is not None


@pytest.mark.parametrize("own", [HashingEmbedder(), MiniLmEmbedder(), FakeEmbedder()])
def test_what_is_resolved_is_held_to_its_identity(own: Embedder) -> None:
    found = resolve(own).embedder
    assert isinstance(found, CheckedEmbedder)
    assert found.identity == own.identity


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        ("minilm", "got 'minilm'"),
        ("", "got ''"),
        (3, "got an object of type int"),
        (HashingEmbedder, "got the class HashingEmbedder"),
        (object(), "got an object of type object"),
    ],
)
def test_anything_else_is_refused(wrong: object, shown: str) -> None:
    with pytest.raises(InvalidInput, match="must be 'auto', None or an Embedder object") as caught:
        resolve(cast("Embedder", wrong))
    assert shown in str(caught.value)
