"""What a weight and a bar for the judge would release, as a table to choose from.

The labelled cases are decided once with every bar open; each line of the table then cuts what was seen.
Guards are heeded as they were; repeats aren't known before the bar and count as wrong unless they answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from atmem_core.policy.answers import certainty
from atmem_core.records import JudgedCandidate, ReasonCode

WEIGHTS = (0.25, 0.5, 0.65, 0.8)
BARS = (-2.5, -2.0, -1.7, -1.4, -1.0)
_OPEN = frozenset({ReasonCode.DIRECT_THRESHOLD, ReasonCode.BELOW_DROP_OFF})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The records of one question that the judge read and no guard objected to."""

    answerable: bool
    read: tuple[tuple[JudgedCandidate, bool], ...]
    """Each with whether it answers."""


def seen(candidates: Sequence[JudgedCandidate], right: Sequence[bool]) -> Seen:
    """What a decision under an open bar shows."""
    read = [
        (one, answers)
        for one, answers in zip(candidates, right, strict=True)
        if "answerable" in one.signals and _OPEN.issuperset(one.reason_codes)
    ]
    return Seen(answerable=any(right), read=tuple(read))


def table(cases: Sequence[Seen], *, drop_off: float) -> Iterator[str]:
    """Precision of what is released, share of the answerable answered and of the others withheld."""
    yield "weight   bar  precision  answered  withheld"
    for weight in WEIGHTS:
        for bar in BARS:
            yield _line([_passed(case, weight, bar, drop_off) for case in cases], cases, (weight, bar))


def _passed(case: Seen, weight: float, bar: float, drop_off: float) -> list[bool]:
    """Of each record that would be released, whether it answers."""
    sure = [(certainty(one, weight), right) for one, right in case.read]
    floor = max(bar, max((one for one, _ in sure), default=bar) - drop_off)
    return [right for one, right in sure if one >= floor]


def _line(passed: Sequence[Sequence[bool]], cases: Sequence[Seen], at: tuple[float, float]) -> str:
    released, hits = sum(map(len, passed)), sum(map(sum, passed))
    answered = [any(rights) for case, rights in zip(cases, passed, strict=True) if case.answerable]
    withheld = [not rights for case, rights in zip(cases, passed, strict=True) if not case.answerable]
    shares = (hits / max(1, released), _share(answered), _share(withheld))
    return f"{at[0]:6.2f} {at[1]:5.1f}  " + "  ".join(f"{share:8.3f}" for share in shares)


def _share(which: Sequence[bool]) -> float:
    return sum(which) / max(1, len(which))
