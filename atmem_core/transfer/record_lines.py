"""The lines of an export, for a loop in a thread or in an event loop."""

from collections.abc import AsyncIterator, Callable, Iterator


class RecordLines:
    """The lines of an export, without line ends. Each iteration reads anew.

    ``for`` reads in this thread, ``async for`` in a worker. A page at a time is in memory, and between two
    pages no lock is held: what is written meanwhile may be in or not. A superseded note may then come
    without its state; a second export into the same place brings it.
    """

    def __init__(self, pages: Callable[[], Iterator[list[str]]]) -> None:
        self._pages = pages

    def __iter__(self) -> Iterator[str]:
        for page in self._pages():
            yield from page

    async def __aiter__(self) -> AsyncIterator[str]:
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        pages = self._pages()
        while (page := await asyncio.to_thread(next, pages, None)) is not None:
            for line in page:
                yield line
