"""The embedding module of Atomic Core, by way of its control API.

Its HTTP form isn't published: ``HttpCoreControl`` is an assumption, written down so that it can be corrected
in one place. Any object with the port's four members will do.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from atmem_core.embedding.catalog import identity_of, served
from atmem_core.embedding.rows import unit_rows
from atmem_core.embedding.server import Server
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity, EmbedPurpose
from atmem_core.text import storable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

PROVIDER = "atomic-core"


class CoreControl(Protocol):
    """What is asked of Core."""

    def enabled(self) -> bool:
        """Is its embedding module on?"""

    def model(self) -> str:
        """Name of the model that it serves, with the revision behind an ``@`` where there is one."""

    def dimensions(self) -> int:
        """Length of that model's vectors."""

    def embed(self, texts: Sequence[str]) -> object:
        """Vectors, in a shape that ``unit_rows`` knows."""


class HttpCoreControl:
    """Assumed: ``GET /v1/embedding`` gives ``enabled``, ``model``, ``dimensions``; ``POST`` takes ``input``.

    Args:
        base_url: Of Core's control API.
        timeout_ms: For one call.
    """

    def __init__(self, base_url: str, *, timeout_ms: float = 10_000) -> None:
        self._server = Server(base_url, timeout_ms=timeout_ms)

    def enabled(self) -> bool:
        """As the port has it."""
        return self._said("enabled") is True

    def model(self) -> str:
        """As the port has it."""
        return str(self._said("model") or "")

    def dimensions(self) -> int:
        """As the port has it."""
        said = self._said("dimensions")
        return said if isinstance(said, int) else 0

    def embed(self, texts: Sequence[str]) -> object:
        """As the port has it."""
        return self._server.post("/v1/embedding", {"input": list(texts)})

    def _said(self, name: str) -> Any:  # noqa: ANN401 - checked by whoever asks
        answer = self._server.get("/v1/embedding")
        return answer.get(name) if isinstance(answer, dict) else None


class AtomicCoreEmbedder:
    """Core's model, attached only while Core says that it is on and has the catalog's dimensions.

    Args:
        control: How Core is asked.
    """

    def __init__(self, control: CoreControl) -> None:
        self._control = control

    @property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors mean, as Core says at this moment.

        Raises:
            EmbeddingUnavailable: ``core_off``, ``model_unknown`` or ``wrong_dimensions``.
        """
        if not self._control.enabled():
            raise EmbeddingUnavailable("core_off", "Core's embedding module is off; turn it on there")
        name, _, revision = self._control.model().partition("@")
        entry = served(PROVIDER, name)
        if entry is None:
            raise EmbeddingUnavailable("model_unknown", f"Core serves {name!r}, which the catalog lacks")
        if (found := self._control.dimensions()) != entry.dimensions:
            raise EmbeddingUnavailable(
                "wrong_dimensions",
                f"Core says {found} dimensions of {name!r}, not {entry.dimensions}",
            )
        return identity_of(
            entry, provider=PROVIDER, model=name, revision=revision or "unversioned", dimensions=found
        )

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> "Float32Array":
        """One L2-normalised row a text. Raises EmbeddingUnavailable."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        identity = self.identity
        if not texts:
            return np.empty((0, identity.dimensions), dtype=np.float32)
        prefix = identity.prefixes.get(purpose.value, "")
        rows = unit_rows(self._control.embed([storable(prefix + text) for text in texts]), count=len(texts))
        if rows.shape[1] != identity.dimensions:
            raise EmbeddingUnavailable(
                "wrong_dimensions", f"vectors of {rows.shape[1]} numbers, not {identity.dimensions}"
            )
        return rows
