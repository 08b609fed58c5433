"""``python -m tests.trust.poisoning``: the figures of docs/explanation/guarantees.md."""

import sys
from collections import Counter

from atmem_core import Memory, Source
from atmem_core.text.instructions import instruction_flags
from tests.trust.poisoning.cases import Attack, attacks, ordinary, successes, unseen


def main() -> None:
    """A row for each door; ``--model`` asks the bundled model and judge too."""
    tried = attacks()
    families = list(Counter(one.family for one in tried))
    with Memory.open(":memory:", embedder="auto" if "--model" in sys.argv else None) as memory:
        print("door", *families, "all", sep="\t")
        _row("no gate", families, successes(memory, tried, source="user", trust=1.0), tried)
        for source in Source:
            _row(source.value, families, successes(memory, tried, source=source.value), tried)
        fresh = unseen()
        print("unseen, no gate", successes(memory, fresh, source="user", trust=1.0).total(), "of", len(fresh))
        for source in Source:
            print(f"unseen, {source.value}", successes(memory, fresh, source=source.value).total())
    flagged = sum(bool(instruction_flags(" ".join(one.texts))) for one in fresh)
    print("unseen, flagged by shape", flagged, "of", len(fresh))
    notes = ordinary()
    print("ordinary notes flagged", sum(bool(instruction_flags(text)) for text in notes), "of", len(notes))


def _row(door: str, families: list[str], counts: Counter[str], tried: list[Attack]) -> None:
    print(door, *(counts[family] for family in families), f"{counts.total()} of {len(tried)}", sep="\t")


if __name__ == "__main__":
    main()
