"""Events as JSON lines in a file that is rotated, and the reader that plays them back."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from atmem_core.errors import AtmemError, InvalidInput
from atmem_core.events.kinds import FactsErased, MemoryEvent, event_from_dict

_MOST_BYTES = 8 * 1024 * 1024


class JsonLinesSink:
    """Appends each event as one line. At ``most_bytes`` the file becomes ``NAME.1``, that one ``NAME.2``, ...

    When facts are erased, the text of their events is overwritten in all of these files.

    Args:
        path: The newest file; its folder must be there.
        most_bytes: Size above which the next event starts a new file.
        keep: Older files to keep; the oldest one goes.
    """

    def __init__(self, path: str | Path, *, most_bytes: int = _MOST_BYTES, keep: int = 3) -> None:
        if most_bytes < 1 or keep < 1:
            raise InvalidInput("most_bytes", "and keep must be 1 or more")
        self._path = Path(path)
        self._most = most_bytes
        self._keep = keep
        self._lock = threading.Lock()

    def record(self, event: MemoryEvent) -> None:
        """Append the event; it is in the system's hands when this returns."""
        line = json.dumps(event.to_dict(), sort_keys=True, ensure_ascii=False) + "\n"
        data = line.encode("utf-8")
        with self._lock:
            if isinstance(event, FactsErased):
                for written in (self._path, *_all_older(self._path)):
                    _wipe(written, frozenset(event.record_ids))
            if self._path.exists() and self._path.stat().st_size + len(data) > self._most:
                self._rotate()
            with self._path.open("ab") as file:
                file.write(data)

    def _rotate(self) -> None:
        for number in range(self._keep, 0, -1):
            older = _older(self._path, number)
            newer = _older(self._path, number - 1) if number > 1 else self._path
            if newer.exists():
                newer.replace(older)


def _wipe(file: Path, ids: frozenset[str]) -> None:
    """Overwrite the text of these records where it stands: a file written anew would leave the old bytes."""
    if not file.exists():
        return
    with file.open("r+b") as lines:
        at = 0
        for line in iter(lines.readline, b""):
            wiped = _without_text(line, ids)
            if wiped is not None:
                lines.seek(at)
                lines.write(wiped)
                lines.seek(at + len(line))
            at += len(line)


def _without_text(line: bytes, ids: frozenset[str]) -> bytes | None:
    """The line, as long as it was, without its text; None when it has none or is another record's."""
    try:
        said = json.loads(line)
        if said["record_id"] not in ids or said["content"] is None:
            return None
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    bare = json.dumps({**said, "content": None}, sort_keys=True, ensure_ascii=False).encode("utf-8")
    # A text of fewer bytes than "null" gives way to an empty one; white space at the end says nothing.
    if len(bare) >= len(line):
        bare = json.dumps({**said, "content": ""}, sort_keys=True, ensure_ascii=False).encode("utf-8")
    return bare.ljust(len(line) - 1) + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A line of a journal: the event, or what is wrong with the line."""

    file: Path
    line: int
    """From 1."""
    event: MemoryEvent | None = None
    error: str = ""
    """Empty for a good line; never holds the line's text."""


def replay(path: str | Path) -> Iterator[Replayed]:
    """Every line of a journal and its older files, oldest first. A bad line is said and passed over.

    Raises:
        AtmemError: There is no such file.
    """
    newest = Path(path)
    files = [*reversed(_all_older(newest)), newest]
    if not any(file.exists() for file in files):
        raise AtmemError(f"no events at {path}")
    for file in files:
        if file.exists():
            yield from _lines(file)


def _lines(file: Path) -> Iterator[Replayed]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                event = event_from_dict(json.loads(line))
            except (ValueError, RecursionError) as error:
                said = str(error) if isinstance(error, InvalidInput) else "no JSON"
                yield Replayed(file=file, line=number, error=said)
            else:
                yield Replayed(file=file, line=number, event=event)


def _older(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _all_older(path: Path) -> list[Path]:
    found: list[Path] = []
    while (older := _older(path, len(found) + 1)).exists():
        found.append(older)
    return found
