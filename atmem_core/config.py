"""Settings, read once at the edge."""

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
    budget_tokens: int = 400
    """Default size of a context block."""
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


def _one_of(field: str, value: object, kind: type[StrEnum]) -> None:
    if not isinstance(value, kind):
        known = ", ".join(f"{kind.__name__}.{one.name}" for one in kind)
        raise InvalidInput(field, f"must be one of {known}, got {value!r}")


_POSITIVE = (
    "brute_force_ceiling",
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
