"""An import in a process of its own: it says each batch on stdout and waits to be killed after some."""

import sys

from atmem_core import Memory
from atmem_core.testing.embedders import FakeEmbedder


class Batches:
    """Says each; after the last wanted one nothing goes on."""

    def __init__(self, most: int) -> None:
        self._left = most

    def __call__(self, done: int, _: int | None) -> None:
        sys.stdout.write(f"{done}\n")
        sys.stdout.flush()
        self._left -= 1
        if not self._left:
            sys.stdin.read()


if __name__ == "__main__":
    with Memory.open(sys.argv[1], embedder=FakeEmbedder()) as memory:
        tell = Batches(int(sys.argv[4]))
        memory.import_file(sys.argv[2], subject="ada", format=sys.argv[3], progress=tell)
