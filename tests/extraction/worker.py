"""What the processes of the tests do: say turns until they are killed."""

import sys
import threading
from collections.abc import Sequence

from atmem_core import Memory
from atmem_core.records import Extraction, ExtractionJob, FactRef
from atmem_core.remember.extraction import RuleExtractor


class Stalling(RuleExtractor):
    """Reads so many turns as rules do, then never again."""

    def __init__(self, turns: int) -> None:
        self._left = turns

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        self._left -= 1
        if self._left < 0:
            threading.Event().wait()
        return super().extract(job, priors)


def finish_until_killed(path: str, reads: int) -> None:
    """Say each number on stdout once its turn is written."""
    memory = Memory.open(path, embedder=None)
    memory.sessions.extract_with(Stalling(reads))
    at = 0
    while True:
        at += 1
        memory.sessions.finish(f"I like thing{at}.", "Noted.", subject="ada", session="s")
        sys.stdout.write(f"{at}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    finish_until_killed(sys.argv[1], int(sys.argv[2]))
