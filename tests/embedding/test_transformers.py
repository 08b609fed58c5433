"""Models of sentence-transformers: what reaches the loader. The library itself brings torch and stays out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from atmem_core.embedding.transformers import SentenceTransformersEmbedder
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbedPurpose
from atmem_core.testing import check_embedder

COMMIT = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"


class Loader:
    """Stands for the library's class: keeps how it was called, and embeds letters."""

    def __init__(self, *, missing: bool = False) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.texts: list[str] = []
        self.missing = missing

    def __call__(self, name: str, **how: Any) -> "Loader":
        self.calls.append((name, how))
        if self.missing and how["local_files_only"]:
            raise OSError("nothing here")
        return self

    def get_sentence_embedding_dimension(self) -> int:
        return 26

    def encode(self, texts: Sequence[str], **_: Any) -> Any:
        self.texts.extend(texts)
        rows = np.array([[1.0 + text.lower().count(chr(97 + at)) for at in range(26)] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("allowed", [True, False])
def test_the_pinned_revision_and_the_permission_reach_the_loader(*, allowed: bool) -> None:
    loader = Loader()
    embedder = SentenceTransformersEmbedder("a/model", revision=COMMIT, allow_download=allowed, load=loader)
    assert loader.calls == []
    embedder.embed(["a dog"], purpose=EmbedPurpose.DOCUMENT)
    assert loader.calls == [
        (
            "a/model",
            {
                "revision": COMMIT,
                "local_files_only": not allowed,
                "trust_remote_code": False,
                "device": "cpu",
            },
        )
    ]
    assert embedder.identity.revision == COMMIT


def test_it_keeps_the_promises_of_an_embedder() -> None:
    check_embedder(SentenceTransformersEmbedder("a/model", revision=COMMIT, load=Loader()))


def test_the_catalogs_prompts_are_used() -> None:
    loader = Loader()
    embedder = SentenceTransformersEmbedder("BAAI/bge-small-en-v1.5", revision=COMMIT, load=loader)
    embedder.embed(["a dog"], purpose=EmbedPurpose.QUERY)
    assert loader.texts == ["Represent this sentence for searching relevant passages: a dog"]


def test_a_model_that_is_not_here_is_not_fetched_unasked() -> None:
    embedder = SentenceTransformersEmbedder("a/model", revision=COMMIT, load=Loader(missing=True))
    with pytest.raises(EmbeddingUnavailable, match="allow the download") as raised:
        embedder.embed(["a dog"], purpose=EmbedPurpose.DOCUMENT)
    assert raised.value.reason == "model_missing"


def test_a_model_without_a_revision_is_refused() -> None:
    with pytest.raises(InvalidInput, match="version"):
        SentenceTransformersEmbedder("a/model", revision="", load=Loader())
