"""What a caller can do with facts: ``memory.facts``, and the same from an event loop."""

from atmem_core.facts.book import Facts
from atmem_core.facts.waiting import AsyncFacts

__all__ = ["AsyncFacts", "Facts"]
