"""The decision: what may be injected, what not, and why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _text

from atmem_core.records.scope import Scope

DECISION_FORMAT = "atmem-retrieval-decision-v1"


class SupportClass(StrEnum):
    """The judgement on a candidate, and on a query: the highest class of any candidate."""

    DIRECT_SUPPORT = "direct_support"
    BACKGROUND_CONTEXT = "background_context"
    NO_USEFUL_MEMORY = "no_useful_memory"


SUPPORT_RANK = {
    SupportClass.NO_USEFUL_MEMORY: 0,
    SupportClass.BACKGROUND_CONTEXT: 1,
    SupportClass.DIRECT_SUPPORT: 2,
}
"""Order of the classes, higher is stronger support."""


class ReasonCode(StrEnum):
    """Why. The schema lists this closed set; docs/reference explains each."""

    # a class was reached
    DIRECT_THRESHOLD = "direct_threshold"
    BACKGROUND_THRESHOLD = "background_threshold"
    BELOW_THRESHOLD = "below_threshold"
    # a class was lowered
    BELOW_DROP_OFF = "below_drop_off"
    IDENTIFIER_ABSENT = "identifier_absent"
    NAME_ABSENT = "name_absent"
    OWNER_MISMATCH = "owner_mismatch"
    POLARITY_MISMATCH = "polarity_mismatch"
    ASKED_KIND_ABSENT = "asked_kind_absent"
    QUESTION_SHAPED = "question_shaped"
    NEWER_RECORD = "newer_record"
    DUPLICATE_CONTENT = "duplicate_content"
    UNTRUSTED_SOURCE = "untrusted_source"
    INSTRUCTION_SHAPED = "instruction_shaped"
    QUARANTINED = "quarantined"
    SPLIT_INSTRUCTION = "split_instruction"
    NOT_ANSWERED = "not_answered"
    NOT_JUDGED = "not_judged"
    FOUND_BY_REWRITING = "found_by_rewriting"
    OVER_RECORD_LIMIT = "over_record_limit"
    # the query
    NO_CONTENT = "no_content"
    SMALL_TALK = "small_talk"
    TASK_COMMAND = "task_command"
    NO_CANDIDATES = "no_candidates"
    QUERY_CUT = "query_cut"
    # what was not available, or not looked at
    EMBEDDER_ABSENT = "embedder_absent"
    EMBEDDING_UNAVAILABLE = "embedding_unavailable"
    EMBEDDING_DEADLINE = "embedding_deadline"
    JUDGE_UNAVAILABLE = "judge_unavailable"
    JUDGE_DEADLINE = "judge_deadline"
    DIAGNOSTIC_VECTORS = "diagnostic_vectors"
    UNVERIFIED_PROFILE = "unverified_profile"
    VECTORS_MISSING = "vectors_missing"
    VECTORS_UNSCANNED = "vectors_unscanned"
    KEYWORD_POOL_CUT = "keyword_pool_cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalContribution:
    """One measured, versioned number about a candidate."""

    name: str
    version: str
    normalized_score: float
    """0 to 1, rounded to 6 digits."""
    raw_score: float | None
    eligible_for_support: bool
    """False for priors and for diagnostic vectors: they may order, never support."""

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types."""
        return {
            "name": self.name,
            "version": self.version,
            "normalized_score": self.normalized_score,
            "raw_score": self.raw_score,
            "eligible_for_support": self.eligible_for_support,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCandidate:
    """A candidate after judgement. Ids, scores, versions and reason codes; never content."""

    record_id: str
    support_class: SupportClass
    relevance_score: float
    """0 to 1, absolute: comparable over queries. Rounded to 6 digits."""
    rank_score: float
    """Order among candidates of one class: relevance plus bounded priors. Rounded to 6 digits."""
    contributions: tuple[SignalContribution, ...]
    reason_codes: tuple[ReasonCode, ...]

    @property
    def signals(self) -> dict[str, float]:
        """Name to normalised score."""
        return {part.name: part.normalized_score for part in self.contributions}

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types, as the schema wants them."""
        return {
            "record_id": self.record_id,
            "support_class": self.support_class.value,
            "relevance_score": self.relevance_score,
            "rank_score": self.rank_score,
            "signals": self.signals,
            "signal_contributions": [part.to_dict() for part in self.contributions],
            "reason_codes": [code.value for code in self.reason_codes],
        }

    def to_json(self) -> str:
        """``to_dict`` as compact JSON with sorted keys."""
        scores = {part.name: _number(part.normalized_score) for part in self.contributions}
        signals = ",".join([f"{_text(name)}:{scores[name]}" for name in sorted(scores)])
        parts = ",".join([_part(part, scores[part.name]) for part in self.contributions])
        codes = ",".join([_text(code) for code in self.reason_codes])
        return (
            f'{{"rank_score":{_number(self.rank_score)},"reason_codes":[{codes}]'
            f',"record_id":{_text(self.record_id)}'
            f',"relevance_score":{_number(self.relevance_score)},"signal_contributions":[{parts}]'
            f',"signals":{{{signals}}},"support_class":{_text(self.support_class)}}}'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticState:
    """Which semantic profile judged, and how it was."""

    identity: str
    """Digest of the embedding identity."""
    epoch: int | None
    health: str
    """``healthy``, ``unavailable``, ``deadline``, ``diagnostic`` or ``unverified``."""

    def to_dict(self) -> dict[str, object]:
        """Plain JSON types."""
        return {"identity": self.identity, "epoch": self.epoch, "health": self.health}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The judgement on one query. Holds no record content and not the query's text."""

    decision_id: str
    decided_at: datetime
    query_sha256: str
    scope: Scope
    support_class: SupportClass
    ranked_record_ids: tuple[str, ...]
    """What may be injected, best first."""
    candidates: tuple[JudgedCandidate, ...]
    reason_codes: tuple[ReasonCode, ...]
    policy_version: str
    calibration_version: str
    thresholds: Mapping[str, float]
    semantic: SemanticState | None = None
    degraded: tuple[ReasonCode, ...] = ()
    withheld: Mapping[str, int] = field(default_factory=dict)
    """For each class, how many candidates were seen and not released."""

    def to_dict(self) -> dict[str, object]:
        """JSON that validates against the schema file in the package."""
        return {**self._without_candidates(), "candidates": [one.to_dict() for one in self.candidates]}

    def to_json(self) -> str:
        """``to_dict`` as compact JSON with sorted keys.

        Every decision makes it, for its id. The candidates are written by hand: in a quarter of the
        time that sorting the keys of some 400 small dicts takes.
        """
        parts = {key: _compact(value) for key, value in self._without_candidates().items()}
        parts["candidates"] = "[" + ",".join([one.to_json() for one in self.candidates]) + "]"
        return "{" + ",".join([f'"{key}":{parts[key]}' for key in sorted(parts)]) + "}"

    def _without_candidates(self) -> dict[str, object]:
        return {
            "format": DECISION_FORMAT,
            "decision_id": self.decision_id,
            "decided_at": self.decided_at.isoformat(),
            "query_sha256": self.query_sha256,
            "scope": self.scope.to_dict(),
            "support_class": self.support_class.value,
            "ranked_record_ids": list(self.ranked_record_ids),
            "reason_codes": [code.value for code in self.reason_codes],
            "policy_version": self.policy_version,
            "calibration_version": self.calibration_version,
            "thresholds": dict(self.thresholds),
            "semantic": None if self.semantic is None else self.semantic.to_dict(),
            "degraded": [code.value for code in self.degraded],
            "withheld": dict(self.withheld),
        }


def _compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _part(part: SignalContribution, score: str) -> str:
    """One contribution; ``score`` is its normalised score, written."""
    same = part.raw_score == part.normalized_score != 0  # the sign of a zero would be lost
    raw = score if same else _number(part.raw_score)
    head = _head(part.name, part.eligible_for_support)
    return f'{head}{score},"raw_score":{raw},"version":{_text(part.version)}}}'


@lru_cache(maxsize=256)
def _head(name: str, eligible: bool) -> str:  # noqa: FBT001 - half of a key
    supports = "true" if eligible else "false"
    return f'{{"eligible_for_support":{supports},"name":{_text(name)},"normalized_score":'


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    return repr(value) if type(value) is float else json.dumps(value)
