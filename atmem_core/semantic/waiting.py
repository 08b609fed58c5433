"""``AsyncMemory.semantic``: the same methods over one worker hop a call."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from atmem_core.records import Epoch, ProfileSet, ProfileVerified, Reindexed, SemanticStatus
from atmem_core.semantic.book import Semantic
from atmem_core.semantic.filling import Progress
from atmem_core.semantic.setup import HostTest

_R = TypeVar("_R")


class Hop(Protocol):
    """Runs work in a worker of the memory."""

    def __call__(self, work: Callable[[], _R]) -> Awaitable[_R]:
        """What the work gives, when it is awaited."""
        ...


class AsyncSemantic:
    """``Semantic`` for an event loop. Arguments, results and errors are those of ``Semantic``."""

    def __init__(self, hop: Hop, semantic: Callable[[], Semantic]) -> None:
        self._hop = hop
        self._semantic = semantic

    async def status(self, *, subject: str | None) -> SemanticStatus:
        """As ``Semantic.status``."""
        return await self._hop(lambda: self._semantic().status(subject=subject))

    async def setup(
        self,
        *,
        subject: str | None,
        provider: str,
        model: str | None = None,
        model_version: str | None = None,
        dimensions: int | None = None,
        base_url: str | None = None,
        allow_download: bool = False,
        host_test: HostTest | None = None,
        progress: Progress | None = None,
    ) -> ProfileSet:
        """As ``Semantic.setup``; ``host_test`` and ``progress`` are called in the worker."""
        return await self._hop(
            lambda: self._semantic().setup(
                subject=subject,
                provider=provider,
                model=model,
                model_version=model_version,
                dimensions=dimensions,
                base_url=base_url,
                allow_download=allow_download,
                host_test=host_test,
                progress=progress,
            )
        )

    async def rebuild(
        self,
        *,
        subject: str | None,
        host_test: HostTest | None = None,
        progress: Progress | None = None,
    ) -> ProfileSet:
        """As ``Semantic.rebuild``."""
        return await self._hop(
            lambda: self._semantic().rebuild(subject=subject, host_test=host_test, progress=progress)
        )

    async def verify(self, *, subject: str | None) -> ProfileVerified:
        """As ``Semantic.verify``."""
        return await self._hop(lambda: self._semantic().verify(subject=subject))

    async def rollback(self, *, subject: str | None) -> Epoch:
        """As ``Semantic.rollback``."""
        return await self._hop(lambda: self._semantic().rollback(subject=subject))

    async def reindex(self, *, prune: bool = False, progress: Progress | None = None) -> list[Reindexed]:
        """As ``Semantic.reindex``."""
        return await self._hop(lambda: self._semantic().reindex(prune=prune, progress=progress))
