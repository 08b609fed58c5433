"""Profile facts: what is always, or by its keywords, worth knowing about a subject."""

from atmem_core.profile.book import Profile
from atmem_core.profile.waiting import AsyncProfile

__all__ = ["AsyncProfile", "Profile"]
