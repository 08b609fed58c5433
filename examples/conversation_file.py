"""Conversations in files: what was said, by whom and when, and what is asked afterwards.

Two layouts are read. JSON lines: ``{"speaker", "text", "time"}`` for a turn, with ``id`` and
``session`` if there are any, and ``{"question", "answer", "evidence", "category"}`` for a question.
And the layout of the LoCoMo benchmark: a list of samples with ``conversation`` and ``qa``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ADVERSARIAL = "5"
"""LoCoMo's category of questions that nothing in the conversation answers."""
_SESSION_TIME = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said."""

    id: str
    speaker: str
    text: str
    session: str
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something asked afterwards."""

    text: str
    answer: str
    evidence: tuple[str, ...]
    """Ids of the turns that answer it."""
    category: str

    @property
    def answerable(self) -> bool:
        """Whether the conversation holds the answer."""
        return self.category != ADVERSARIAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said between two or more people, in order."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Conversation]:
    """All conversations of a file. Raises ValueError when its layout is neither of the two."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [_from_lines(path.stem, [json.loads(line) for line in text.splitlines() if line])]
    samples = json.loads(text)
    if not isinstance(samples, list) or not all("conversation" in sample for sample in samples):
        raise ValueError(f"{path}: neither JSON lines (.jsonl) nor a list of LoCoMo samples")
    return [_from_sample(sample, number) for number, sample in enumerate(samples, start=1)]


def _from_lines(name: str, lines: list[dict[str, Any]]) -> Conversation:
    turns = [
        Turn(
            id=str(line.get("id", number)),
            speaker=line["speaker"],
            text=line["text"],
            session=str(line.get("session", name)),
            occurred_at=_aware(line.get("time")),
        )
        for number, line in enumerate(lines, start=1)
        if "text" in line
    ]
    questions = [
        Question(
            text=line["question"],
            answer=str(line.get("answer", "")),
            evidence=tuple(str(one) for one in line.get("evidence", ())),
            category=str(line.get("category", "4")),
        )
        for line in lines
        if "question" in line
    ]
    return Conversation(id=name, turns=tuple(turns), questions=tuple(questions))


def _aware(time: str | None) -> datetime | None:
    """The instant; a time without a zone is taken as UTC, as everything else here."""
    if time is None:
        return None
    told = datetime.fromisoformat(time)
    return told if told.tzinfo else told.replace(tzinfo=UTC)


def _from_sample(sample: dict[str, Any], number: int) -> Conversation:
    questions = [
        Question(
            text=one["question"],
            answer=str(one.get("answer", "")),
            evidence=tuple(f"D{a}:{int(b)}" for a, b in _EVIDENCE.findall(str(one["evidence"]))),
            category=str(one["category"]),
        )
        for one in sample["qa"]
    ]
    return Conversation(
        id=str(sample.get("sample_id", number)),
        turns=tuple(_turns(sample["conversation"])),
        questions=tuple(questions),
    )


def _aware_session(told: str) -> datetime:
    return datetime.strptime(told, _SESSION_TIME).replace(tzinfo=UTC)


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    sessions = [key for key in conversation if _SESSION.fullmatch(key)]
    for session in sorted(sessions, key=lambda key: int(key.removeprefix("session_"))):
        began = _aware_session(conversation[f"{session}_date_time"])
        for second, turn in enumerate(conversation[session]):
            caption = turn.get("blip_caption")
            yield Turn(
                id=turn["dia_id"],
                speaker=turn["speaker"],
                text=f"{turn['text']} [photo: {caption}]" if caption else turn["text"],
                session=session,
                occurred_at=began + timedelta(seconds=second),
            )
