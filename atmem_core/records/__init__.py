"""Every value that atmem passes around: frozen, slotted, keyword-only."""

from atmem_core.records.checks import member, whole_number
from atmem_core.records.decision import (
    DECISION_FORMAT,
    SUPPORT_RANK,
    Decision,
    JudgedCandidate,
    ReasonCode,
    SemanticState,
    SignalContribution,
    SupportClass,
)
from atmem_core.records.embedding import EmbeddingIdentity, EmbedPurpose, QualityClass
from atmem_core.records.health import Check, CheckStatus, DoctorReport
from atmem_core.records.note import (
    ROLES,
    EraseReceipt,
    Forgotten,
    Note,
    NoteDraft,
    Remembered,
    Selector,
    Source,
    StoreStats,
    attributed,
)
from atmem_core.records.reading import AskedKind, Candidate, Query, Reading, Surroundings, Term
from atmem_core.records.results import ContextBlock, Hit, Omitted, Recall
from atmem_core.records.scope import MAX_SCOPE_CHARS, RecordKind, Scope, label

__all__ = [
    "DECISION_FORMAT",
    "MAX_SCOPE_CHARS",
    "ROLES",
    "SUPPORT_RANK",
    "AskedKind",
    "Candidate",
    "Check",
    "CheckStatus",
    "ContextBlock",
    "Decision",
    "DoctorReport",
    "EmbedPurpose",
    "EmbeddingIdentity",
    "EraseReceipt",
    "Forgotten",
    "Hit",
    "JudgedCandidate",
    "Note",
    "NoteDraft",
    "Omitted",
    "QualityClass",
    "Query",
    "Reading",
    "ReasonCode",
    "Recall",
    "RecordKind",
    "Remembered",
    "Scope",
    "Selector",
    "SemanticState",
    "SignalContribution",
    "Source",
    "StoreStats",
    "SupportClass",
    "Surroundings",
    "Term",
    "attributed",
    "label",
    "member",
    "whole_number",
]
