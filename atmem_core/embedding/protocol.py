"""The port to an embedding model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from atmem_core.records import EmbeddingIdentity, EmbedPurpose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Float32Array: TypeAlias = NDArray[np.float32]
else:
    Float32Array: TypeAlias = object


class Embedder(Protocol):
    """Turns texts into vectors. One instance serves all threads."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """What its vectors mean. Reading it may load the model and raise EmbeddingUnavailable."""
        ...

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """One L2-normalised row a text: shape (len(texts), identity.dimensions), float32.

        Raises:
            EmbeddingUnavailable: Transport, time, shape, dimension or non-finite numbers.
        """
        ...
