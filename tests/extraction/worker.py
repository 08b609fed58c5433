"""What the processes of the tests do: say turns until they are killed."""

import sys
import threading
from collections.abc import Sequence

from atmem_core import Memory
from atmem_core.records import Extraction, ExtractionJob, FactRef
from atmem_core.remember.extraction import RuleExtractor


class Slow(RuleExtractor):
    """Reads as rules do, after a while."""

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        threading.Event().wait(0.01)
        return super().extract(job, priors)


def finish_until_killed(path: str) -> None:
    """Say each number on stdout once its turn is written."""
    memory = Memory.open(path, embedder=None)
    memory.sessions.extract_with(Slow())
    at = 0
    while True:
        at += 1
        memory.sessions.finish(f"I like thing{at}.", "Noted.", subject="ada", session="s")
        sys.stdout.write(f"{at}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    finish_until_killed(sys.argv[1])
