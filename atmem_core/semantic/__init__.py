"""Life of a semantic profile: ``memory.semantic``, and the same from an event loop."""

from atmem_core.semantic.book import Semantic
from atmem_core.semantic.waiting import AsyncSemantic

__all__ = ["AsyncSemantic", "Semantic"]
