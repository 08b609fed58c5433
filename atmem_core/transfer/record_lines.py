"""All records of a subject as JSON lines: a header, the records kind by kind, an end."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime

from atmem_core.records import RECORDS_FORMAT
from atmem_core.store.protocol import Store
from atmem_core.transfer.registry import KINDS


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
        pages = self._pages()
        while (page := await asyncio.to_thread(next, pages, None)) is not None:
            for line in page:
                yield line


def pages_of(store: Store, subject: str, *, at: datetime) -> Iterator[list[str]]:
    """Pages of lines. The end says how many records there were: without it the file is a part of one."""
    header = {
        "format": RECORDS_FORMAT,
        "subject": subject,
        "exported_at": at.isoformat(),
        "notes": store.stats(subject).notes,
    }
    yield [_json(header)]
    count = 0
    for kind in KINDS:
        for page in kind.pages(store, subject):
            count += len(page)
            yield [_json({"record": kind.name, **fields}) for fields in page]
    yield [_json({"end": RECORDS_FORMAT, "records": count})]


def _json(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
