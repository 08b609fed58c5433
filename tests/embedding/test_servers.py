"""Models behind HTTP: what is asked, what comes back, and each way in which a server can fail."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from atmem_core import Memory
from atmem_core.embedding import Embedder
from atmem_core.embedding.atomic import AtomicCoreEmbedder, HttpCoreControl
from atmem_core.embedding.catalog import CATALOG, NOMIC
from atmem_core.embedding.ollama import OllamaEmbedder
from atmem_core.embedding.openai import OpenAIEmbedder
from atmem_core.embedding.rows import unit_rows
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbedPurpose, QualityClass
from atmem_core.testing import check_embedder
from tests.embedding.servers import Stand, embedding_server

MODEL = "a-model-of-nobody"
Make = Callable[..., Embedder]


def ollama(stand: Stand, **more: Any) -> OllamaEmbedder:
    return OllamaEmbedder(stand.model, base_url=stand.url, **{"timeout_ms": 2_000, **more})


def openai(stand: Stand, **more: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(stand.model, base_url=stand.url + "/v1", **{"timeout_ms": 2_000, **more})


def atomic(stand: Stand) -> AtomicCoreEmbedder:
    stand.model, stand.dimensions = NOMIC.name, NOMIC.dimensions
    return AtomicCoreEmbedder(HttpCoreControl(stand.url, timeout_ms=2_000))


both = pytest.mark.parametrize("make", [ollama, openai])


@pytest.fixture
def stand() -> Iterator[Stand]:
    with embedding_server(model=MODEL) as found:
        yield found


def document(embedder: Embedder, *texts: str) -> Any:
    return embedder.embed(texts, purpose=EmbedPurpose.DOCUMENT)


@pytest.mark.parametrize("make", [ollama, openai, atomic])
def test_each_keeps_the_promises_of_an_embedder(make: Make, stand: Stand) -> None:
    check_embedder(make(stand))


@both
def test_the_identity_is_read_from_the_server_and_unverified(make: Make, stand: Stand) -> None:
    found = make(stand).identity
    assert (found.model, found.dimensions, found.quality) == (MODEL, 64, QualityClass.UNVERIFIED)
    assert found.revision == ("sha-1" if make is ollama else "unversioned")


@both
def test_the_models_prompts_are_put_before_a_text_by_purpose(make: Make, stand: Stand) -> None:
    stand.model, stand.dimensions = "nomic-embed-text", NOMIC.dimensions
    embedder = make(stand)
    for purpose in EmbedPurpose:
        embedder.embed(["a dog"], purpose=purpose)
    assert stand.texts()[1:] == [f"{NOMIC.prefixes[purpose]}a dog" for purpose in EmbedPurpose]


@both
def test_many_texts_are_sent_in_batches_and_come_back_in_order(make: Make, stand: Stand) -> None:
    stand.shape = "data" if make is openai else "embeddings"
    texts = [f"text number {at}" for at in range(150)]
    rows = document(make(stand), *texts)
    one = document(make(stand), texts[77])
    assert np.allclose(rows[77], one[0], atol=1e-6)
    assert max(len(body["input"]) for _, body in stand.asked if body) < 100


@pytest.mark.parametrize("shape", ["embeddings", "embedding", "nested", "data", "list"])
def test_each_shape_of_an_answer_is_understood(shape: str, stand: Stand) -> None:
    stand.shape = shape
    assert document(ollama(stand), "a dog").shape == (1, 64)


@pytest.mark.parametrize(
    "answer", [None, [], {}, {"data": [{}]}, {"embedding": 3}, "no", [[1.0]], {"embeddings": [1.0]}]
)
def test_another_shape_is_said(answer: object) -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"shape|vectors"):
        unit_rows(answer, count=1)


@both
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ("nan", "not_finite"),
        ("zero", "not_normalized"),
        ("short", "wrong_length"),
        ("ragged", "bad_shape"),
        ("text", "bad_shape"),
    ],
)
def test_wrong_vectors_are_one_error_with_a_reason(make: Make, stand: Stand, spoil: str, reason: str) -> None:
    embedder = make(stand)
    assert embedder.identity.dimensions == 64
    stand.spoil = spoil
    with pytest.raises(EmbeddingUnavailable) as raised:
        document(embedder, "a dog", "a cat")
    assert raised.value.reason == reason
    assert "quillfeather" not in str(raised.value)


@both
def test_a_vector_of_another_length_is_refused(make: Make, stand: Stand) -> None:
    embedder = make(stand)
    assert embedder.identity.dimensions == 64
    stand.dimensions = 32
    with pytest.raises(EmbeddingUnavailable) as raised:
        document(embedder, "a dog")
    assert raised.value.reason == "wrong_dimensions"


@pytest.mark.parametrize("make", [lambda s: ollama(s, dimensions=63), lambda s: openai(s, dimensions=63)])
def test_dimensions_that_were_asked_for_must_come(make: Make, stand: Stand) -> None:
    with pytest.raises(EmbeddingUnavailable, match="63"):
        _ = make(stand).identity


@both
@pytest.mark.parametrize("statuses", [[429], [503, 500]])
def test_a_busy_server_is_asked_again(make: Make, stand: Stand, statuses: list[int]) -> None:
    stand.statuses = statuses
    assert document(make(stand), "a dog").shape == (1, 64)


@both
@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_tried_again_nor_its_text_shown(make: Make, stand: Stand, status: int) -> None:
    stand.statuses = [status] * 9
    with pytest.raises(EmbeddingUnavailable) as raised:
        document(make(stand), "a dog")
    assert raised.value.reason == f"status_{status}"
    assert "quillfeather" not in str(raised.value)
    assert len(stand.asked) == 1


@both
def test_a_server_that_is_down_or_silent_says_so(make: Make, stand: Stand) -> None:
    stand.silent = True
    embedder = make(stand, timeout_ms=200)
    with pytest.raises(EmbeddingUnavailable) as raised:
        document(embedder, "a dog")
    assert raised.value.reason in {"timeout", "transport"}
    assert str(raised.value).count("(") <= 2
    assert "no reply (" not in str(raised.value)


def test_a_key_is_read_at_each_request(stand: Stand) -> None:
    keys = iter(["first", "second", None])
    embedder = openai(stand, api_key=lambda: next(keys))
    document(embedder, "a dog")
    document(embedder, "a cat")
    assert stand.keys == ["Bearer first", "Bearer second", None]


def test_a_changed_digest_is_a_new_identity(stand: Stand) -> None:
    embedder = ollama(stand, check_ms=0)
    before = embedder.identity
    assert embedder.identity.digest == before.digest
    stand.digest = "sha-2"
    assert embedder.identity.digest != before.digest


def test_a_missing_model_names_the_command_and_nothing_is_fetched(stand: Stand) -> None:
    stand.installed = False
    with pytest.raises(EmbeddingUnavailable, match=f"ollama pull {MODEL}") as raised:
        _ = ollama(stand).identity
    assert raised.value.reason == "model_missing"
    assert not any(path == "/api/pull" for path, _ in stand.asked)


def test_a_download_that_was_allowed_tells_how_far_it_is(stand: Stand) -> None:
    stand.installed, seen = False, []
    embedder = ollama(stand, allow_download=True, pulled=lambda done, total: seen.append((done, total)))
    assert embedder.identity.revision == "sha-1"
    assert seen == [(5, 10)]


def test_core_is_attached_only_while_it_is_on_with_the_catalogs_dimensions(stand: Stand) -> None:
    embedder = atomic(stand)
    assert embedder.identity.revision == "r1"
    for name, value, reason in (
        ("enabled", False, "core_off"),
        ("dimensions", 12, "wrong_dimensions"),
        ("model", "unheard-of", "model_unknown"),
    ):
        kept = getattr(stand, name)
        setattr(stand, name, value)
        with pytest.raises(EmbeddingUnavailable) as raised:
            _ = embedder.identity
        assert raised.value.reason == reason
        setattr(stand, name, kept)


@pytest.mark.parametrize("url", ["ftp://x", "localhost:11434", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="http"):
        OllamaEmbedder(MODEL, base_url=url)


@both
def test_a_memory_goes_on_by_words_when_its_server_fails_and_says_so(make: Make, stand: Stand) -> None:
    with Memory.open(":memory:", embedder=make(stand)) as memory:
        memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
        healthy = memory.decide("Is Brutus a Bernese mountain dog?", subject="ada")
        stand.statuses = [500] * 99
        failing = memory.decide("Is Brutus my Bernese mountain dog?", subject="ada")
        late = memory.remember("The boiler is serviced in May.", subject="ada")
    assert [code.value for code in failing.degraded] == ["embedding_unavailable"]
    assert late.degraded == ("embedding_unavailable",)
    assert len(failing.ranked_record_ids) <= 1
    assert healthy.support_class is failing.support_class


def test_one_call_a_note_and_one_a_query(stand: Stand) -> None:
    with Memory.open(":memory:", embedder=ollama(stand)) as memory:
        for at in range(5):
            memory.remember(f"Note number {at} about the garden.", subject="ada")
        assert len(stand.texts()) == 1 + 5  # one word for the identity
        memory.decide("what about the garden?", subject="ada")
        memory.recall("what about the garden?", subject="ada")
        memory.context("what about the garden?", subject="ada")
    assert len(stand.texts()) == 1 + 5 + 1


def test_the_catalog_has_each_model_by_the_names_that_providers_use() -> None:
    for entry in CATALOG.values():
        assert entry.licence
        assert entry.size_bytes > 0
        assert 0 < entry.min_cosine < 1
        assert entry.sha256 or entry.served_as
        assert entry.provider == "local" or entry.provider in entry.served_as
