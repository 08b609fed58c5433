"""Whatever an embedder does, callers see right vectors or one counted error."""

import asyncio
import concurrent.futures
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from atmem_core.embedding import (
    CheckedEmbedder,
    EmbeddingIdentity,
    EmbeddingUnavailable,
    EmbedPurpose,
    Float32Array,
)
from atmem_core.errors import InvalidInput
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault, check_embedder

QUERY, DOCUMENT = EmbedPurpose.QUERY, EmbedPurpose.DOCUMENT
REASONS = {
    Fault.RAISES: "failed",
    Fault.TIMES_OUT: "timeout",
    Fault.NO_IDENTITY: "failed",
    Fault.NOT_FINITE: "not_finite",
    Fault.NOT_NORMALIZED: "not_normalized",
    Fault.WRONG_DIMENSIONS: "wrong_dimensions",
    Fault.WRONG_DTYPE: "wrong_dtype",
    Fault.WRONG_LENGTH: "wrong_length",
}


class Answering:
    """An embedder with the answer, or the error, that the test hands in."""

    def __init__(self, answer: object, identity: object = None) -> None:
        self.answer = answer
        self.identity: EmbeddingIdentity = identity or FakeEmbedder(dimensions=2).identity  # type: ignore[assignment]

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]


def texts_asked(fake: FakeEmbedder) -> list[tuple[str, ...]]:
    return [call.texts for call in fake.calls]


def test_it_keeps_the_protocol() -> None:
    check_embedder(CheckedEmbedder(FakeEmbedder()), tolerance=0.0)


def test_every_fault_has_a_reason() -> None:
    assert {*REASONS, Fault.HANGS} == set(Fault)


@pytest.mark.parametrize("purpose", EmbedPurpose)
@pytest.mark.parametrize(("fault", "reason"), REASONS.items())
def test_a_fault_is_one_error_and_one_count(fault: Fault, reason: str, purpose: EmbedPurpose) -> None:
    checked = CheckedEmbedder(BrokenEmbedder(fault))
    with pytest.raises(EmbeddingUnavailable) as caught:
        checked.embed(["bees", "tax"], purpose=purpose)
    assert caught.value.reason == reason
    assert checked.counts == {reason: 1}


@pytest.mark.parametrize("fault", REASONS)
def test_after_a_fault_a_mended_embedder_is_asked_again(fault: Fault) -> None:
    broken = BrokenEmbedder(fault)
    checked = CheckedEmbedder(broken)
    with pytest.raises(EmbeddingUnavailable):
        checked.embed(["bees"], purpose=QUERY)
    broken.fault = None
    assert checked.embed(["bees"], purpose=QUERY).shape == (1, broken.identity.dimensions)
    assert checked.counts == {REASONS[fault]: 1, "ok": 1}


def test_the_embedders_own_reason_goes_through() -> None:
    checked = CheckedEmbedder(Answering(EmbeddingUnavailable("rate_limited", "429")))
    with pytest.raises(EmbeddingUnavailable, match="429"):
        checked.embed(["bees"], purpose=QUERY)
    assert checked.counts == {"rate_limited": 1}


def test_an_error_does_not_quote_the_text() -> None:
    checked = CheckedEmbedder(BrokenEmbedder(Fault.RAISES))
    with pytest.raises(EmbeddingUnavailable, match="RuntimeError in the embedder") as caught:
        checked.embed(["my secret"], purpose=QUERY)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        SystemExit(),
        asyncio.CancelledError(),
        concurrent.futures.CancelledError(),
    ],
)
def test_an_interrupt_or_a_cancellation_is_never_swallowed(error: BaseException) -> None:
    checked = CheckedEmbedder(Answering(error))
    with pytest.raises(type(error)):
        checked.embed(["bees"], purpose=QUERY)
    assert checked.counts == {}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([[1.0, 0.0]], "wrong_dtype"),
        (None, "wrong_dtype"),
        (np.array([[1, 0]]), "wrong_dtype"),
        (np.array([1.0, 0.0], dtype=np.float32), "wrong_dimensions"),
        (np.ones((1, 2, 1), dtype=np.float32), "wrong_dimensions"),
        (np.zeros((0, 2), dtype=np.float32), "wrong_length"),
        (np.array([[np.inf, 0.0]], dtype=np.float32), "not_finite"),
        (np.zeros((1, 2), dtype=np.float32), "not_normalized"),
        (np.array([[1.0011, 0.0]], dtype=np.float32), "not_normalized"),
    ],
)
def test_a_wrong_answer_has_its_reason(answer: object, reason: str) -> None:
    with pytest.raises(EmbeddingUnavailable) as caught:
        CheckedEmbedder(Answering(answer)).embed(["bees"], purpose=DOCUMENT)
    assert caught.value.reason == reason


def test_a_norm_within_a_thousandth_of_one_is_right() -> None:
    rows = np.array([[1.0009, 0.0]], dtype=np.float32)
    assert CheckedEmbedder(Answering(rows)).embed(["bees"], purpose=DOCUMENT) is rows


def test_an_identity_that_is_none_is_refused() -> None:
    checked = CheckedEmbedder(Answering(None, identity="a name"))
    with pytest.raises(EmbeddingUnavailable) as caught:
        _ = checked.identity
    assert caught.value.reason == "wrong_identity"
    assert checked.counts == {"wrong_identity": 1}


def test_one_text_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match="must be a list of texts, got one text"):
        CheckedEmbedder(FakeEmbedder()).embed("bees", purpose=QUERY)


def test_successes_and_failures_of_many_threads_are_all_counted() -> None:
    broken = BrokenEmbedder(None)
    checked = CheckedEmbedder(broken)

    def ask(number: int) -> None:
        checked.embed([str(number)], purpose=DOCUMENT)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(100)))
        broken.fault = Fault.NOT_FINITE
        failed = [pool.submit(ask, number) for number in range(50)]
    assert all(one.exception() for one in failed)
    assert checked.counts == {"ok": 100, "not_finite": 50}


def test_the_counts_that_are_handed_out_are_a_copy() -> None:
    checked = CheckedEmbedder(FakeEmbedder())
    before = checked.counts
    checked.embed(["bees"], purpose=QUERY)
    assert (before, checked.counts) == ({}, {"ok": 1})


def test_a_query_is_embedded_once() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    first = checked.embed(["bees"], purpose=QUERY)
    assert np.array_equal(first, checked.embed(["bees"], purpose=QUERY))
    assert texts_asked(fake) == [("bees",)]


def test_only_the_texts_that_are_new_are_embedded_and_in_order() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    checked.embed(["bees"], purpose=QUERY)
    rows = checked.embed(["tax", "bees", "tax"], purpose=QUERY)
    assert texts_asked(fake) == [("bees",), ("tax",)]
    assert np.array_equal(rows, FakeEmbedder().embed(["tax", "bees", "tax"], purpose=QUERY))


def test_each_purpose_has_its_own_vector() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    checked.embed(["bees"], purpose=QUERY)
    checked.embed(["bees"], purpose=EmbedPurpose.SIMILARITY)
    assert len(fake.calls) == 2


def test_documents_are_not_kept() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    for _ in range(2):
        checked.embed(["bees"], purpose=DOCUMENT)
    assert len(fake.calls) == 2
    assert len(checked._cache) == 0


def test_a_caller_that_writes_into_its_rows_changes_nobody_elses() -> None:
    checked = CheckedEmbedder(FakeEmbedder())
    first = checked.embed(["bees"], purpose=QUERY)
    kept = first.copy()
    first[:] = 0.0
    again = checked.embed(["bees"], purpose=QUERY)
    assert np.array_equal(kept, again)
    again[:] = 0.0
    assert np.array_equal(kept, checked.embed(["bees"], purpose=QUERY))


def test_an_embedder_that_uses_its_array_again_changes_no_kept_vector() -> None:
    rows = np.array([[1.0, 0.0]], dtype=np.float32)
    checked = CheckedEmbedder(Answering(rows))
    checked.embed(["bees"], purpose=QUERY)
    rows[:] = [[0.0, 1.0]]
    assert checked.embed(["bees"], purpose=QUERY).tolist() == [[1.0, 0.0]]


def test_the_query_that_was_used_longest_ago_goes_first() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake, cached_queries=2)
    for text in ("bees", "tax", "bees", "rain", "bees", "tax"):
        checked.embed([text], purpose=QUERY)
    assert texts_asked(fake) == [("bees",), ("tax",), ("rain",), ("tax",)]
    assert len(checked._cache) == 2


def test_a_call_of_more_queries_than_are_kept_is_answered_whole() -> None:
    checked = CheckedEmbedder(FakeEmbedder(), cached_queries=2)
    texts = [f"text {number}" for number in range(5)]
    rows = checked.embed(texts, purpose=QUERY)
    assert np.array_equal(rows, FakeEmbedder().embed(texts, purpose=QUERY))


def test_a_cleared_cache_asks_again() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    checked.embed(["bees"], purpose=QUERY)
    checked.clear_cache()
    assert len(checked._cache) == 0
    checked.embed(["bees"], purpose=QUERY)
    assert len(fake.calls) == 2


def test_the_cache_holds_digests_and_no_text() -> None:
    checked = CheckedEmbedder(FakeEmbedder())
    checked.embed(["my secret"], purpose=QUERY)
    ((key, row),) = checked._cache._rows.items()
    assert len(key) == 32
    assert b"secret" not in key + row.tobytes()


def test_a_failure_is_not_kept() -> None:
    broken = BrokenEmbedder(Fault.NOT_FINITE)
    checked = CheckedEmbedder(broken)
    with pytest.raises(EmbeddingUnavailable):
        checked.embed(["bees"], purpose=QUERY)
    assert len(checked._cache) == 0


def test_an_empty_list_is_no_row() -> None:
    checked = CheckedEmbedder(FakeEmbedder(dimensions=3))
    assert checked.embed([], purpose=QUERY).shape == (0, 3)
