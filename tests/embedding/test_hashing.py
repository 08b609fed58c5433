"""The hashing embedder: stable everywhere, and never more than diagnostic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.embedding import EmbedPurpose, HashingEmbedder, QualityClass
from atmem_core.errors import InvalidInput, MissingExtra
from atmem_core.testing.embedders import check_embedder
from tests.house.tree import run_python

any_text = st.text(st.characters(exclude_categories=()), max_size=60)


def cosine(one: str, other: str) -> float:
    rows = HashingEmbedder().embed([one, other], purpose=EmbedPurpose.SIMILARITY)
    return float(rows[0] @ rows[1])


def test_it_keeps_the_protocol() -> None:
    check_embedder(HashingEmbedder(), tolerance=0.0)


def test_it_is_diagnostic() -> None:
    assert HashingEmbedder().identity.quality is QualityClass.DIAGNOSTIC


def test_its_dimensions_are_part_of_its_identity() -> None:
    assert HashingEmbedder(64).identity.digest != HashingEmbedder(65).identity.digest
    assert HashingEmbedder(64).embed(["bees"], purpose=EmbedPurpose.QUERY).shape == (1, 64)


@pytest.mark.parametrize("wrong", [0, -1, True])
def test_dimensions_below_one_are_refused(wrong: int) -> None:
    with pytest.raises(InvalidInput, match="dimensions: must be 1 or more"):
        HashingEmbedder(wrong)


def test_without_numpy_the_error_holds_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    with pytest.raises(MissingExtra, match=r"numpy is not .* pip install 'atmem-core\[local\]'"):
        HashingEmbedder()


def test_like_spelling_is_nearer_than_unlike() -> None:
    assert cosine("the bee keeper", "two bees keep") > cosine("the bee keeper", "quarterly tax form")
    assert cosine("Bees", "bees") == pytest.approx(1.0)


def test_another_process_gives_the_same_vector() -> None:
    program = (
        "from atmem_core.embedding import EmbedPurpose, HashingEmbedder\n"
        "row = HashingEmbedder(8).embed(['bees hum'], purpose=EmbedPurpose.QUERY)[0]\n"
        "print(*(f'{number:.6f}' for number in row))"
    )
    here = HashingEmbedder(8).embed(["bees hum"], purpose=EmbedPurpose.QUERY)[0]
    assert run_python("-c", program).split() == [f"{number:.6f}" for number in here]


@given(any_text)
def test_any_text_has_a_unit_vector(text: str) -> None:
    row = HashingEmbedder(16).embed([text], purpose=EmbedPurpose.DOCUMENT)[0]
    assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-5)
