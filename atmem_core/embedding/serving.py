"""Which embedder serves a subject, and in which epoch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from atmem_core.embedding.protocol import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What embeds for one subject at this moment."""

    embedder: Embedder | None
    """None: keywords alone."""
    epoch: int | None = None
    """None without a semantic profile."""


ServingFor: TypeAlias = Callable[[str], Serving]
"""Asked for a subject at each call, since another process may change its profile."""


def always(embedder: Embedder | None) -> ServingFor:
    """The same one for every subject."""
    found = Serving(embedder=embedder)
    return lambda _: found
