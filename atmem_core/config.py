"""Settings, read once at the edge."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from atmem_core.errors import InvalidInput
from atmem_core.key import Key
from atmem_core.records import RewriteGate, whole_number


class Ranking(StrEnum):
    """Named orders of a hybrid search."""

    RELEVANCE = "relevance"
    """The calibrated relevance that decisions use, plus bounded priors."""
    HYBRID_V1 = "hybrid-v1"
    """BM25 over the strongest blended with cosine; notes found by meaning alone fill what is left."""


class Redaction(StrEnum):
    """What happens to keys, tokens, card numbers and passwords in what is told."""

    OFF = "off"
    """They are stored, as all else."""
    REPLACE = "replace"
    """``[redacted card]`` is stored in place of a card number."""
    REFUSE = "refuse"
    """Nothing is stored: WriteRefused, ``secret_found``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything that can be set. The defaults are the product."""

    max_notes: int | None = None
    """Most unarchived notes of one subject; None is no limit. Above it the least useful are archived,
    never deleted, and never the newest."""
    write_timeout_ms: int = 30_000
    """How long a write waits for another process's lock before StoreBusy."""
    vector_cache_bytes: int = 256 * 1024 * 1024
    """Memory for the vectors of subjects in use, least recently used dropped first."""
    exact_vectors: int = 200_000
    """Up to this many vectors a subject is scanned in float32; above, in int8 with exact rescoring."""
    brute_force_ceiling: int = 2_000
    """Most vectors of one subject that a query scans in the file, the newest; a subject with more is taken
    into memory at its first query. Where it doesn't fit, a decision says ``vectors_unscanned``."""
    keyword_pool: int = 200
    """Candidates from keywords that are scored with BM25."""
    vector_pool: int = 50
    """Candidates from vectors."""
    judged_candidates: int = 20
    """Candidates that a decision lists, best first."""
    judge: bool = True
    """Ask the bundled judge about what would be released, where it is installed and an embedder is in use."""
    judged_answers: int = 3
    """Most records that the judge is asked about."""
    searched_answers: int = 8
    """Most hits of a hybrid search that the judge is asked about, for their order; 0 asks about none."""
    max_released: int = 5
    """Most records that one decision releases."""
    ranking: Ranking = Ranking.RELEVANCE
    """How a hybrid search orders. Decisions always go by relevance."""
    budget_tokens: int = 2_000
    """Most tokens of a context, all channels together; at most 8,000, whatever is set."""
    token_counter: Callable[[str], int] | None = None
    """Gives the size of a text in tokens; None is an estimate that errs upwards. One that raises is named in
    ``degraded``, and the estimate goes on."""
    index_limit: int = 20
    """Most notes in the memory index, the newest; 0 to 100. 0 switches it off."""
    index_preview_chars: int = 60
    """Most characters of a note in the memory index, 1 to 400."""
    index_tokens: int = 300
    """Most tokens of the memory index, 0 to 4,000; 0 switches it off, as for each channel."""
    recalled_preview_chars: int = 160
    """Most characters of a recalled note in a context, 1 to 4,000; ``recall`` gives whole notes."""
    recalled_tokens: int = 400
    """Most tokens of recalled and linked notes, 0 to 4,000."""
    linked_notes: int = 12
    """Most neighbours that come along with released notes, 0 to 50; 0 walks no link."""
    linked_depth: int = 1
    """How many links far, 1 to 3."""
    profile_tokens: int = 512
    """Most tokens of profile facts, 0 to 4,000."""
    profile_max_entries: int = 500
    """Most profile facts of one subject that aren't pinned; above it the least voted, then the oldest go."""
    lessons: int = 2
    """Most lessons in a context, 0 to 10."""
    lessons_tokens: int = 300
    """Most tokens of lessons, 0 to 4,000."""
    procedures: int = 2
    """Most procedures in a context, 0 to 10."""
    procedures_tokens: int = 400
    """Most tokens of procedures, 0 to 4,000."""
    advice_max_entries: int = 500
    """Most active lessons, and as many procedures, of one subject; above it some are deprecated."""
    advice_unused_days: int = 30
    """Advice that never helped is deprecated when it is older than this."""
    vote_log_max_rows: int = 50_000
    """Votes that a file remembers one by one; the scores don't go by it."""
    query_max_chars: int = 4_000
    """A longer query is cut, never refused."""
    embedding_timeout_ms: int = 30_000
    """How long a server that embeds may take for one call, all tries together."""
    backfill_batch: int = 8
    """Missing vectors made up after a successful write."""
    backfill: bool = True
    """Make up missing vectors in the background while a memory is open."""
    event_content: bool = False
    """Events hold the text of facts too; off, ids and digests only."""
    key: Key | None = None
    """Where the key of an encrypted file comes from; None: it isn't encrypted. ``:memory:`` needs none."""
    redaction: Redaction = Redaction.OFF
    """What happens to secrets in texts before they are written; labels and tags aren't looked at."""
    extraction_timeout_ms: int = 60_000
    """How long an extractor may take to read one turn; a longer one is left behind and counted."""
    rewriter_gate: RewriteGate = RewriteGate.HEURISTIC
    """When a message is thought to need what was said before it, and is rewritten before it is recalled."""
    rewriter_timeout_ms: int = 10_000
    """How long the rewriting of one message may take; a later answer is dropped."""
    rewriter_history_turns: int = 3
    """Pairs of user and assistant that the rewriter reads, the latest."""

    def __post_init__(self) -> None:
        """Refuse what can't work, before anything is opened."""
        for field in _POSITIVE:
            whole_number(field, getattr(self, field), least=1)
        for field in ("vector_cache_bytes", "exact_vectors", "backfill_batch", "searched_answers"):
            whole_number(field, getattr(self, field), least=0)
        self._check_context()
        if self.max_notes is not None:
            whole_number("max_notes", self.max_notes, least=1)
        for field in ("judge", "backfill", "event_content"):
            if not isinstance(getattr(self, field), bool):
                raise InvalidInput(field, f"must be True or False, got {getattr(self, field)!r}")
        if self.key is not None and not isinstance(self.key, Key):
            # Not shown: whoever gives a text gives the key itself.
            raise InvalidInput("key", "must be a Key, such as Key.from_environment(); a text isn't taken")
        _one_of("redaction", self.redaction, Redaction)
        _one_of("ranking", self.ranking, Ranking)
        _one_of("rewriter_gate", self.rewriter_gate, RewriteGate)

    def _check_context(self) -> None:
        for field, (least, most) in _RANGES.items():
            whole_number(field, getattr(self, field), least=least, most=most)
        if self.token_counter is not None and not callable(self.token_counter):
            raise InvalidInput("token_counter", "must be a function from a text to a whole number")


def _one_of(field: str, value: object, kind: type[StrEnum]) -> None:
    if not isinstance(value, kind):
        known = ", ".join(f"{kind.__name__}.{one.name}" for one in kind)
        raise InvalidInput(field, f"must be one of {known}, got {value!r}")


_POSITIVE = (
    "advice_max_entries",
    "advice_unused_days",
    "brute_force_ceiling",
    "profile_max_entries",
    "vote_log_max_rows",
    "write_timeout_ms",
    "keyword_pool",
    "vector_pool",
    "judged_candidates",
    "judged_answers",
    "max_released",
    "budget_tokens",
    "query_max_chars",
    "embedding_timeout_ms",
    "extraction_timeout_ms",
    "rewriter_timeout_ms",
    "rewriter_history_turns",
)
_MOST_TOKENS = 4_000
_RANGES = {
    "index_limit": (0, 100),
    "index_preview_chars": (1, 400),
    "index_tokens": (0, _MOST_TOKENS),
    "recalled_preview_chars": (1, 4_000),
    "recalled_tokens": (0, _MOST_TOKENS),
    "linked_notes": (0, 50),
    "linked_depth": (1, 3),
    "profile_tokens": (0, _MOST_TOKENS),
    "lessons": (0, 10),
    "lessons_tokens": (0, _MOST_TOKENS),
    "procedures": (0, 10),
    "procedures_tokens": (0, _MOST_TOKENS),
}
"""Ceilings that no setting lifts: a context is a bounded slice, not a dump."""
