"""Labelled stores: notes, questions, and which notes answer each.

A file is one JSON object: ``store``, ``now``, ``notes`` (``key``, ``text``, and optionally ``speaker``,
``session``, ``source``, ``occurred_at``, ``valid_to``, ``tags``, ``supersedes``) and ``cases`` (``query``,
``kind``, ``answers``: every key that answers, none when nothing stored does).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from atmem_core.clock import SystemClock
from atmem_core.config import Config
from atmem_core.embedding import Embedder, resolve
from atmem_core.judge import Judge
from atmem_core.memory import Memory
from atmem_core.policy.calibration import Calibration
from atmem_core.semantic.calibrations import calibration_for
from atmem_core.store import open_store

SUBJECT = "case"


class FixedClock(SystemClock):
    """Stands still at one instant; ids stay random."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        """The one instant."""
        return self._at


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled question."""

    query: str
    kind: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStore:
    """One labelled store, as read from its file."""

    name: str
    now: datetime
    notes: tuple[dict[str, object], ...]
    cases: tuple[Case, ...]

    def fill(self, memory: Memory) -> dict[str, str]:
        """Store all notes under ``SUBJECT``; key to record id."""
        ids: dict[str, str] = {}
        for note in self.notes:
            supersedes = note.get("supersedes")
            stored = memory.remember(
                str(note["text"]),
                subject=SUBJECT,
                session=_text(note, "session"),
                speaker=_text(note, "speaker") or "user",
                source=_text(note, "source") or "user",
                occurred_at=_moment(note, "occurred_at"),
                valid_to=_moment(note, "valid_to"),
                supersedes=ids[str(supersedes)] if supersedes else None,
            )
            ids[str(note["key"])] = stored.id
        return ids


def read_stores(folder: Path) -> list[CaseStore]:
    """Every store file of the folder, by name."""
    return [read_store(path) for path in sorted(folder.glob("*.json"))]


def read_store(path: Path) -> CaseStore:
    """One store file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return CaseStore(
        name=data["store"],
        now=datetime.fromisoformat(data["now"]),
        notes=tuple(data["notes"]),
        cases=tuple(
            Case(query=one["query"], kind=one["kind"], answers=tuple(one["answers"])) for one in data["cases"]
        ),
    )


def opened(
    stores: Sequence[CaseStore],
    embedder: Embedder | None,
    *,
    config: Config | None = None,
    judge: Judge | None = None,
    calibration: Calibration | None = None,
) -> Iterator[tuple[CaseStore, Memory, dict[str, str]]]:
    """Each store filled into a memory of its own, which is closed after use.

    With a calibration, that one judges in place of those that ship.
    """
    config = config or Config()
    chosen = calibration_for if calibration is None else (lambda *_, **__: calibration)
    for store in stores:
        with Memory(
            open_store(":memory:", config=config),
            resolve(embedder),
            config=config,
            clock=FixedClock(store.now),
            judge=judge,
            calibration_for=chosen,
        ) as memory:
            yield store, memory, store.fill(memory)


def _text(note: dict[str, object], field: str) -> str | None:
    value = note.get(field)
    return None if value is None else str(value)


def _moment(note: dict[str, object], field: str) -> datetime | None:
    value = note.get(field)
    return None if value is None else datetime.fromisoformat(str(value))
