"""``AsyncMemory.profile``: the same methods over one worker hop a call."""

from collections.abc import Callable, Iterable

from atmem_core.profile.book import Profile
from atmem_core.records import ProfileFact, ProfileRecall, ProfileWritten
from atmem_core.semantic.waiting import Hop


class AsyncProfile:
    """``Profile`` for an event loop. Arguments, results and errors are those of ``Profile``."""

    def __init__(self, hop: Hop, profile: Callable[[], Profile]) -> None:
        self._hop = hop
        self._profile = profile

    async def set(
        self,
        key: str,
        value: str,
        *,
        subject: str,
        pinned: bool = True,
        keywords: Iterable[str] = (),
        source: str = "user",
        trust: float | None = None,
        supersedes_key: str | None = None,
    ) -> ProfileWritten:
        """As ``Profile.set``."""
        return await self._hop(
            lambda: self._profile().set(
                key,
                value,
                subject=subject,
                pinned=pinned,
                keywords=keywords,
                source=source,
                trust=trust,
                supersedes_key=supersedes_key,
            )
        )

    async def get(self, key: str, *, subject: str) -> ProfileFact:
        """As ``Profile.get``."""
        return await self._hop(lambda: self._profile().get(key, subject=subject))

    async def history(self, key: str, *, subject: str) -> "list[ProfileFact]":
        """As ``Profile.history``."""
        return await self._hop(lambda: self._profile().history(key, subject=subject))

    async def list(self, *, subject: str, limit: int = 500, offset: int = 0) -> "list[ProfileFact]":
        """As ``Profile.list``."""
        return await self._hop(lambda: self._profile().list(subject=subject, limit=limit, offset=offset))

    async def remove(self, key: str, *, subject: str) -> bool:
        """As ``Profile.remove``."""
        return await self._hop(lambda: self._profile().remove(key, subject=subject))

    async def vote(
        self, key: str, direction: int, *, subject: str, session: str | None = None, turn: str | None = None
    ) -> ProfileFact:
        """As ``Profile.vote``."""
        return await self._hop(
            lambda: self._profile().vote(key, direction, subject=subject, session=session, turn=turn)
        )

    async def recall(
        self, query: str, *, subject: str, budget_tokens: int | None = None, count: Callable[[str], int] = len
    ) -> ProfileRecall:
        """As ``Profile.recall``."""
        return await self._hop(
            lambda: self._profile().recall(query, subject=subject, budget_tokens=budget_tokens, count=count)
        )
