"""What a worker said before and after each act, and what must therefore be in the file.

A line is written before an act (``does``) and after it returned (``did``), to a file opened for appending:
what was written stays when the process is killed. An act with no ``did`` may have happened or not.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atmem_core import Memory
from atmem_core.errors import NotFound


class Journal:
    """Lines of one worker."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def says(self, **line: Any) -> None:
        """One line, whole."""
        os.write(self._file, (json.dumps(line) + "\n").encode())


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """All whole lines."""
    text = path.read_bytes() if path.exists() else b""
    for line in text.split(b"\n")[:-1]:
        yield json.loads(line)


@dataclass(slots=True)
class Told:
    """One text, by its word that stands in no other."""

    subject: str
    note_id: str = ""
    state: str = "under way"
    """under way, current, superseded, forgotten, erased."""
    doubtful: bool = False
    """An act on it had begun and wasn't acknowledged."""


@dataclass(slots=True)
class History:
    """All that workers said about one file."""

    told: dict[str, Told] = field(default_factory=dict)
    """By word."""
    acts: int = 0
    """Acknowledged."""

    def hear(self, path: Path) -> None:
        """Take one worker's journal in."""
        for line in lines_of(path):
            word, act = line["word"], line["act"]
            one = self.told.setdefault(word, Told(subject=line["subject"]))
            if line["said"] == "does":
                one.doubtful = True
                continue
            self.acts += 1
            one.doubtful = False
            one.note_id = line.get("id", one.note_id)
            one.state = {"remember": "current", "forget": "forgotten", "erase": "erased"}.get(act, one.state)
            if act == "supersede":
                one.state = "current"
                self.told[line["old"]].state = "superseded"
        for line in lines_of(path):
            # The old one of a supersession that may have happened.
            if line["said"] == "does" and line["act"] == "supersede" and self.told[line["word"]].doubtful:
                self.told[line["old"]].doubtful = True


def faults(memory: Memory, history: History, files: bytes) -> list[str]:
    """What doesn't agree with the history; empty when all does."""
    found = [f"verify: {line}" for line in memory.verify()]
    for word, one in history.told.items():
        if one.doubtful:
            continue
        fault = _fault(memory, word, one)
        if fault:
            found.append(f"{one.state} {word}: {fault}")
        if one.state == "erased" and word.encode() in files:
            found.append(f"erased {word}: still in the files")
    return found + _doubles(memory, history)


def _fault(memory: Memory, word: str, one: Told) -> str:
    hits = [hit.record for hit in memory.search(word, subject=one.subject, mode="keyword")]
    shown = [note.id for note in hits if word in note.text]
    if one.state == "current":
        return "" if shown == [one.note_id] else f"found as {shown}"
    if shown:
        return f"came back as {shown}"
    try:
        note = memory.get(one.note_id, subject=one.subject)
    except NotFound:
        return "" if one.state == "erased" else "is gone"
    if one.state == "erased":
        return "is there"
    held = note.forgotten_at if one.state == "forgotten" else note.superseded_by
    return "" if held is not None else "its end is lost"


def _doubles(memory: Memory, history: History) -> list[str]:
    """Texts that stand twice."""
    found: list[str] = []
    for subject in sorted({one.subject for one in history.told.values()}):
        texts = [note.text for note in memory.notes(subject=subject, limit=100_000, all_states=True)]
        found += [f"twice: {text}" for text in set(texts) if texts.count(text) > 1]
    return found
