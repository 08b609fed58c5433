"""A process that does all that a host does to a file, at random, until it is killed or has done enough."""

import random
from pathlib import Path

from atmem_core import Memory
from atmem_core.config import Config
from atmem_core.embedding import HashingEmbedder
from tests.trust.crash.journal import Journal

ACTS = ("remember", "remember", "remember", "supersede", "forget", "erase", "read", "repair")
_SHARED = "shared"


class Worker:
    """Writes to a subject of its own and to one that all share."""

    def __init__(self, memory: Memory, journal: Journal, *, name: str, seed: int) -> None:
        self._memory = memory
        self._journal = journal
        self._name = name
        self._chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
        self._mine: list[tuple[str, str, str]] = []
        """Subject, word and id of what stands."""
        self._count = 0

    def act(self) -> None:
        """One act, chosen at random."""
        act = self._chance.choice(ACTS)
        if act == "remember" or not self._mine:
            self._remember()
        elif act in {"read", "repair"}:
            self._look(repair=act == "repair" and self._chance.random() < 0.1)
        else:
            chosen = self._mine.pop(self._chance.randrange(len(self._mine)))
            getattr(self, "_" + act)(*chosen)

    def _word(self) -> str:
        self._count += 1
        return f"w{self._name}x{self._count}q"

    def _remember(self) -> None:
        subject = self._chance.choice((_SHARED, self._name))
        word = self._word()
        self._journal.says(said="does", act="remember", subject=subject, word=word)
        note_id = self._memory.remember(f"The word {word} was told.", subject=subject).id
        self._journal.says(said="did", act="remember", subject=subject, word=word, id=note_id)
        self._mine.append((subject, word, note_id))

    def _supersede(self, subject: str, old: str, note_id: str) -> None:
        word = self._word()
        self._journal.says(said="does", act="supersede", subject=subject, word=word, old=old)
        new_id = self._memory.supersede(note_id, f"The word {word} took over.", subject=subject).id
        self._journal.says(said="did", act="supersede", subject=subject, word=word, old=old, id=new_id)
        self._mine.append((subject, word, new_id))

    def _forget(self, subject: str, word: str, note_id: str) -> None:
        self._journal.says(said="does", act="forget", subject=subject, word=word)
        self._memory.forget(note_id, subject=subject)
        self._journal.says(said="did", act="forget", subject=subject, word=word)

    def _erase(self, subject: str, word: str, note_id: str) -> None:
        self._journal.says(said="does", act="erase", subject=subject, word=word)
        self._memory.erase(note_id, subject=subject)
        self._journal.says(said="did", act="erase", subject=subject, word=word)

    def _look(self, *, repair: bool) -> None:
        subject, word, note_id = self._chance.choice(self._mine)
        decision = self._memory.decide(f"which word was told, {word}?", subject=subject)
        if note_id not in {one.record_id for one in decision.candidates}:
            raise AssertionError(f"{word} was acknowledged and isn't found")
        if repair:
            self._memory.repair()


def opened(path: Path) -> Memory:
    """A memory with vectors that need no model."""
    return Memory.open(path, embedder=HashingEmbedder(), config=Config(max_released=1))


def work(path: str, journal: str, *, name: str, seed: int, acts: int) -> None:
    """Do so many acts in this process."""
    with opened(Path(path)) as memory:
        worker = Worker(memory, Journal(Path(journal)), name=name, seed=seed)
        for _ in range(acts):
            worker.act()
