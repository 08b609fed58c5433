"""Exports and imports of one open file."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from atmem_core.clock import Clock
from atmem_core.config import Redaction
from atmem_core.errors import InvalidInput
from atmem_core.records import ImportFormat, ImportReceipt, label, member
from atmem_core.remember.index import Indexer
from atmem_core.remember.ingest import checked_tags
from atmem_core.store.protocol import Store
from atmem_core.transfer.bringing import Bringing, Destination
from atmem_core.transfer.documents import head_of, lines_of
from atmem_core.transfer.exporting import pages_of
from atmem_core.transfer.formats.contract import Wish
from atmem_core.transfer.formats.registry import READERS
from atmem_core.transfer.kinds import Arrival
from atmem_core.transfer.progress import Progress
from atmem_core.transfer.reading import Feed, Part
from atmem_core.transfer.record_lines import RecordLines
from atmem_core.transfer.taking import RecordTaking


class Mover:
    """What ``Memory`` moves records with."""

    def __init__(self, store: Store, indexer: Indexer, *, clock: Clock, redaction: Redaction) -> None:
        self._store = store
        self._indexer = indexer
        self._clock = clock
        self._redaction = redaction

    def export_records(self, subject: str) -> RecordLines:
        """See ``Memory``."""
        whose = label("subject", subject)
        return RecordLines(lambda: pages_of(self._store, whose, at=self._clock.now()))

    def import_records(
        self,
        lines: Iterable[str],
        *,
        subject: str | None,
        into_other_subject: bool,
        progress: Progress | None,
    ) -> ImportReceipt:
        """See ``Memory``."""
        taking = RecordTaking(self._store, self._indexer, clock=self._clock, redaction=self._redaction)
        return taking.take(lines, subject=subject, into_other_subject=into_other_subject, progress=progress)

    def import_file(
        self,
        source: str | Path | IO[bytes],
        *,
        subject: str,
        destination: Destination,
        wish: Wish,
        into_other_subject: bool,
        progress: Progress | None,
    ) -> ImportReceipt:
        """See ``Memory``."""
        whose = label("subject", subject)
        given = Feed(source)
        try:
            parts = [(part, _peeked(part)) for part in given.parts()]
            if destination.format is ImportFormat.JSONL and parts and parts[0][1][1]:
                _refuse_choices(destination, wish)
                return self.import_records(
                    lines_of(parts[0][1][0]),
                    subject=whose,
                    into_other_subject=into_other_subject,
                    progress=_in_bytes(given, progress),
                )
            arrival = Arrival(store=self._store, clock=self._clock, subject=whose, redaction=self._redaction)
            bringing = Bringing(arrival, self._indexer, READERS[destination.format](wish), destination)
            tell = _in_bytes(given, progress)
            return bringing.bring(
                ((part, chunks) for part, (chunks, _) in parts),
                stored=lambda: tell(0, None) if tell is not None else None,
            )
        finally:
            given.close()


def destination(
    format: str,
    *,
    project: str | None,
    agent: str | None,
    tags: Iterable[str],
) -> Destination:
    """What every note gets. Raises InvalidInput."""
    return Destination(
        format=member(ImportFormat, "format", format),
        project=None if project is None else label("project", project),
        agent=None if agent is None else label("agent", agent),
        tags=checked_tags(tags),
    )


def _peeked(part: Part) -> tuple[Iterator[str], bool]:
    """The text from its beginning, and whether it is an export of ours."""
    chunks = part.chunks()
    head = head_of(chunks)
    return chain([head], chunks), _is_export(head.lstrip().partition("\n")[0])


def _is_export(line: str) -> bool:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return False
    named = header.get("format") if isinstance(header, dict) else None
    return isinstance(named, str) and named.startswith("atmem-records-")


def _refuse_choices(destination: Destination, wish: Wish) -> None:
    chosen = {
        "project": destination.project is not None,
        "agent": destination.agent is not None,
        "tags": bool(destination.tags),
        "owner": wish.owner is not None,
        "assistant": not wish.assistant,
    }
    for name, given in chosen.items():
        if given:
            raise InvalidInput(name, "can't be chosen for an export of atmem: its records keep their own")


def _in_bytes(source: Feed, progress: Progress | None) -> Progress | None:
    """Report bytes of the file instead of records."""
    if progress is None:
        return None
    return lambda _done, _total: progress(sum(part.done for part in source.parts()), source.total)
