"""What a caller can do with sessions: ``memory.sessions``, and the same from an event loop."""

from atmem_core.sessions.book import Sessions
from atmem_core.sessions.waiting import AsyncSessions

__all__ = ["AsyncSessions", "Sessions"]
