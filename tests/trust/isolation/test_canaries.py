"""Ten tenants, random acts, a canary each: nobody ever reads another's. The long form is a soak test."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from atmem_core import Memory, NotFound, WriteRefused
from atmem_core.testing.clocks import FakeClock

TENANTS = ["ada", "Ada", "ada ", "a%", "a_a", "\u0430da", "eve", "eve/ada", "1", "0"]
TOPICS = ["gym locker", "wifi", "bicycle lock", "garden gate", "office safe"]
Act = Callable[[Memory, str, str, random.Random], object]


def canary(who: str) -> str:
    return f"canary{TENANTS.index(who)}canary"


def _told(who: str, dice: random.Random) -> str:
    return f"The code of my {dice.choice(TOPICS)} is {canary(who)} {dice.randrange(9)}."


ACTS: list[Act] = [
    lambda memory, who, asked, dice: memory.remember(_told(who, dice), subject=who, session="s").record,
    lambda memory, who, asked, dice: memory.remember(_told(who, dice), subject=who, source="web").record,
    lambda memory, who, asked, dice: memory.facts.add("user", "lives in", canary(who), subject=who).fact,
    lambda memory, who, asked, dice: memory.sessions.append(_told(who, dice), subject=who, session="s"),
    lambda memory, who, asked, dice: memory.recall(asked, subject=who, allow_background=True),
    lambda memory, who, asked, dice: memory.search(asked, subject=who, k=50),
    lambda memory, who, asked, dice: memory.search(asked, subject=who, k=50, mode="keyword"),
    lambda memory, who, asked, dice: memory.context(asked, subject=who, allow_background=True).text,
    lambda memory, who, asked, dice: memory.notes(subject=who, all_states=True),
    lambda memory, who, asked, dice: memory.facts.list(subject=who, all_states=True),
    lambda memory, who, asked, dice: memory.facts.search(asked, subject=who),
    lambda memory, who, asked, dice: memory.sessions.recent(subject=who, session="s"),
    lambda memory, who, asked, dice: memory.sessions.search(asked, subject=who, session="s"),
    lambda memory, who, asked, dice: list(memory.export_records(subject=who)),
    lambda memory, who, asked, dice: memory.quarantine.list(subject=who),
]
BY_ID: list[Act] = [
    lambda memory, who, found, dice: memory.get(found, subject=who),
    lambda memory, who, found, dice: memory.versions(found, subject=who),
    lambda memory, who, found, dice: memory.supersede(found, _told(who, dice), subject=who).record,
    lambda memory, who, found, dice: memory.forget(found, subject=who),
    lambda memory, who, found, dice: memory.erase(found, subject=who),
]


def play(memory: Memory, rounds: int, seed: int) -> int:
    """Random acts of random tenants, some with ids of others; how many answers were looked at."""
    dice = random.Random(seed)  # noqa: S311 - the same acts each time
    ids: list[str] = ["n0"]
    looked = 0
    for _ in range(rounds):
        who, by_id = dice.choice(TENANTS), dice.random() < 0.3
        asked = dice.choice(ids) if by_id else f"what is the code of my {dice.choice(TOPICS)}? canary"
        try:
            given = dice.choice(BY_ID if by_id else ACTS)(memory, who, asked, dice)
        except (NotFound, WriteRefused) as error:  # a fact has other verbs than a note
            given = str(error)
        shown = repr(given)
        assert [one for one in TENANTS if one != who and canary(one) in shown] == []
        looked += 1
        ids.extend([identifier] if isinstance(identifier := getattr(given, "id", None), str) else [])
    return looked


def test_nobody_reads_anothers_canary(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "agent.db", embedder=None, clock=FakeClock()) as memory:
        assert play(memory, 400, seed=1) == 400
        assert memory.verify() == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_nobody_reads_anothers_canary_for_long(seed: int, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "agent.db", embedder=None, clock=FakeClock()) as memory:
        assert play(memory, 2_500, seed=seed) == 2_500
        assert memory.verify() == []
