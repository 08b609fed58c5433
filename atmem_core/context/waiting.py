"""``AsyncMemory.provider``: the same two calls over one worker hop each."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from atmem_core.context.provider import ContextProvider
from atmem_core.records import ContextBundle, Spoken, TurnKept
from atmem_core.semantic.waiting import Hop


class AsyncContextProvider:
    """``ContextProvider`` for an event loop, with its arguments, results and errors."""

    def __init__(self, hop: Hop, make: Callable[[], ContextProvider]) -> None:
        self._hop = hop
        self._provider = cache(make)

    async def before_turn(
        self,
        message: str,
        *,
        turn_id: str,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        history: Sequence[Spoken] = (),
        tool_results: Sequence[str] = (),
        tags: Iterable[str] = (),
        deadline_ms: float | None = None,
        budget_tokens: int | None = None,
        allow_background: bool = False,
    ) -> ContextBundle:
        """As ``ContextProvider.before_turn``."""
        return await self._hop(
            lambda: self._provider().before_turn(
                message,
                turn_id=turn_id,
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                history=history,
                tool_results=tool_results,
                tags=tags,
                deadline_ms=deadline_ms,
                budget_tokens=budget_tokens,
                allow_background=allow_background,
            )
        )

    async def after_turn(
        self,
        *,
        turn_id: str,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        user: str = "",
        assistant: str = "",
    ) -> TurnKept:
        """As ``ContextProvider.after_turn``."""
        return await self._hop(
            lambda: self._provider().after_turn(
                turn_id=turn_id,
                subject=subject,
                project=project,
                session=session,
                agent=agent,
                user=user,
                assistant=assistant,
            )
        )
