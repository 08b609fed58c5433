"""Texts that other programs wrote, into a file: read, split, checked, stored in batches."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import (
    MAX_SCOPE_CHARS,
    CopyRefused,
    ImportCode,
    ImportFormat,
    ImportReceipt,
    NoteCopy,
    Scope,
)
from atmem_core.remember.index import Indexer
from atmem_core.remember.ingest import MAX_TAG_CHARS, MAX_TAGS, MAX_TEXT_CHARS, Telling, draft
from atmem_core.remember.redaction import cleared
from atmem_core.text import digest, storable
from atmem_core.transfer.documents import documents
from atmem_core.transfer.formats.contract import Brought, FormatReader, LeftOut
from atmem_core.transfer.kinds import PAGE, Arrival, refusal
from atmem_core.transfer.note_lines import copy_in
from atmem_core.transfer.pieces import pieces
from atmem_core.transfer.reading import Part
from atmem_core.transfer.taking import fill_vectors
from atmem_core.transfer.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """What every note of an import gets, beside what the file says."""

    format: ImportFormat
    project: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    copy: NoteCopy
    line: int
    where: str


class Bringing:
    """One import of a file that isn't an export."""

    def __init__(
        self, arrival: Arrival, indexer: Indexer, reader: FormatReader, destination: Destination
    ) -> None:
        self._arrival = arrival
        self._indexer = indexer
        self._reader = reader
        self._destination = destination
        self._tally = Tally()

    def bring(
        self, parts: Iterable[tuple[Part, Iterator[str]]], *, stored: Callable[[], None]
    ) -> ImportReceipt:
        """Store what the reader finds; what can't be is in the receipt. ``stored`` is called a batch."""
        ready = chain.from_iterable(self._ready(part, chunks) for part, chunks in parts)
        while batch := list(islice(ready, PAGE)):
            self._store(batch)
            stored()
        fill_vectors(self._arrival.store, self._indexer, self._arrival.subject, self._tally)
        return self._tally.receipt(self._arrival.subject)

    def _ready(self, part: Part, chunks: Iterator[str]) -> Iterator[_Waiting]:
        """Checked notes, in the order of the file; the rest is counted."""
        for document in documents(chunks):
            if document.error:
                self._tally.problem(ImportCode.BAD_JSON, document.error, line=document.line, where=part.name)
                continue
            for found in self._reader.read(document.value):
                if isinstance(found, LeftOut):
                    self._tally.problem(found.code, found.message, line=document.line, where=found.where)
                else:
                    yield from self._checked(found, document.line)

    def _checked(self, brought: Brought, line: int) -> Iterator[_Waiting]:
        try:
            # Before it is cut: a half of a key looks like no key.
            whole = str(cleared(storable(brought.text), self._arrival.redaction))
        except WriteRefused as error:
            self._tally.count(refusal(error), line=line, where=brought.key)
            return
        for number, text in enumerate(pieces(whole, MAX_TEXT_CHARS), start=1):
            found = self._copy(brought, text, number)
            if isinstance(found, CopyRefused):
                self._tally.count(found, line=line, where=brought.key)
            else:
                yield _Waiting(copy=found, line=line, where=brought.key)

    def _copy(self, brought: Brought, text: str, number: int) -> NoteCopy | CopyRefused:
        to = self._destination
        try:
            scope = Scope(
                subject=self._arrival.subject,
                project=to.project or brought.project,
                session=brought.session,
                agent=to.agent or brought.agent,
            )
            telling = Telling(
                text=text,
                scope=scope,
                speaker=brought.speaker,
                source=brought.source.value,
                tags=self._tags(brought),
                occurred_at=brought.occurred_at,
                valid_to=brought.valid_to,
                idempotency_key=self._key(brought.key, number),
            )
            return NoteCopy(draft=draft(telling, self._arrival.clock))
        except (InvalidInput, WriteRefused) as error:
            return refusal(error)

    def _tags(self, brought: Brought) -> tuple[str, ...]:
        """Where it comes from, what the caller wants, and what fits of the file's own."""
        sure = (f"import:{self._destination.format.value}", *self._destination.tags)
        fitting = [tag for tag in brought.tags if len(tag) <= MAX_TAG_CHARS]
        return (*sure, *fitting[: max(0, MAX_TAGS - len(sure))])

    def _key(self, key: str, number: int) -> str:
        """``import/FORMAT/ids``, and the number of the piece from the second on."""
        whole = f"import/{self._destination.format.value}/{key}" + (f"#{number}" if number > 1 else "")
        return whole if len(whole) <= MAX_SCOPE_CHARS else whole[: MAX_SCOPE_CHARS - 65] + "/" + digest(whole)

    def _store(self, batch: list[_Waiting]) -> None:
        answers = copy_in(self._arrival, [one.copy for one in batch])
        for one, answer in zip(batch, answers, strict=True):
            self._tally.count(answer, line=one.line, where=one.where)
        fill_vectors(self._arrival.store, self._indexer, self._arrival.subject, self._tally)
