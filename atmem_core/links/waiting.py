"""``AsyncMemory.links``: the same methods over one worker hop a call."""

from collections.abc import Callable, Sequence
from datetime import datetime

from atmem_core.chat import ChatModel
from atmem_core.links.book import Links
from atmem_core.records import Linked, LinksGenerated, NoteLink
from atmem_core.semantic.waiting import Hop


class AsyncLinks:
    """``Links`` for an event loop. Arguments, results and errors are those of ``Links``."""

    def __init__(self, hop: Hop, links: Callable[[], Links]) -> None:
        self._hop = hop
        self._links = links

    async def add(
        self, from_id: str, to_id: str, *, subject: str, kind: str = "relates_to", weight: float = 1.0
    ) -> NoteLink:
        """As ``Links.add``."""
        return await self._hop(
            lambda: self._links().add(from_id, to_id, subject=subject, kind=kind, weight=weight)
        )

    async def list(
        self, *, subject: str, note_id: str | None = None, limit: int = 500, offset: int = 0
    ) -> "list[NoteLink]":
        """As ``Links.list``."""
        return await self._hop(
            lambda: self._links().list(subject=subject, note_id=note_id, limit=limit, offset=offset)
        )

    async def remove(self, from_id: str, to_id: str, *, subject: str, kind: str | None = None) -> int:
        """As ``Links.remove``."""
        return await self._hop(lambda: self._links().remove(from_id, to_id, subject=subject, kind=kind))

    async def expand(
        self,
        note_ids: Sequence[str],
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        depth: int = 1,
        limit: int = 12,
        as_of: datetime | None = None,
    ) -> tuple[Linked, ...]:
        """As ``Links.expand``."""
        return await self._hop(
            lambda: self._links().expand(
                note_ids,
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                depth=depth,
                limit=limit,
                as_of=as_of,
            )
        )

    async def generate(
        self,
        note_ids: Sequence[str],
        model: ChatModel,
        *,
        subject: str,
        most: int = 4,
        timeout_ms: float = 60_000,
    ) -> LinksGenerated:
        """As ``Links.generate``; the model is called in the worker."""
        return await self._hop(
            lambda: self._links().generate(note_ids, model, subject=subject, most=most, timeout_ms=timeout_ms)
        )
