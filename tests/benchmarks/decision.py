"""What a decision costs: ``python -m tests.benchmarks.decision [--quick] [--json]``.

CPU time of one thread, without the embedding of the query. Beside each figure stands a scan of the same
vectors by numpy, float32, in the same process and in turn: the ratio means more than the milliseconds.
"""

import os

# Before numpy is imported: one thread, or the scan's CPU time is that of a pool.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from atmem_core import Memory
from atmem_core.embedding import Float32Array
from atmem_core.policy.question import read_query
from atmem_core.records import Scope
from atmem_core.store.protocol import ReadFilter
from tests.benchmarks import texts
from tests.benchmarks.filling import GivenVectors, Subject, filled, subject
from tests.benchmarks.timing import Cost, alternated, cost_of

_BEST = 10
_QUERIES = 40
_NOTES_OF_MANY = 100
_KINDS = {
    "content words": texts.keywords,
    "question": texts.questions,
    "question with a speaker's name": texts.naming,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which sizes, and how often."""

    notes: Sequence[int]
    """Sizes of the one subject in a file."""
    subjects: int
    """In the file that holds many subjects of 100 notes each."""
    written: Sequence[int]
    """Two sizes at which a write is measured."""
    cold: int
    rounds: int


FULL = Plan(notes=(1_000, 10_000, 100_000), subjects=1_000, written=(1_000, 50_000), cold=10_000, rounds=120)
QUICK = Plan(notes=(1_000, 10_000), subjects=100, written=(1_000, 10_000), cold=10_000, rounds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the report."""

    what: str
    cost: Cost
    matched: float | None = None
    """Mean share of the subject's notes that hold a word of the query."""
    scan: Cost | None = None
    """The scan of the same vectors, in turn with it."""
    ratio: float | None = None
    """Median over that of the scan, or of the line before."""


def decisions(folder: Path, plan: Plan) -> Iterator[Row]:
    """One subject in a file, at each size and for each kind of query."""
    for count in plan.notes:
        one = subject("ada", count, seed=count)
        path = filled(folder / f"one-{count}.db", [one])
        for kind in _KINDS:
            yield _beside_a_scan(path, one, kind, rounds=plan.rounds)


def _beside_a_scan(path: Path, one: Subject, kind: str, *, rounds: int) -> Row:
    asked, vectors = _queries(one, kind)
    with Memory.open(path, embedder=GivenVectors(vectors)) as memory:
        _warm(memory, one, asked)
        costs = alternated(
            {
                "decide": _deciding(memory, one, asked),
                "scan": _scanning(one, [vectors[text] for text in asked]),
            },
            rounds=rounds,
        )
        matched = _matched(memory, one, asked)
    return Row(
        what=f"{len(one.notes)} notes, {kind}",
        cost=costs["decide"],
        matched=matched,
        scan=costs["scan"],
        ratio=_ratio(costs["decide"], costs["scan"]),
    )


def _ratio(cost: Cost, beside: Cost) -> float:
    return round(cost.median_ms / beside.median_ms, 2)


def _queries(one: Subject, kind: str) -> tuple[list[str], dict[str, Float32Array]]:
    drawn = _KINDS[kind](one.notes, 2 * _QUERIES, seed=7)
    # "play bread" reads as a command, and is refused before anything is looked up.
    found = [asked for asked in drawn if read_query(asked.text, max_chars=4_000).refusal is None][:_QUERIES]
    vectors = {asked.text: one.near(asked, seed=at) for at, asked in enumerate(found)}
    return list(vectors), vectors


def _warm(memory: Memory, one: Subject, asked: Sequence[str]) -> None:
    """Every page read, every stem known, the vectors in memory, as in a process that runs."""
    for text in asked:
        decision = memory.decide(text, subject=one.name)
        healthy = decision.semantic is not None and decision.semantic.health == "healthy"
        if not healthy or not decision.candidates:
            raise RuntimeError(f"no fair measurement: {decision.to_dict()}")


def _deciding(memory: Memory, one: Subject, asked: Sequence[str]) -> Callable[[int], object]:
    return lambda at: memory.decide(asked[at % len(asked)], subject=one.name)


def _scanning(one: Subject, vectors: Sequence[Float32Array]) -> Callable[[int], object]:
    """The floor: every cosine, and the ten best."""
    matrix = one.vectors.copy()
    best = min(_BEST, len(matrix))

    def scan(at: int) -> object:
        cosines = matrix @ vectors[at % len(vectors)]
        return np.argpartition(-cosines, best - 1)[:best]

    return scan


def _matched(memory: Memory, one: Subject, asked: Sequence[str]) -> float:
    shares = []
    everything = ReadFilter(scope=Scope(subject=one.name), at=datetime(2100, 1, 1, tzinfo=UTC))
    with memory._store.read(everything) as view:
        for text in asked:
            terms = read_query(text, max_chars=4_000).terms
            held = {row for term in terms for row in view.postings(term.word)}
            shares.append(len(held) / len(one.notes))
    return round(sum(shares) / len(shares), 4)


def many_subjects(folder: Path, plan: Plan) -> Iterator[Row]:
    """One of many subjects, beside the same subject alone in a file."""
    everyone = [subject(f"s{at}", _NOTES_OF_MANY, seed=at) for at in range(plan.subjects)]
    one = everyone[plan.subjects // 2]
    paths = {
        "alone": filled(folder / f"alone-{one.name}.db", [one]),
        "many": filled(folder / f"many-{plan.subjects}.db", everyone),
    }
    for kind in _KINDS:
        yield from _in_two_files(paths, one, kind, plan)


def _in_two_files(paths: Mapping[str, Path], one: Subject, kind: str, plan: Plan) -> Iterator[Row]:
    asked, vectors = _queries(one, kind)
    with (
        Memory.open(paths["alone"], embedder=GivenVectors(vectors)) as alone,
        Memory.open(paths["many"], embedder=GivenVectors(vectors)) as many,
    ):
        _warm(alone, one, asked)
        _warm(many, one, asked)
        costs = alternated(
            {"alone": _deciding(alone, one, asked), "many": _deciding(many, one, asked)},
            rounds=plan.rounds,
        )
        matched = _matched(alone, one, asked)
    what = f"{_NOTES_OF_MANY} notes, {kind}"
    yield Row(what=f"{what}, alone in the file", cost=costs["alone"], matched=matched)
    yield Row(
        what=f"{what}, 1 of {plan.subjects} subjects",
        cost=costs["many"],
        matched=matched,
        ratio=_ratio(costs["many"], costs["alone"]),
    )


def writes(folder: Path, plan: Plan) -> Iterator[Row]:
    """``remember`` with a given vector, in copies of two files, in turn."""
    small, large = plan.written
    told = texts.notes(plan.rounds + 1, seed=99)
    given = subject("ada", len(told), seed=99)
    vectors = dict(zip(told, given.vectors, strict=True))
    paths = {}
    for count in (small, large):
        source = filled(folder / f"one-{count}.db", [subject("ada", count, seed=count)])
        paths[count] = Path(shutil.copy(source, folder / f"written-{count}.db"))
    with (
        Memory.open(paths[small], embedder=GivenVectors(vectors)) as first,
        Memory.open(paths[large], embedder=GivenVectors(vectors)) as second,
    ):
        costs = alternated(
            {
                "small": lambda at: first.remember(told[at], subject="ada"),
                "large": lambda at: second.remember(told[at], subject="ada"),
            },
            rounds=plan.rounds,
        )
    for path in paths.values():
        path.unlink()
    yield Row(what=f"write at {small} notes", cost=costs["small"])
    ratio = _ratio(costs["large"], costs["small"])
    yield Row(what=f"write at {large} notes", cost=costs["large"], ratio=ratio)


def cold(folder: Path, plan: Plan) -> Iterator[Row]:
    """A new process: the start of Python, the imports, the file opened and the first decision."""
    one = subject("ada", plan.cold, seed=plan.cold)
    path = filled(folder / f"one-{plan.cold}.db", [one])
    asked, _ = _queries(one, "question")
    runs = [_cold_run(path, one.name, text) for text in asked[: max(5, plan.rounds // 10)]]
    for step, what in (("python", "start of Python"), ("imports", "imports"), ("answer", "open and decide")):
        cost = cost_of([run[step] for run in runs])
        yield Row(what=f"cold at {plan.cold} notes: {what}", cost=cost)


def _cold_run(path: Path, name: str, text: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.cold", str(path), name, text]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    steps: dict[str, float] = json.loads(done.stdout)
    return steps


def report(rows: Sequence[Row]) -> str:
    """A table as Markdown has them; milliseconds of CPU time."""
    lines = [
        "| what | matched | median ms | p90 ms | n | scan ms | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        matched = "" if row.matched is None else f"{row.matched:.1%}"
        scan = "" if row.scan is None else f"{row.scan.median_ms:.2f}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        cost = f"{row.cost.median_ms:.2f} | {row.cost.p90_ms:.2f} | {row.cost.n}"
        lines.append(f"| {row.what} | {matched} | {cost} | {scan} | {ratio} |")
    return "\n".join(lines)


def main() -> int:
    """Run what was asked for and print it."""
    plan, as_json, folder = _arguments()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(folder or temporary)
        place.mkdir(parents=True, exist_ok=True)
        rows = [row for part in (decisions, many_subjects, writes, cold) for row in part(place, plan)]
    print(json.dumps([asdict(row) for row in rows], indent=2) if as_json else report(rows))
    return 0


def _arguments() -> tuple[Plan, bool, str | None]:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.decision", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 10,000 notes and 100 subjects")
    parser.add_argument("--notes", type=int, help="this one size everywhere, 5 subjects, 5 rounds")
    parser.add_argument("--folder", help="keep the filled files here, and use those that are there")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    plan = QUICK if given.quick else FULL
    if given.notes is not None:
        size = given.notes
        plan = Plan(notes=(size,), subjects=5, written=(size, size + 1), cold=size, rounds=5)
    return plan, given.json, given.folder


if __name__ == "__main__":
    sys.exit(main())
