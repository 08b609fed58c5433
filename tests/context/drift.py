"""Conversations that drift from a topic and return to it. ``python -m tests.context.drift``: the figures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atmem_core import Channel, Config, Memory
from atmem_core.policy.metrics import drift_score, injected_precision, mean

CASES = Path(__file__).parent.parent / "cases" / "drift" / "conversations.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Eleven turns that tell, and a twelfth that asks for something from before the drift."""

    name: str
    told: tuple[str, ...]
    drifted: frozenset[int]
    """Places of the turns about something else."""
    returning: str
    wanted: frozenset[int]
    """Places of the turns that answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What was injected at the return."""

    name: str
    injected: tuple[int, ...]
    """Places of the turns, best first."""
    indexed: tuple[int, ...]
    drift: float | None
    precision: float | None
    found: bool


def conversations() -> list[Conversation]:
    """As they are written."""
    document = json.loads(CASES.read_text(encoding="utf-8"))
    return [
        Conversation(
            name=one["name"],
            told=tuple(turn["said"] for turn in one["turns"]),
            drifted=frozenset(at for at, turn in enumerate(one["turns"]) if turn["topic"] == "drift"),
            returning=one["return"],
            wanted=frozenset(one["wanted"]),
        )
        for one in document["conversations"]
    ]


def returned(conversation: Conversation, memory: Memory) -> Returned:
    """Have the conversation, as a host has it; what its last turn is shown."""
    provider = memory.provider(keep=bool)
    whose: dict[str, Any] = {"subject": conversation.name, "session": "s1"}
    places: dict[str, int] = {}
    for at, text in enumerate(conversation.told):
        turn: dict[str, Any] = {**whose, "turn_id": f"t{at}"}
        provider.before_turn(text, **turn)
        places[provider.after_turn(user=text, **turn).note_ids[0]] = at
    block = provider.before_turn(conversation.returning, turn_id="last", **whose)
    by_channel = {part.channel: [places[one] for one in part.record_ids] for part in block.sections}
    injected = by_channel.get(Channel.RECALLED, [])
    return Returned(
        name=conversation.name,
        injected=tuple(injected),
        indexed=tuple(by_channel.get(Channel.MEMORY_INDEX, [])),
        drift=drift_score(injected, conversation.drifted),
        precision=injected_precision(injected, conversation.wanted),
        found=not conversation.wanted.isdisjoint(injected),
    )


def run(embedder: str | None) -> list[Returned]:
    """All ten, each by a subject of its own in one memory."""
    with Memory.open(":memory:", embedder=embedder, config=Config(backfill=False)) as memory:
        return [returned(one, memory) for one in conversations()]


def figures(results: Sequence[Returned]) -> tuple[float | None, float | None, int]:
    """Mean drift score and precision where something was injected, and how often the answer was."""
    drift = mean(one.drift for one in results if one.drift is not None)
    return (
        drift,
        mean(one.precision for one in results if one.precision is not None),
        sum(one.found for one in results),
    )


def main() -> None:
    """A row a conversation, with the bundled model and by words alone."""
    for name in ("auto", None):
        results = run(name)
        print(f"embedder {name}")
        for one in results:
            print(f"  {one.name:20} drift {one.drift} precision {one.precision} injected {one.injected}")
        drift, right, found = figures(results)
        print(f"  all: drift {drift}, precision {right}, the answer shown in {found} of {len(results)}")


if __name__ == "__main__":
    main()
