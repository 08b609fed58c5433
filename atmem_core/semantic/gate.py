"""The gate of an embedding model: may its cosines support a decision?

Rule: on the held-out part every paraphrase ranks its note first among all notes, and no unrelated question
has a note at or above the threshold. The threshold is half way between the lowest cosine of a paraphrase with
its note and the highest cosine of an unrelated question with any note, both on the calibration part alone.

How it works: the embedder embeds the notes as documents and the questions as queries; ranks are by cosine,
and a tie counts against the right note. The report holds ids of cases and figures, no text.

Warning: a model that passes tells plain paraphrases from other topics. Whether a note on the topic lacks the
answer, it need not see; other signals judge that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from atmem_core.embedding import CheckedEmbedder, Embedder
from atmem_core.records import CosineScale, EmbedPurpose
from atmem_core.semantic.gate_cases import GateCases, GatePart, bundled_cases
from atmem_core.semantic.scale import scale_of

CUT = 5
"""A note that ranks below this counts as not found."""
LEAST_CASES = 20
"""Held-out cases of each kind, without which nothing passes."""
_DIGITS = 6


class GateReason(StrEnum):
    """Why a model doesn't pass."""

    TOO_FEW_CASES = "too_few_cases"
    PARAPHRASE_NOT_FIRST = "paraphrase_not_first"
    UNRELATED_TAKEN = "unrelated_taken"
    """A question that no note answers has a note at or above the threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What the gate found. Figures are of the held-out part; cosines are rounded to 6 digits."""

    identity: str
    """Digest of the embedding identity."""
    cases: str
    """Digest of the cases."""
    paraphrases: int
    unrelated: int
    """How many questions of each kind."""
    notes: int
    """How many candidates a question has."""
    mrr_at_5: float
    """Mean reciprocal rank of the note that answers, 0 below rank 5; over paraphrases."""
    no_answer_accuracy: float
    """Share of unrelated questions without a note at or above the threshold."""
    threshold: float
    """Cosine, chosen on the calibration part."""
    failures: tuple[str, ...]
    """Ids of paraphrases whose note isn't first, then of unrelated questions with a note at the threshold."""
    answered: float
    """Share of paraphrases whose note is first and at or above the threshold. Not required."""
    lead: float
    """Least lead of the right note's cosine over the best other's. Not required beyond being above 0."""
    separation: float
    """Lowest cosine of a right note less the highest of an unrelated question; below 0 when they overlap."""
    median_right: float
    """Cosine of a paraphrase with its note."""
    median_unrelated: float
    """Cosine of an unrelated question with a note."""

    @property
    def reasons(self) -> tuple[GateReason, ...]:
        """Why it doesn't pass; empty when both required figures are 1, over enough cases."""
        found = {
            GateReason.TOO_FEW_CASES: min(self.paraphrases, self.unrelated) < LEAST_CASES,
            GateReason.PARAPHRASE_NOT_FIRST: self.mrr_at_5 < 1.0,
            GateReason.UNRELATED_TAKEN: self.no_answer_accuracy < 1.0,
        }
        return tuple(reason for reason, holds in found.items() if holds)

    @property
    def passed(self) -> bool:
        """Is there no reason against it?"""
        return not self.reasons

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types, ``passed`` first."""
        figures = {name: getattr(self, name) for name in self.__slots__}
        reasons = [reason.value for reason in self.reasons]
        return {"passed": self.passed, "reasons": reasons, **figures, "failures": list(self.failures)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One paraphrase against all notes."""

    rank: int
    cosine: float
    """Of the right note."""
    best_other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """One part, by id of the case."""

    found: Mapping[str, _Found]
    unrelated: Mapping[str, Sequence[float]]
    """Cosines with all notes."""

    @property
    def lowest_right(self) -> float:
        return min(one.cosine for one in self.found.values())

    @property
    def highest_unrelated(self) -> float:
        return max(max(cosines) for cosines in self.unrelated.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A model on both parts of the gate."""

    report: GateReport
    scale: CosineScale
    """From the calibration part alone."""


def run_gate(embedder: Embedder, cases: GateCases | None = None) -> GateReport:
    """Run the embedder on the cases; on those that ship when None. It embeds some 220 short texts.

    Raises:
        EmbeddingUnavailable: The embedder failed; that is no report.
    """
    return examine(embedder, cases).report


def examine(embedder: Embedder, cases: GateCases | None = None) -> Examined:
    """The gate's report, and what the model's cosines mean.

    Raises:
        EmbeddingUnavailable: The embedder failed; that is no report.
    """
    cases = cases or bundled_cases()
    checked = embedder if isinstance(embedder, CheckedEmbedder) else CheckedEmbedder(embedder)
    calibration = _measure(checked, cases.calibration)
    threshold = round((calibration.lowest_right + calibration.highest_unrelated) / 2, _DIGITS)
    measured = _measure(checked, cases.heldout)
    best = {key: max(cosines) for key, cosines in measured.unrelated.items()}
    missed = [key for key, one in measured.found.items() if one.rank > 1]
    taken = [key for key, cosine in best.items() if cosine >= threshold]
    found = measured.found.values()
    report = GateReport(
        identity=checked.identity.digest,
        cases=cases.digest,
        paraphrases=len(found),
        unrelated=len(best),
        notes=len(cases.heldout.notes),
        mrr_at_5=_mean(1 / one.rank if one.rank <= CUT else 0.0 for one in found),
        no_answer_accuracy=1 - len(taken) / len(best),
        threshold=threshold,
        failures=(*missed, *taken),
        answered=_mean(float(one.rank == 1 and one.cosine >= threshold) for one in found),
        lead=round(min(one.cosine - one.best_other for one in found), _DIGITS),
        separation=round(measured.lowest_right - measured.highest_unrelated, _DIGITS),
        median_right=round(median(one.cosine for one in found), _DIGITS),
        median_unrelated=round(median(one for each in measured.unrelated.values() for one in each), _DIGITS),
    )
    right = [one.cosine for one in calibration.found.values()]
    null = [cosine for each in calibration.unrelated.values() for cosine in each]
    return Examined(report=report, scale=scale_of(right, null))


def _measure(embedder: Embedder, part: GatePart) -> _Measured:
    notes = list(part.notes)
    questions = [one.query for one in part.paraphrases.values()]
    documents = embedder.embed(list(part.notes.values()), purpose=EmbedPurpose.DOCUMENT)
    asked = embedder.embed([*questions, *part.unrelated.values()], purpose=EmbedPurpose.QUERY)
    rows: list[list[float]] = (asked @ documents.T).tolist()
    answers = (notes.index(one.answer) for one in part.paraphrases.values())
    found = (_find(row, answer) for row, answer in zip(rows, answers, strict=False))
    return _Measured(
        found=dict(zip(part.paraphrases, found, strict=True)),
        unrelated=dict(zip(part.unrelated, rows[len(questions) :], strict=True)),
    )


def _find(cosines: Sequence[float], answer: int) -> _Found:
    right = cosines[answer]
    others = [cosine for place, cosine in enumerate(cosines) if place != answer]
    return _Found(rank=1 + sum(cosine >= right for cosine in others), cosine=right, best_other=max(others))


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
