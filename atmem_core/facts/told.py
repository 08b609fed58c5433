"""How a fact was told: the options of ``facts.add``."""

from collections.abc import Iterable
from datetime import datetime
from typing import TypedDict


class Told(TypedDict, total=False):
    """Options of ``facts.add``; each may be left out."""

    speaker: str
    """Who said it; ``user`` is the owner."""
    source: str
    """user, assistant, tool, web or import; sets the default trust."""
    trust: float | None
    """0 to 1."""
    confidence: float
    """0 to 1: how sure it is that this was said; else 1."""
    tags: Iterable[str]
    occurred_at: datetime | None
    """When it was said."""
    valid_from: datetime | None
    """From when it holds; else from when it was said, or else from now."""
    valid_to: datetime | None
    """Until when it holds, exclusive."""
    source_id: str | None
    """Id of the turn or note that said it; the fact leaves with it."""
    single: bool | None
    """Can the predicate have one value at a time? None goes by the list of known ones."""
