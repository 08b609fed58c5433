"""The lines of an export back into a file: header, batches of one kind, end. A bad line stops nothing."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from atmem_core.clock import Clock
from atmem_core.config import Redaction
from atmem_core.errors import InvalidInput
from atmem_core.records import RECORDS_FORMAT, ImportCode, ImportReceipt, label
from atmem_core.remember.index import Indexer
from atmem_core.store.protocol import Pending, Store
from atmem_core.transfer.fields import Fields
from atmem_core.transfer.kinds import PAGE, Arrival, RecordTransfer
from atmem_core.transfer.progress import Progress
from atmem_core.transfer.registry import KINDS
from atmem_core.transfer.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    number: int
    fields: dict[str, object]


class RecordTaking:
    """One import of record lines."""

    def __init__(self, store: Store, indexer: Indexer, *, clock: Clock, redaction: Redaction) -> None:
        self._store = store
        self._indexer = indexer
        self._clock = clock
        self._redaction = redaction
        self._tally = Tally()
        self._batch: list[_Line] = []
        self._kind: RecordTransfer | None = None
        self._seen = 0

    def take(
        self,
        lines: Iterable[str],
        *,
        subject: str | None,
        into_other_subject: bool,
        progress: Progress | None,
    ) -> ImportReceipt:
        """Store what the lines say; what can't be is in the receipt."""
        parsed = self._parsed(lines.split("\n") if isinstance(lines, str) else lines)
        header = _header(next(parsed, None))
        arrival = self._arrival(header, subject, into_other_subject=into_other_subject)
        total = header.get("records")
        last = _Line(number=1, fields=header)
        for line in parsed:
            last = line
            if "end" not in line.fields and self._place(arrival, line) and progress is not None:
                progress(self._seen, total if isinstance(total, int) else None)
        self._flush(arrival)
        self._look_at_the_end(last)
        fill_vectors(self._store, self._indexer, arrival.subject, self._tally)
        return self._tally.receipt(arrival.subject)

    def _look_at_the_end(self, last: _Line) -> None:
        said = last.fields.get("records") if "end" in last.fields else None
        if said != self._seen:
            told = "no end" if said is None else "an end that counts other records than there are"
            self._tally.problem(
                ImportCode.INCOMPLETE, f"the file has {told}: a part of it is missing", line=last.number
            )

    def _arrival(
        self, header: dict[str, object], subject: str | None, *, into_other_subject: bool
    ) -> Arrival:
        named = Fields(header).name("subject")
        wanted = named if subject is None else label("subject", subject)
        if wanted != named and not into_other_subject:
            raise InvalidInput(
                "subject",
                f"these are records of {named!r}, not of {wanted!r}; say into_other_subject to mean that",
            )
        return Arrival(
            store=self._store,
            clock=self._clock,
            subject=wanted,
            redaction=self._redaction,
            renamed=wanted != named,
        )

    def _parsed(self, lines: Iterable[str]) -> Iterator[_Line]:
        """Lines that are JSON objects, with their numbers from 1."""
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError):
                fields = None
            self._seen += isinstance(fields, dict) and "record" in fields
            if isinstance(fields, dict):
                yield _Line(number=number, fields=fields)
            else:
                self._tally.problem(ImportCode.BAD_JSON, "the line is no JSON object", line=number)

    def _place(self, arrival: Arrival, line: _Line) -> bool:
        """Put the line into its batch. True when a batch was stored."""
        kind = _KINDS.get(str(line.fields.get("record")))
        if kind is None:
            self._tally.problem(
                ImportCode.UNKNOWN_RECORD, "this release knows no such kind of record", line=line.number
            )
            return False
        full = bool(self._batch) and (kind is not self._kind or len(self._batch) >= PAGE)
        if full:
            self._flush(arrival)
        self._kind = kind
        self._batch.append(line)
        return full

    def _flush(self, arrival: Arrival) -> None:
        if self._kind is None or not self._batch:
            return
        answers = self._kind.bring(arrival, [Fields(line.fields) for line in self._batch])
        for line, answer in zip(self._batch, answers, strict=True):
            self._tally.count(answer, line=line.number)
        self._batch = []
        fill_vectors(self._store, self._indexer, arrival.subject, self._tally)


_KINDS = {kind.name: kind for kind in KINDS}


def _header(line: _Line | None) -> dict[str, object]:
    if line is None:
        raise InvalidInput("lines", f"there is no line; the first one must be a header of {RECORDS_FORMAT}")
    named = line.fields.get("format")
    if named != RECORDS_FORMAT:
        newer = isinstance(named, str) and named.startswith("atmem-records-")
        reason = "a newer release wrote this" if newer else "it is no header of an export"
        raise InvalidInput("lines", f"line {line.number}: {reason}; {RECORDS_FORMAT} is what can be read")
    return line.fields


def fill_vectors(store: Store, indexer: Indexer, subject: str, tally: Tally) -> None:
    """Make up the vectors that wait, a batch a call. After a failure they wait for a better time."""
    before: list[Pending] = []
    while not tally.degraded and indexer.able(subject):
        waiting = store.awaiting_vectors(limit=PAGE, subject=subject)
        # The same ones again: they wait for another model than the one that was given.
        if not waiting or waiting == before:
            return
        before = waiting
        tally.degraded = not indexer.embed(waiting)
