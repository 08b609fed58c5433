"""Decisions in words: one sentence for each reason, one phrase for each class and signal."""

from collections.abc import Mapping

from atmem_core import ContextFault, ReasonCode, SupportClass

REASONS: Mapping[ReasonCode, str] = {
    ReasonCode.DIRECT_THRESHOLD: "Relevance reached the threshold of direct support.",
    ReasonCode.BACKGROUND_THRESHOLD: (
        "Relevance reached the threshold of background context, not that of direct support."
    ),
    ReasonCode.BELOW_THRESHOLD: "Relevance stayed below both thresholds.",
    ReasonCode.BELOW_DROP_OFF: "Relevance is far below that of the best record.",
    ReasonCode.IDENTIFIER_ABSENT: (
        "The question names a number or an identifier that the record doesn't hold."
    ),
    ReasonCode.NAME_ABSENT: ("The question names someone or something that the record doesn't name."),
    ReasonCode.OWNER_MISMATCH: ("The question is about one person's thing and the record about another's."),
    ReasonCode.POLARITY_MISMATCH: "One of question and record says not, the other doesn't.",
    ReasonCode.ASKED_KIND_ABSENT: (
        "The question asks who, when, where, how many or why, and the record holds no such thing."
    ),
    ReasonCode.QUESTION_SHAPED: "The record only asks; it states nothing.",
    ReasonCode.NEWER_RECORD: "The same speaker made the statement anew in a later record.",
    ReasonCode.DUPLICATE_CONTENT: "Another record with the same content ranks higher.",
    ReasonCode.UNTRUSTED_SOURCE: (
        "The record comes from a source of low trust, which supports nothing by itself."
    ),
    ReasonCode.INSTRUCTION_SHAPED: "The record speaks to the assistant, as a command, not about the world.",
    ReasonCode.QUARANTINED: (
        "The record commands the assistant and doesn't come from the user; it waits for a person's look."
    ),
    ReasonCode.SPLIT_INSTRUCTION: "Side by side with others of this answer the record is a command.",
    ReasonCode.NOT_ANSWERED: (
        "The judge, which read question and record together, doesn't hold the record for an answer."
    ),
    ReasonCode.NOT_JUDGED: "More records came into question than the judge is asked about.",
    ReasonCode.FOUND_BY_REWRITING: "Only the rewritten question found the record, which supports nothing.",
    ReasonCode.OVER_RECORD_LIMIT: (
        "More records support the question than one decision releases; the best were kept."
    ),
    ReasonCode.NO_CONTENT: "The question has no word to look for.",
    ReasonCode.SMALL_TALK: "A greeting, thanks or an acknowledgement asks for no memory.",
    ReasonCode.TASK_COMMAND: "A command without content asks for no memory.",
    ReasonCode.NO_CANDIDATES: "No record shares a word or a meaning with the question.",
    ReasonCode.QUERY_CUT: "The question was too long; its beginning was read.",
    ReasonCode.EMBEDDER_ABSENT: "There is no embedding model: words alone were compared.",
    ReasonCode.EMBEDDING_UNAVAILABLE: "The embedding model failed: words alone were compared.",
    ReasonCode.EMBEDDING_DEADLINE: ("The embedding model didn't answer in time: words alone were compared."),
    ReasonCode.JUDGE_UNAVAILABLE: "The judge failed: what it would have read counts as hardly an answer.",
    ReasonCode.JUDGE_DEADLINE: (
        "The judge didn't answer in time: what it would have read counts as hardly an answer."
    ),
    ReasonCode.DIAGNOSTIC_VECTORS: (
        "The embedding model is a diagnostic one: its scores are shown and support nothing."
    ),
    ReasonCode.UNVERIFIED_PROFILE: (
        "The embedding model hasn't passed the gate: its scores are shown and support nothing."
    ),
    ReasonCode.VECTORS_MISSING: ("Some records have no vector yet and were compared by words alone."),
    ReasonCode.VECTORS_UNSCANNED: (
        "Older records weren't compared by meaning: they are too many to scan and don't fit in memory."
    ),
    ReasonCode.KEYWORD_POOL_CUT: (
        "More records shared words with the question than were scored; the likeliest were."
    ),
}
"""What each code says about a question or a record. Complete: a test compares."""

CLASSES: Mapping[SupportClass, str] = {
    SupportClass.DIRECT_SUPPORT: "direct support",
    SupportClass.BACKGROUND_CONTEXT: "background context",
    SupportClass.NO_USEFUL_MEMORY: "no useful memory",
}
COLOURS: Mapping[SupportClass, str] = {
    SupportClass.DIRECT_SUPPORT: "green",
    SupportClass.BACKGROUND_CONTEXT: "yellow",
    SupportClass.NO_USEFUL_MEMORY: "bright_black",
}

SIGNALS: Mapping[str, str] = {
    "lexical": "words in common",
    "bm25": "rare words in common",
    "typo": "misspelt words mended",
    "semantic": "closeness of meaning",
    "contrast": "stands out in meaning",
    "candidate_prior": "kind of statement",
    "trust": "trust in the source",
    "recency": "how recent it is",
    "graph": "linked records",
    "speaker": "said by the one named",
    "window": "words in the turn before",
    "before": "the turn before",
    "after": "the turn after",
    "session": "the rest of the session",
    "answerable": "the judge's answer",
    "fact_key": "names a stored fact",
    "reranker": "reranking model",
    "atbot": "external advisor",
}
"""What each registered signal measures. A signal of a newer core is shown by its name alone."""


def headline(support: SupportClass, released: int) -> str:
    """What the decision comes to, in one line."""
    if released:
        records = "1 record" if released == 1 else f"{released} records"
        return f"{CLASSES[support]}: {records} may be injected"
    if support is SupportClass.NO_USEFUL_MEMORY:
        return "no useful memory: nothing is injected"
    return f"{CLASSES[support]}: related records are known, nothing is injected"


FAULTS: Mapping[str, str] = {
    ContextFault.RECALLED_FAILED: "Nothing could be decided: the memory raised an error.",
    ContextFault.INDEX_FAILED: "The memory index couldn't be read.",
    ContextFault.LINKS_FAILED: "Links couldn't be walked; released notes stand without their neighbours.",
    ContextFault.PROFILE_FAILED: "The profile couldn't be read.",
    ContextFault.LESSONS_FAILED: "Lessons couldn't be read.",
    ContextFault.PROCEDURES_FAILED: "Procedures couldn't be read.",
    ContextFault.REWRITER_FAILED: "The query rewriter gave nothing; the message was searched as it stands.",
    ContextFault.TOKEN_COUNTER_FAILED: "The token counter failed; the built-in estimate counted.",
    ContextFault.USE_FAILED: "The turn's uses weren't counted.",
    ContextFault.CAPTURE_FAILED: "The turn, or a part of it, wasn't stored.",
    ContextFault.GENERATION_FAILED: "The model that links notes gave nothing.",
}
"""What a context did without."""


def without(code: str) -> str:
    """A sentence for a code of ``degraded``."""
    return FAULTS.get(code) or REASONS.get(ReasonCode(code), code)
