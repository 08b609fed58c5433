"""The block that a host puts before a model: its channels, its sizes, and what stands in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from atmem_core.records.decision import Decision
from atmem_core.records.results import Omitted
from atmem_core.records.rewriting import Rewriting


class Channel(StrEnum):
    """What stands in a context, each with a budget of its own."""

    MEMORY_INDEX = "memory-index"
    """The newest notes by their first words, for a model that can ask for one."""
    RECALLED = "recalled"
    """What the decision released, and the notes that are linked to it."""
    PROFILE = "profile"
    LESSONS = "lessons"
    PROCEDURES = "procedures"


class Placement(StrEnum):
    """Where a section belongs in a prompt. None belongs in the stable part that a cache keeps."""

    BEFORE_CONVERSATION = "before_conversation"
    AFTER_CONVERSATION = "after_conversation"


class ContextFault(StrEnum):
    """What a context had to do without, beside what its decision names."""

    RECALLED_FAILED = "recalled_failed"
    INDEX_FAILED = "index_failed"
    LINKS_FAILED = "links_failed"
    PROFILE_FAILED = "profile_failed"
    LESSONS_FAILED = "lessons_failed"
    PROCEDURES_FAILED = "procedures_failed"
    REWRITER_FAILED = "rewriter_failed"
    """The message was searched for as it stands."""
    TOKEN_COUNTER_FAILED = "token_counter_failed"  # noqa: S105 - a code
    """The host's counter raised or gave no size; the built-in estimate counted."""
    USE_FAILED = "use_failed"
    """The turn's uses weren't counted."""
    CAPTURE_FAILED = "capture_failed"
    """The turn, or a part of it, wasn't stored."""
    GENERATION_FAILED = "generation_failed"
    """A model that should link the turn's notes gave nothing."""


class ShownFor(StrEnum):
    """By which rule an entry stands in a context."""

    DIRECT_SUPPORT = "direct_support"
    BACKGROUND_CONTEXT = "background_context"
    LINKED = "linked"
    NEWEST = "newest"
    PINNED = "pinned"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record as it stands in a section: one line."""

    record_id: str
    line: str
    shown_for: ShownFor
    score: float | None = None
    """Rank score of a released record; None where nothing was judged."""
    anchor: str | None = None
    """Of a linked note: the released record that it hangs on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One channel of a context, for a host that places it itself.

    ``text`` isn't fenced: use ``ContextBlock.before_conversation`` or ``after_conversation`` where a host
    has one place for all.
    """

    channel: Channel
    placement: Placement
    text: str
    """A heading and a line for each entry."""
    entries: tuple[Entry, ...]
    omitted: tuple[Omitted, ...] = ()
    tokens: int = 0
    budget_tokens: int = 0

    @property
    def record_ids(self) -> tuple[str, ...]:
        """In their order in the text."""
        return tuple(entry.record_id for entry in self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """One record as it was found in the bytes of a context."""

    record_id: str
    channel: Channel
    shown_for: ShownFor
    score: float | None
    start: int
    """Offset of its line in the UTF-8 bytes."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReceipt:
    """What stands in a context, read off its bytes. Ids and numbers, never a text."""

    sha256: str
    """Of the UTF-8 bytes of the text."""
    bytes: int
    lines: tuple[ReceiptLine, ...]
    decision_id: str | None
    """None when nothing could be decided."""


NO_RECEIPT = ContextReceipt(sha256=sha256(b"").hexdigest(), bytes=0, lines=(), decision_id=None)
"""Of an empty context that nobody decided on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBundle:
    """What a model is shown for one turn; ``str(bundle)`` is the fenced text of all of it.

    Byte for byte the same for the same records. ``text`` is empty when there is nothing to show.
    """

    text: str
    """All sections in one fence, in the order of a prompt."""
    before_conversation: str = ""
    """Fenced index and recalled notes, for a host with two places; empty without either."""
    after_conversation: str = ""
    """Fenced profile, lessons and procedures."""
    sections: tuple[Section, ...] = ()
    """Those with entries, and those of which all was left out for want of room; in the order of a prompt."""
    record_ids: tuple[str, ...]
    """Ids of the records that stand in ``text``, in their order there."""
    omitted: tuple[Omitted, ...] = ()
    """What the budgets left out, with its cost."""
    tokens: int = 0
    """Size of ``text``, rounded up."""
    receipt: ContextReceipt = NO_RECEIPT
    decision: Decision | None = None
    """None when deciding failed; ``degraded`` says so."""
    degraded: tuple[str, ...] = ()
    """What was not available: a decision's reason codes, and those of ``ContextFault``."""
    held: tuple[str, ...] = ()
    """Ids of records that would have been shown and speak as a command: they wait for a person's word."""
    rewriting: Rewriting | None = None
    """What became of the message before it was searched for; None where nobody was asked to."""

    def __str__(self) -> str:
        return self.text

    @property
    def sizes(self) -> Mapping[Channel, int]:
        """Tokens of each section."""
        return {section.channel: section.tokens for section in self.sections}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock(ContextBundle):
    """A context whose decision is there: what ``Memory.context`` gives."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKept:
    """What was done when a turn was over."""

    note_ids: tuple[str, ...] = ()
    """Of the notes that hold what was said."""
    used: tuple[str, ...] = ()
    """Ids of the records whose use was counted."""
    linked: int = 0
    """Links that a model made."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """Messages that weren't stored, counted by why: ``nothing_told``, or the code of a refusal."""
    degraded: tuple[str, ...] = ()
