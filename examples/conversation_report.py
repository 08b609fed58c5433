"""What came out of a conversation: how fast, and whether the right memory was injected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conversation_file import Conversation, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question, and what the model was shown for it."""

    question: Question
    support_class: str
    injected: tuple[str, ...]
    """Ids of the turns in the model's request."""
    reply: str

    @property
    def any_evidence(self) -> bool:
        """Whether one of the turns that answer it was injected."""
        return bool(set(self.question.evidence) & set(self.injected))

    @property
    def all_evidence(self) -> bool:
        """Whether all of them were."""
        return bool(self.question.evidence) and set(self.question.evidence) <= set(self.injected)

    @property
    def withheld(self) -> bool:
        """Whether nothing was injected."""
        return not self.injected


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One conversation, remembered and asked about."""

    conversation: Conversation
    answered: tuple[Answered, ...]
    storing_s: float
    asking_s: float


def figures(played: Sequence[Played]) -> dict[str, Any]:
    """Counts and speeds of one or more conversations, as plain JSON."""
    answered = [one for play in played for one in play.answered]
    turns = sum(len(play.conversation.turns) for play in played)
    storing_s = sum(play.storing_s for play in played)
    asking_s = sum(play.asking_s for play in played)
    categories = sorted({one.question.category for one in answered})
    return {
        "conversations": [play.conversation.id for play in played],
        "turns": turns,
        "turns_per_s": round(turns / storing_s, 1) if storing_s else None,
        "questions": len(answered),
        "decisions_per_s": round(len(answered) / asking_s, 1) if asking_s else None,
        "answerable": _counts([one for one in answered if one.question.answerable]),
        "adversarial": _counts([one for one in answered if not one.question.answerable]),
        "by_category": {
            category: _counts([one for one in answered if one.question.category == category])
            for category in categories
        },
    }


def _counts(answered: list[Answered]) -> dict[str, int]:
    return {
        "questions": len(answered),
        "with_evidence_injected": sum(one.any_evidence for one in answered),
        "with_all_evidence_injected": sum(one.all_evidence for one in answered),
        "withheld": sum(one.withheld for one in answered),
        "records_injected": sum(len(one.injected) for one in answered),
    }


def as_text(report: dict[str, Any]) -> str:
    """The figures for a person."""
    speed = (
        f"{report['turns']} turns stored, {report['turns_per_s']} a second; "
        f"{report['questions']} questions decided, {report['decisions_per_s']} a second"
    )
    lines = [
        f"{', '.join(report['conversations'])}: {speed}",
        f"{'':14}{'questions':>10}{'evidence':>10}{'all of it':>10}{'withheld':>10}",
    ]
    rows = {"answerable": report["answerable"], "adversarial": report["adversarial"]}
    rows |= {f"category {name}": counts for name, counts in report["by_category"].items()}
    for name, counts in rows.items():
        shown = (
            counts["questions"],
            counts["with_evidence_injected"],
            counts["with_all_evidence_injected"],
            counts["withheld"],
        )
        lines.append(f"{name:14}" + "".join(f"{count:>10}" for count in shown))
    return "\n".join(lines)
