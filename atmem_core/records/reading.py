"""What judgement reads out of a query and out of a record."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from atmem_core.records.decision import ReasonCode
from atmem_core.records.fact import FactKey
from atmem_core.records.note import Source


class AskedKind(StrEnum):
    """What kind of thing a question asks for, or a record holds."""

    PERSON = "person"
    NAME = "name"
    """What somebody or something is called."""
    PLACE = "place"
    TIME = "time"
    """A date, a day, a season, a span."""
    CLOCK = "clock"
    """A time of day."""
    YEAR = "year"
    NUMBER = "number"
    """A number that names something: of a passport, a phone, an account."""
    QUANTITY = "quantity"
    PRICE = "price"
    REASON = "reason"
    COLOUR = "colour"
    SECRET = "secret"  # noqa: S105 - a kind, not a password


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A text, read. The same reading is made of notes and of queries."""

    stems: frozenset[str]
    """Stems of all tokens."""
    names: frozenset[str]
    """Folded proper names, without months, weekdays and languages."""
    capitals: frozenset[str]
    """Folded words that may be names: the names, and capitals at the start of a sentence."""
    addressed: frozenset[str]
    """Names that are only called: "Anna, I moved", "thanks, Anna!"."""
    people: frozenset[str]
    """Those capitals that may be persons: not after "in", "at", "near" and their like."""
    strict: frozenset[str]
    """Numbers and identifiers: they match whole or not at all."""
    calendar: frozenset[str]
    """Months and weekdays."""
    owned: frozenset[tuple[str, str]]
    """(owner, stem of what is owned); owner: a folded name, a kind of relative, ``me``, or ``other``."""
    holds: frozenset[AskedKind]
    negated: frozenset[str]
    """Stems that stand shortly after a negation."""
    first_person: bool
    question: bool
    """Asks rather than states."""
    change: bool
    """Tells that something is new: "now", "these days", "moved", "no longer"."""
    english: bool
    """Are the word lists that know English only worth asking?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One word of the query that carries topic."""

    word: str
    """Folded, as the index holds it."""
    stem: str
    strict: bool
    """A number or an identifier."""
    correctable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The original query, read. Only this establishes support."""

    text: str
    """Cut to the configured length."""
    focus: str
    """The part that asks, with what leads up to it where it points back: what is embedded."""
    sha256: str
    """Of the text as given, before the cut."""
    terms: tuple[Term, ...]
    """Distinct by stem, in reading order."""
    reading: Reading
    asks: AskedKind | None = None
    yes_no: bool = False
    refusal: ReasonCode | None = None
    """Why no memory can be asked for: small talk, a command, or nothing to go by."""
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """How the conversation around a turn matches the query; each 0 to 1."""

    window: float
    """Share of the query's idf that the turn before holds and the turn itself doesn't."""
    before: float
    """Relevance of the turn before, 0 without one."""
    after: float
    """Relevance of the turn after, 0 without one."""
    session: float
    """Mean relevance of the three best candidates of the session; fewer count as 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record that might help, measured. Numbers and a text; no I/O behind it."""

    record_id: str
    content_hash: str
    text: str
    """What judgement reads when words and meaning speak for it; never part of a decision."""
    token_count: int
    speaker: str
    source: Source
    trust: float
    told_at: datetime
    """``occurred_at``, or else ``created_at``."""
    dated: bool
    """Was ``occurred_at`` given?"""
    coverage: float
    """Share of the query's idf that the record holds by exact stem; 0 to 1."""
    typo_coverage: float
    """As ``coverage``, with corrected words counted too; never below it."""
    bm25: float
    """BM25 over that of an ideal record that holds each term once; 0 to 1."""
    matched: frozenset[str]
    """Query stems that the record holds, corrected ones included."""
    cosine: float | None
    """-1 to 1, higher is better; None without a vector."""
    null_cosine: float = 0.0
    """Mean cosine of the records nearest to the query, on the scale that all profiles share: what a record
    must stand out from; about -1 to 1."""
    surroundings: "Surroundings | None" = None
    """None for a record that belongs to no session."""
    graph: float | None = None
    """Weight of the strongest link to another candidate, 0 to 1."""
    fact: FactKey | None = None
    """What it states, when it is a fact."""
    source_id: str | None = None
    """Id of the turn or note that said it, when it is a fact."""
    outdated: bool = False
    """Did it say facts none of which stands any more?"""
    found_by_rewriting: bool = False
    """Did a rewritten query alone find it? Then it is background at most."""
