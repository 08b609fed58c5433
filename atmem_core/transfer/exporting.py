"""All records of a subject as JSON lines: a header, the records kind by kind, an end."""

import json
from collections.abc import Iterator
from datetime import datetime

from atmem_core.records import RECORDS_FORMAT
from atmem_core.store.protocol import Store
from atmem_core.transfer.registry import KINDS


def pages_of(store: Store, subject: str, *, at: datetime) -> Iterator[list[str]]:
    """Pages of lines. The end says how many records there were: without it the file is a part of one."""
    header = {
        "format": RECORDS_FORMAT,
        "subject": subject,
        "exported_at": at.isoformat(),
        "records": store.count_records(subject),
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
