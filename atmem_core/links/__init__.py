"""Links between notes: made by hand, by import or by a model; walked when a note is released."""

from atmem_core.links.book import Links
from atmem_core.links.waiting import AsyncLinks

__all__ = ["AsyncLinks", "Links"]
