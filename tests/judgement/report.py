"""What the shipped judgement does on the labelled stores: ``python -m tests.judgement.report``.

Counts, not times: the same on every machine. ``--failures`` lists the questions behind the figures of
the calibration and everyday stores; the held-out stores are only ever counted.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from atmem_core import Decision, Memory, SupportClass
from atmem_core.embedding import Embedder, resolve
from atmem_core.evaluation.cases import SUBJECT, FixedClock, opened, read_stores

CASES = Path(__file__).parents[1] / "cases"
FORMS = ("paraphrase", "typo", "rambling")


@dataclass(slots=True, kw_only=True)
class Figures:
    """Counts of one kind of question."""

    cases: int = 0
    released: int = 0
    """A right record is among what is released."""
    first: int = 0
    """A right record is released first."""
    ranked_first: int = 0
    """A right record has the best rank score, released or not."""
    silent: int = 0
    """Nothing is released."""
    none: int = 0
    """The class is no_useful_memory."""

    def count(self, decision: Decision, right: set[str]) -> None:
        """Add one decision; ``right`` holds the ids of the records that answer."""
        ids = decision.ranked_record_ids
        best = max(decision.candidates, key=lambda one: one.rank_score, default=None)
        self.cases += 1
        self.released += bool(right & set(ids))
        self.first += bool(ids) and ids[0] in right
        self.ranked_first += best is not None and best.record_id in right
        self.silent += not ids
        self.none += decision.support_class is SupportClass.NO_USEFUL_MEMORY


@dataclass(slots=True, kw_only=True)
class Report:
    """Figures by kind, and the precision of what was released."""

    kinds: dict[str, Figures] = field(default_factory=dict)
    released: int = 0
    right: int = 0
    failures: list[str] = field(default_factory=list)

    def count(self, kind: str, query: str, decision: Decision, right: set[str]) -> None:
        """Add one decided question."""
        self.kinds.setdefault(kind, Figures()).count(decision, right)
        ids = set(decision.ranked_record_ids)
        self.released += len(ids)
        self.right += len(ids & right)
        if (right and not right & ids) or (ids - right):
            self.failures.append(f"{kind}: {query}")

    @property
    def precision(self) -> float:
        """Share of the released records that answer; 1.0 when nothing is released."""
        return self.right / self.released if self.released else 1.0

    def total(self, *, answerable: bool) -> Figures:
        """Sum over the kinds whose questions are answerable, or over the others."""
        total = Figures()
        for figures in self.kinds.values():
            if (figures.ranked_first + figures.released > 0) is answerable:
                for name in ("cases", "released", "first", "ranked_first", "silent", "none"):
                    setattr(total, name, getattr(total, name) + getattr(figures, name))
        return total


def labelled(folder: str, embedder: Embedder | None) -> Report:
    """The report on every store of ``tests/cases/<folder>``."""
    report = Report()
    for store, memory, ids in opened(read_stores(CASES / folder), embedder):
        for case in store.cases:
            decision = memory.decide(case.query, subject=SUBJECT)
            report.count(case.kind, case.query, decision, {ids[key] for key in case.answers})
    return report


def everyday(embedder: Embedder | None) -> Report:
    """The report on the everyday statements; kind ``absent`` has no answer stored."""
    data = json.loads((CASES / "everyday" / "everyday.json").read_text(encoding="utf-8"))
    report = Report()
    clock = FixedClock(datetime.fromisoformat(data["now"]))
    with Memory.open(":memory:", embedder=embedder, clock=clock) as memory:
        stored = [(one, memory.remember(one["text"], subject=SUBJECT)) for one in data["statements"]]
        report.kinds["stored"] = Figures(cases=len(stored), released=sum(new.created for _, new in stored))
        for one, new in stored:
            for form in FORMS:
                report.count(form, one[form], memory.decide(one[form], subject=SUBJECT), {new.id})
            report.count("absent", one["absent"], memory.decide(one["absent"], subject=SUBJECT), set())
    return report


def rows(report: Report) -> Iterator[str]:
    """The report as a Markdown table."""
    yield "| kind | questions | released | released first | ranked first | nothing released | no use |"
    yield "|---|---|---|---|---|---|---|"
    for kind, one in report.kinds.items():
        cells = (one.cases, one.released, one.first, one.ranked_first, one.silent, one.none)
        yield f"| {kind} | " + " | ".join(str(cell) for cell in cells) + " |"
    yield ""
    yield f"Precision of what was released: {report.right} of {report.released}, {report.precision:.2f}."


def main() -> int:
    """Print every report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--failures", action="store_true", help="list the questions that went wrong")
    parser.add_argument("--held-out", action="store_true", help="open the held-out stores too; log it")
    options = parser.parse_args()
    out = sys.stdout
    for name, embedder in (("bundled model", resolve("auto").embedder), ("keywords alone", None)):
        for title, report in _reports(embedder, held_out=options.held_out):
            out.write(f"\n### {title}, {name}\n\n" + "\n".join(rows(report)) + "\n")
            if options.failures and title != "held-out":
                counted = Counter(report.failures)
                out.write("".join(f"- {line}\n" for line in counted))
    return 0


def _reports(embedder: Embedder | None, *, held_out: bool) -> Iterator[tuple[str, Report]]:
    yield "everyday", everyday(embedder)
    yield "calibration", labelled("calibration", embedder)
    if held_out:
        yield "held-out", labelled("heldout", embedder)


if __name__ == "__main__":
    sys.exit(main())
