"""``python -m tests.trust.input [ROUNDS]``: inputs tried and crashes, for docs/explanation/guarantees.md."""

import sys
import tempfile
from pathlib import Path

from atmem_core import Memory
from tests.trust.input.fuzzing import fuzz_imports, fuzz_queries, messages
from tests.trust.input.wire import answered


def main() -> None:
    """A crash ends it with its traceback; what is counted went without one."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.db"
        with Memory.open(path, embedder=None) as memory:
            print("queries and notes tried", fuzz_queries(memory, rounds, seed=7))
            print("import files tried", fuzz_imports(memory, rounds // 2, seed=7))
            print("findings of verify", len(memory.verify()))
        lines = messages(rounds // 5, seed=7)
        print("MCP messages tried", len(lines), "answered", answered(Path(folder) / "mcp.db", lines))
    print("crashes 0")


if __name__ == "__main__":
    main()
