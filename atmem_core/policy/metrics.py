"""Figures over the outcomes of a labelled run.

Rule: a figure is a pure function of outcomes; an average over nothing is None, never 0 or 1.
How it works: retrieval is measured on the ranking, release and separation on the decision as it was made.
Warning: figures of the decision are those of the shipped thresholds. What other thresholds would do is in
``sweep``, and is something else.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from atmem_core.records import SupportClass

DIGITS = 9
"""Products such as 0.95 * 20 are rounded to this before they are rounded up."""

Score = float | None
"""Relevance, 0 to 1; None when no candidate was found, which no threshold lets through."""


class NegativeKind(StrEnum):
    """Why nothing stored answers a question."""

    UNRELATED = "unrelated"
    """About somebody and something that isn't here."""
    CHORE = "chore"
    """A task for the agent, or small talk: it asks for no memory."""
    SAME_NAMES = "same_names"
    """Names the people of this store, on a topic that is another store's."""
    FACT_ABSENT = "fact_absent"
    """The topic is here, the detail isn't."""
    WRONG_PERSON = "wrong_person"
    """Asks one person's detail of another."""


FAR = frozenset({NegativeKind.UNRELATED, NegativeKind.CHORE})
"""Kinds that should be no_useful_memory. Beside the others background is no fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    label: str
    """The data set's own word for this kind of question."""
    negative: NegativeKind | None
    """None for a question that stored notes answer."""
    support: SupportClass
    score: Score
    """Best relevance of any candidate."""
    certainty: Score
    """Best certainty of a candidate that no guard objects to: relevance, weighed with a judge's answer."""
    top_right: bool
    """Does the candidate with the best relevance answer?"""
    ranks: tuple[int | None, ...]
    """For each piece of evidence its place in the ranking, from 1; None when it wasn't found."""
    injected: int
    injected_right: int
    """Injected notes that answer."""
    covered: int
    """Pieces of evidence among what was injected."""
    forbidden: int = 0
    """Notes that must not be injected."""
    leaked: int = 0
    """Those of them that were."""
    case: str = ""
    """Turns of one case share it; a case passes when all its turns do."""
    cpu_ms: float = 0.0
    """CPU time of the decision, all threads."""

    @property
    def passed(self) -> bool:
        """All evidence injected and nothing forbidden; nothing at all where nothing answers."""
        if self.negative is not None:
            return self.injected == 0
        return self.covered == len(self.ranks) and self.leaked == 0


def mean(values: Iterable[float]) -> float | None:
    """The average; None of nothing."""
    known = list(values)
    return math.fsum(known) / len(known) if known else None


def share(part: int, whole: int) -> float | None:
    """``part / whole``; None when there is no whole."""
    return part / whole if whole else None


def drift_score(injected: Sequence[int], drifted: frozenset[int]) -> float | None:
    """Share of the injected records that belong to what a conversation drifted to and has left again.

    0 to 1, 0 is perfect; None when nothing was injected.
    """
    return share(sum(one in drifted for one in injected), len(injected))


def injected_precision(injected: Sequence[int], wanted: frozenset[int]) -> float | None:
    """Share of the injected records that answer; 0 to 1, higher is better; None when nothing was injected."""
    return share(sum(one in wanted for one in injected), len(injected))


def percentile(values: Iterable[float], quantile: float) -> float | None:
    """Nearest rank: the smallest value that ``quantile`` (0 to 1) of all don't exceed; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    return ordered[max(0, math.ceil(round(quantile * len(ordered), DIGITS)) - 1)]


# -- retrieval


def recall_at(ranks: Sequence[int | None], k: int) -> float:
    """Share of the evidence in the first k places; ``ranks`` isn't empty."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def hit_at(ranks: Sequence[int | None], k: int) -> bool:
    """Is any evidence in the first k places?"""
    return any(rank is not None and rank <= k for rank in ranks)


def reciprocal_rank(ranks: Sequence[int | None], k: int) -> float:
    """1 over the place of the first evidence, 0 when it is below place k."""
    first = min((rank for rank in ranks if rank is not None), default=k + 1)
    return 1 / first if first <= k else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFigures:
    """How well the ranking finds evidence. Averages over questions, 0 to 1."""

    questions: int
    recall_at_5: float | None
    recall_at_10: float | None
    hit_at_1: float | None
    hit_at_5: float | None
    hit_at_10: float | None
    mrr_at_5: float | None


def retrieval(outcomes: Iterable[Outcome]) -> RetrievalFigures:
    """Figures of the ranking, over the answerable questions."""
    ranks = [one.ranks for one in outcomes if one.negative is None]
    return RetrievalFigures(
        questions=len(ranks),
        recall_at_5=mean(recall_at(one, 5) for one in ranks),
        recall_at_10=mean(recall_at(one, 10) for one in ranks),
        hit_at_1=mean(hit_at(one, 1) for one in ranks),
        hit_at_5=mean(hit_at(one, 5) for one in ranks),
        hit_at_10=mean(hit_at(one, 10) for one in ranks),
        mrr_at_5=mean(reciprocal_rank(one, 5) for one in ranks),
    )


# -- the shipped operating point


def is_kept(outcome: Outcome, against: NegativeKind) -> bool:
    """Did the question pass, by the measure that counts against this kind of negative?

    Against far kinds a class other than no_useful_memory; against near ones direct support.
    """
    if against in FAR:
        return outcome.support is not SupportClass.NO_USEFUL_MEMORY
    return outcome.support is SupportClass.DIRECT_SUPPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """One kind of negative against the answerable questions, at the shipped operating point. Shares."""

    kind: NegativeKind
    questions: int
    kept: float | None
    """Answerable questions that pass by this kind's measure."""
    rejected: float | None
    """Negatives that don't pass by the same measure."""
    withheld: float | None
    """Negatives for which nothing was injected."""


def separation(outcomes: Sequence[Outcome], kind: NegativeKind) -> Separation:
    """The shipped decision against one kind of negative."""
    answerable = [one for one in outcomes if one.negative is None]
    negatives = [one for one in outcomes if one.negative is kind]
    return Separation(
        kind=kind,
        questions=len(negatives),
        kept=mean(is_kept(one, kind) for one in answerable),
        rejected=mean(not is_kept(one, kind) for one in negatives),
        withheld=mean(one.injected == 0 for one in negatives),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What was injected."""

    injected: int
    right: int
    precision: float | None
    """Share of the injected notes that answer; over all questions, negatives included."""
    precision_answerable: float | None
    """The same over answerable questions alone."""
    answered: float | None
    """Share of the answerable questions that got at least one answering note."""
    silent: float | None
    """Share of the answerable questions that got none at all."""


def release(outcomes: Sequence[Outcome]) -> Release:
    """Figures of what the decisions let through."""
    answerable = [one for one in outcomes if one.negative is None]
    injected = sum(one.injected for one in outcomes)
    right = sum(one.injected_right for one in outcomes)
    return Release(
        injected=injected,
        right=right,
        precision=share(right, injected),
        precision_answerable=share(
            sum(one.injected_right for one in answerable), sum(one.injected for one in answerable)
        ),
        answered=mean(one.injected_right > 0 for one in answerable),
        silent=mean(one.injected == 0 for one in answerable),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFigures:
    """What was released for one of the data set's own kinds of question. Shares but for the counts."""

    label: str
    negative: NegativeKind | None
    questions: int
    answered: float | None
    """Got at least one answering note; None where nothing answers."""
    withheld: float | None
    """Nothing was injected."""
    no_use: float | None
    """The class was no_useful_memory."""


def label_figures(outcomes: Iterable[Outcome]) -> list[LabelFigures]:
    """A row for each label, answerable ones first."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault((one.negative or "", one.label), []).append(one)
    return [
        LabelFigures(
            label=label,
            negative=group[0].negative,
            questions=len(group),
            answered=None if kind else mean(one.injected_right > 0 for one in group),
            withheld=mean(one.injected == 0 for one in group),
            no_use=mean(one.support is SupportClass.NO_USEFUL_MEMORY for one in group),
        )
        for (kind, label), group in sorted(groups.items())
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFigures:
    """Cases that say what must be injected and what mustn't."""

    cases: int
    passed: int
    must_return: int
    returned: int
    must_not_return: int
    leaked: int


def case_figures(outcomes: Iterable[Outcome]) -> CaseFigures | None:
    """Counts over the turns of all cases; None when there is no case."""
    turns = [one for one in outcomes if one.case]
    passed: dict[str, bool] = {}
    for one in turns:
        passed[one.case] = passed.get(one.case, True) and one.passed
    if not turns:
        return None
    return CaseFigures(
        cases=len(passed),
        passed=sum(passed.values()),
        must_return=sum(len(one.ranks) for one in turns),
        returned=sum(one.covered for one in turns),
        must_not_return=sum(one.forbidden for one in turns),
        leaked=sum(one.leaked for one in turns),
    )


def by(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    """Outcomes in groups, groups by name."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(key(one), []).append(one)
    return dict(sorted(groups.items()))
