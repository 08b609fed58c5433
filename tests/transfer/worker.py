"""An import in a process of its own, which says each batch on stdout and is killed by the test."""

import sys

from atmem_core import Memory
from atmem_core.testing.embedders import FakeEmbedder


def say(done: int, _: int | None) -> None:
    sys.stdout.write(f"{done}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    with Memory.open(sys.argv[1], embedder=FakeEmbedder()) as memory:
        memory.import_file(sys.argv[2], subject="ada", format=sys.argv[3], progress=say)
        sys.stdout.write("whole\n")
