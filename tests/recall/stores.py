"""A filled reference store for the read path's tests."""

from datetime import UTC, datetime
from typing import Any

from atmem_core.clock import SystemClock
from atmem_core.records import Note, Scope
from atmem_core.remember.ingest import Telling, draft
from atmem_core.store.protocol import ReadFilter
from atmem_core.testing.stores import ReferenceStore

AT = datetime(2100, 1, 1, tzinfo=UTC)


def filled(*texts: str, subject: str = "ada") -> ReferenceStore:
    store = ReferenceStore()
    for text in texts:
        add(store, text, subject=subject)
    return store


def add(store: ReferenceStore, text: str, *, subject: str = "ada", **changes: Any) -> Note:
    telling = Telling(text=text, scope=Scope(subject=subject), **changes)
    return store.add(draft(telling, SystemClock())).note


def everything(subject: str = "ada") -> ReadFilter:
    return ReadFilter(scope=Scope(subject=subject), at=AT)
