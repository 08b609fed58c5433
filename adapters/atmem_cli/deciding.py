"""What decided on one candidate, and what would have changed it: sentences from what a decision publishes.

The arithmetic is that of the rule table. Relevance reaches a threshold; where a judge is reckoned with,
``log_odds(relevance) + judge_weight * log_odds(answer)`` has to reach ``judge_bar`` too. Warning: weights of
signals aren't published, so no sentence says how far one signal alone would have had to rise.
"""

import math
from collections.abc import Callable, Mapping

from atmem_core import Decision, JudgedCandidate, ReasonCode, SignalContribution, SupportClass

_LEAST_SHARE = 1e-6
"""Shares are kept this far from 0 and from 1, so that their log odds are finite."""
_DIGITS = range(2, 7)
_STRONGEST = 2
_PAST_JUDGE = frozenset(
    {ReasonCode.DIRECT_THRESHOLD, ReasonCode.DUPLICATE_CONTENT, ReasonCode.BELOW_DROP_OFF}
)
"""Only a record that the judge let pass bears one of these."""
_BLIND = frozenset({ReasonCode.EMBEDDING_UNAVAILABLE, ReasonCode.EMBEDDING_DEADLINE})
"""With these nothing but ties with the best record is released."""


def what_decided(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    """One to three sentences, of its first reason."""
    account = ACCOUNTS.get(candidate.reason_codes[0]) if candidate.reason_codes else None
    said = [] if account is None else account(candidate, decision)
    background = candidate.support_class is SupportClass.BACKGROUND_CONTEXT
    if background and candidate.record_id in decision.ranked_record_ids:
        said.append("Released, since background context was allowed.")
    return said


def _direct(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    has, limit, gap = _apart(candidate.relevance_score, decision.thresholds["direct"])
    why = f"relevance {has} stands {gap} above the threshold ({limit}); {_strongest(candidate)}."
    if candidate.record_id in decision.ranked_record_ids:
        return [f"Released: {why}", *_judge(candidate, decision)]
    released = len(decision.ranked_record_ids)
    out = "1 that was" if released == 1 else f"{released} that were"
    limited = f"Not among the {out} released: a higher max_released would release it too."
    return [f"Direct support: {why}", limited, *_judge(candidate, decision)]


def _short(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    direct, background = decision.thresholds["direct"], decision.thresholds["background"]
    relevance = candidate.relevance_score
    has, limit, gap = _apart(relevance, direct, background)
    short = f"Relevance {has} is {gap} short of direct support ({limit})"
    if relevance < background < direct:
        _, limit, gap = _apart(relevance, background, direct)
        short += f" and {gap} short of background context ({limit})"
    then = ["From direct support on the judge has to agree as well."] if _reckons(decision) else []
    return [f"{short}; {_strongest(candidate)}.", *_uncounted(candidate), *then]


def _but_for(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    """Relevance was enough. What each code means stands above these sentences."""
    has, limit, gap = _apart(candidate.relevance_score, decision.thresholds["direct"])
    codes = ", ".join(code.value for code in candidate.reason_codes)
    enough = f"relevance {has} stands {gap} above the threshold ({limit})."
    return [f"Would be direct support but for {codes}: {enough}", *_judge(candidate, decision)]


def _held(_candidate: JudgedCandidate, _decision: Decision) -> list[str]:
    return [
        "Look at it with `atmem quarantine list`; what is confirmed there is weighed as any other record."
    ]


def _far_behind(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    direct = [one for one in decision.candidates if one.support_class is SupportClass.DIRECT_SUPPORT]
    best = max((_certainty(one, decision) for one in direct), default=0.0)
    blind = not _BLIND.isdisjoint(decision.degraded)
    allowed = 0.0 if blind else decision.thresholds["drop_off"]
    behind = best - _certainty(candidate, decision)
    far, most, _ = _apart(behind, allowed)
    enough = _share(_log_odds(candidate.relevance_score) + behind - allowed)
    has, needed, _ = _apart(candidate.relevance_score, enough)
    answers = "" if _answer(candidate) is None else ", the judge's answers included"
    far_behind = f"Lies {far} behind the best record in log odds{answers}, where {most} is allowed"
    said = [f"{far_behind}: relevance had to be {needed} in place of {has}."]
    if blind:
        said.append("Without the model's numbers only what ties with the best record is released.")
    return said


def _unread(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    read = sum(_answer(one) is not None for one in decision.candidates)
    best = f"the {read} that ranked best" if read > 1 else "those that ranked best"
    asked = f"The judge reads only {best}, as many as judged_answers says; this one came after them."
    return [asked, *_judge(candidate, decision)]


def _judge(candidate: JudgedCandidate, decision: Decision) -> list[str]:
    """What the judge said, and what it had to say; nothing where none is reckoned with."""
    if not _reckons(decision):
        return []
    answer, needed = _answer(candidate), _needed(candidate, decision)
    if answer is None and not _PAST_JUDGE.isdisjoint(candidate.reason_codes):
        return ["The judge wasn't asked: the record holds the very words of the question."]
    if answer is None:
        return [f"The judge wasn't asked; at this relevance {_bar(needed, 'its answer')}."]
    if needed is None or needed == 0:
        return [f"The judge's answer was {answer:.2f}; at this relevance {_bar(needed, 'it')}."]
    least, has, _ = _apart(needed, answer, 0.0, 1.0)
    return [f"The judge's answer was {has}; at this relevance it had to be at least {least}."]


ACCOUNTS: Mapping[ReasonCode, Callable[[JudgedCandidate, Decision], list[str]]] = {
    ReasonCode.DIRECT_THRESHOLD: _direct,
    ReasonCode.BACKGROUND_THRESHOLD: _short,
    ReasonCode.BELOW_THRESHOLD: _short,
    ReasonCode.BELOW_DROP_OFF: _far_behind,
    ReasonCode.IDENTIFIER_ABSENT: _but_for,
    ReasonCode.NAME_ABSENT: _but_for,
    ReasonCode.OWNER_MISMATCH: _but_for,
    ReasonCode.POLARITY_MISMATCH: _but_for,
    ReasonCode.ASKED_KIND_ABSENT: _but_for,
    ReasonCode.QUESTION_SHAPED: _but_for,
    ReasonCode.NEWER_RECORD: _but_for,
    ReasonCode.DUPLICATE_CONTENT: _but_for,
    ReasonCode.UNTRUSTED_SOURCE: _but_for,
    ReasonCode.INSTRUCTION_SHAPED: _but_for,
    ReasonCode.FOUND_BY_REWRITING: _but_for,
    ReasonCode.QUARANTINED: _held,
    ReasonCode.SPLIT_INSTRUCTION: _held,
    ReasonCode.NOT_ANSWERED: _judge,
    ReasonCode.NOT_JUDGED: _unread,
}
"""Who speaks about a candidate with this code. Complete for what a candidate may bear: a test compares."""


def _bar(needed: float | None, answer: str) -> str:
    if needed is None:
        return "no answer would have been high enough"
    if needed == 0:
        return "any answer would have been enough"
    least, *_ = _apart(needed, 0.0, 1.0)
    return f"{answer} had to be at least {least}"


def _needed(candidate: JudgedCandidate, decision: Decision) -> float | None:
    """Least answer of the judge, 0 to 1; None when none would do."""
    weight = decision.thresholds["judge_weight"]
    missing = decision.thresholds["judge_bar"] - _log_odds(candidate.relevance_score)
    furthest = _log_odds(1.0) * weight
    if missing > furthest:
        return None
    return 0.0 if missing <= -furthest else _share(missing / weight)


def _certainty(candidate: JudgedCandidate, decision: Decision) -> float:
    """In log odds: relevance, and the judge's answer where it gave one."""
    answer, weight = _answer(candidate), decision.thresholds.get("judge_weight", 0.0)
    return _log_odds(candidate.relevance_score) + (0.0 if answer is None else weight * _log_odds(answer))


def _reckons(decision: Decision) -> bool:
    return "judge_bar" in decision.thresholds


def _answer(candidate: JudgedCandidate) -> float | None:
    return candidate.signals.get("answerable")


def _strongest(candidate: JudgedCandidate) -> str:
    parts = [part for part in _supporting(candidate) if part.normalized_score > 0]
    best = sorted(parts, key=lambda part: -part.normalized_score)[:_STRONGEST]
    told = " and ".join(_scored(part) for part in best)
    match len(best):
        case 0:
            return "no signal speaks for it"
        case 1:
            return f"the one signal for it was {told}"
        case _:
            return f"the strongest signals were {told}"


def _supporting(candidate: JudgedCandidate) -> list[SignalContribution]:
    """What may support; mended words only where they add to the words as they are."""
    words = candidate.signals.get("lexical")
    return [
        part
        for part in candidate.contributions
        if part.eligible_for_support and not (part.name == "typo" and part.normalized_score == words)
    ]


def _uncounted(candidate: JudgedCandidate) -> list[str]:
    """Closeness of meaning that was measured and may not support."""
    return [
        f"Of no effect was {_scored(part)}: this embedding model's numbers may not support."
        for part in candidate.contributions
        if part.name == "semantic" and not part.eligible_for_support and part.normalized_score > 0
    ]


def _scored(part: SignalContribution) -> str:
    return f"{part.name} {part.normalized_score:.2f}"


def _apart(value: float, limit: float, *others: float) -> tuple[str, str, str]:
    """Value, limit and distance, with so many digits, 2 to 6, that the value looks like no limit."""
    digits = next(
        (
            digits
            for digits in _DIGITS
            if all(round(value, digits) != round(one, digits) for one in (limit, *others))
        ),
        _DIGITS[0],
    )
    distance = abs(round(value, digits) - round(limit, digits))
    return f"{value:.{digits}f}", f"{limit:.{digits}f}", f"{distance:.{digits}f}"


def _log_odds(share: float) -> float:
    kept = min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE)
    return math.log(kept / (1 - kept))


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
