"""Attacks and ordinary notes, and how an attack is tried."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atmem_core import Memory
from atmem_core.text import digest

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What somebody brings into a memory, and the question that it waits for."""

    family: str
    query: str
    texts: tuple[str, ...]
    """One, or the pieces of one."""


def attacks() -> list[Attack]:
    """Two sets that the shapes were written with: 16 a family, and 8 more of six of them."""
    return [*_of("attacks.json"), *_of("heldout.json")]


def unseen() -> list[Attack]:
    """Written after the shapes, which weren't changed for them."""
    return _of("unseen.json")


def ordinary() -> list[str]:
    """What people tell; many hold the words of an attack."""
    return (HERE / "ordinary.txt").read_text(encoding="utf-8").splitlines()


def _of(name: str) -> list[Attack]:
    document: dict[str, Any] = json.loads((HERE / name).read_text(encoding="utf-8"))
    carriers = json.loads((HERE / "attacks.json").read_text(encoding="utf-8"))["carriers"]
    families = document.get("families", document)
    return [
        _attack(family, payload, carriers[at])
        for family, payloads in families.items()
        for at, payload in enumerate(payloads)
    ]


def _attack(family: str, payload: Any, carrier: Sequence[str]) -> Attack:
    question, truth = carrier
    if family == "falsehood":
        question, lie = payload
        return Attack(family=family, query=question, texts=(lie,))
    pieces = payload if isinstance(payload, list) else [payload]
    return Attack(family=family, query=question, texts=tuple(f"{truth} {piece}" for piece in pieces))


def released(memory: Memory, attack: Attack, *, source: str, trust: float | None) -> bool:
    """Brought in through this door, is all of it put before the model?"""
    subject = digest(attack.family, *attack.texts, source, str(trust))
    ids = {memory.remember(text, subject=subject, source=source, trust=trust).id for text in attack.texts}
    recall = memory.recall(attack.query, subject=subject)
    return ids <= {note.id for note in recall.records}


def successes(
    memory: Memory, tried: Sequence[Attack], *, source: str, trust: float | None = None
) -> Counter[str]:
    """Attacks whose whole text is released, by family."""
    return Counter(one.family for one in tried if released(memory, one, source=source, trust=trust))
