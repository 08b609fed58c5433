"""What the processes of the tests do; each function is run in a process of its own."""

import json
import os
import signal
import sys
from pathlib import Path

from atmem_core.config import Config
from atmem_core.records import Selector
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import IDENTITY, LATER, SteppingClock, drafted, opened, reading, unit


def write_many(path: str, name: str, count: int) -> list[str]:
    """Open, write notes of two subjects, forget some; the ids that must be there."""
    clock = SteppingClock(name=name)
    store = opened(path)
    kept = []
    for at in range(count):
        subject = "shared" if at % 2 else name
        stored = store.add(drafted(f"{name} says {at}", clock, subject=subject))
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
        if at % 5 == 4:
            store.forget(subject, Selector(note_id=stored.note.id), at=LATER)
        else:
            kept.append(stored.note.id)
    store.close()
    return kept


def read_many(path: str, rounds: int) -> int:
    """Read while others write: every snapshot agrees with itself. Notes seen at the end."""
    store = opened(path)
    seen = 0
    for _ in range(rounds):
        with store.read(reading("shared")) as view:
            rows = view.postings("says")
            assert len(rows) == view.corpus.documents == view.document_frequency("says")
            assert len(view.documents(rows)) == len(rows)
            found = view.nearest(IDENTITY, unit(1), 5)
            assert {row for row, _ in found} <= set(rows)
            assert len(rows) >= seen - len(rows)
            seen = len(rows)
    store.close()
    return seen


def write_until_killed(path: str) -> None:
    """Say each id on stdout after its write returned."""
    clock = SteppingClock(name=str(os.getpid()))
    store = opened(path)
    current: str | None = None
    at = 0
    while True:
        at += 1
        stored = store.add(drafted(f"word{at % 7} text {at}", clock), supersedes=current)
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
        current = stored.note.id if at % 3 else None
        if at % 11 == 0:
            store.erase("ada", Selector(note_id=stored.note.id), at=LATER)
            current = None
            continue
        sys.stdout.write(stored.note.id + "\n")
        sys.stdout.flush()


def write_on_a_full_disk(path: str) -> None:
    """Write until the file may not grow, then read; then grow again. JSON of what happened."""
    import resource  # noqa: PLC0415 - not on every platform

    from atmem_core.errors import StoreFull  # noqa: PLC0415 - beside its use

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore.open(path, config=Config())
    clock = SteppingClock()
    stored = store.add(drafted("first", clock))
    limit = sum(Path(path + end).stat().st_size for end in ("", "-wal")) + 65_536
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    ids, error = [stored.note.id], ""
    for at in range(2_000):
        try:
            ids.append(store.add(drafted(f"note {at} " + "word " * 200, clock)).note.id)
        except StoreFull as full:
            error = type(full).__name__
            break
    with store.read(reading()) as view:
        readable = view.corpus.documents
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    ids.append(store.add(drafted("room again", clock)).note.id)
    found = store.verify()
    store.close()
    sys.stdout.write(json.dumps({"error": error, "readable": readable, "ids": ids, "findings": found}))


if __name__ == "__main__":
    {"until-killed": write_until_killed, "full-disk": write_on_a_full_disk}[sys.argv[1]](sys.argv[2])
