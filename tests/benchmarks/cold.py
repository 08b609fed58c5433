"""Run in a process of its own: CPU milliseconds from the start of Python to the first decision, as JSON.

Arguments: the file, the subject, the query. The query's vector is drawn: no model is loaded.
"""

import json
import sys
import time


def main(path: str, subject: str, query: str) -> None:
    """Print what each step cost, in CPU milliseconds of the whole process."""
    started = time.process_time()
    import numpy as np  # noqa: PLC0415 - its cost is told apart

    from atmem_core import Memory  # noqa: PLC0415 - the same
    from tests.benchmarks.filling import DIMENSIONS, GivenVectors  # noqa: PLC0415 - the same

    imported = time.process_time()
    vector = np.full(DIMENSIONS, DIMENSIONS**-0.5, dtype=np.float32)
    with Memory.open(path, embedder=GivenVectors({query: vector})) as memory:
        first = memory.decide(query, subject=subject)
        answered = time.process_time()
    steps = {"python": started, "imports": imported - started, "answer": answered - imported}
    found = {name: round(1000 * seconds, 2) for name, seconds in steps.items()}
    print(json.dumps({**found, "candidates": len(first.candidates)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
