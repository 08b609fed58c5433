"""The end of a turn: what was shown is counted, what was said is stored, what belongs together is linked."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from atmem_core.chat import ChatModel
from atmem_core.context.capture import worth_keeping
from atmem_core.context.sources import Sources
from atmem_core.errors import WriteRefused
from atmem_core.records import (
    Channel,
    ContextBundle,
    ContextFault,
    LinksGenerated,
    Remembered,
    Scope,
    ShownFor,
    Source,
    TurnKept,
)
from atmem_core.text import digest, without_fence

_KEY_CHARS = 40
_UNCOUNTED = (ShownFor.NEWEST,)
"""A line of the index is no use of its note."""


class Writer(Protocol):
    """Writes what was said."""

    def remember(
        self,
        text: str,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        speaker: str = "user",
        source: str = "user",
        idempotency_key: str | None = None,
    ) -> Remembered:
        """Store a note. Raises WriteRefused."""
        ...

    def mark_used(self, note_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each note."""
        ...


class LinkMaker(Protocol):
    """Asks a model which notes belong together."""

    def generate(self, note_ids: Sequence[str], model: ChatModel, *, subject: str) -> LinksGenerated:
        """What it made of them; a failure is a value."""
        ...


Finish = Callable[[str, str, Scope, str], object]
"""Writes a turn to the session history: what was said, what was answered, whose, under which key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How a finished turn is kept."""

    writer: Writer
    sources: Sources
    links: LinkMaker
    finish: Finish
    keep: Callable[[str], bool] = worth_keeping
    """Which messages become notes."""
    keep_assistant: bool = False
    """Store what the assistant said too, as its own words."""
    facts: bool = False
    """Write each turn to the session history too, where facts are read out of it; it needs a session."""
    links_model: ChatModel | None = None
    """Links the notes of a turn; None makes no links."""


@dataclass(slots=True)
class Kept:
    """One turn on its way."""

    scope: Scope
    turn_id: str
    note_ids: list[str] = field(default_factory=list)
    used: tuple[str, ...] = ()
    linked: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def done(self) -> TurnKept:
        """What was done."""
        return TurnKept(
            note_ids=tuple(self.note_ids),
            used=self.used,
            linked=self.linked,
            passed_over=dict(self.passed_over),
            degraded=tuple(dict.fromkeys(self.faults)),
        )


def keep_turn(how: Keeping, kept: Kept, bundle: ContextBundle | None, *, user: str, assistant: str) -> None:
    """All that happens at the end of a turn, each part by itself."""
    if bundle is not None:
        _guarded(kept, ContextFault.USE_FAILED, lambda: _count(how, kept, bundle))
    _guarded(kept, ContextFault.CAPTURE_FAILED, lambda: _store(how, kept, user, Source.USER))
    if how.keep_assistant:
        _guarded(kept, ContextFault.CAPTURE_FAILED, lambda: _store(how, kept, assistant, Source.ASSISTANT))
    if how.facts:
        _guarded(kept, ContextFault.CAPTURE_FAILED, lambda: _finish(how, kept, user, assistant))
    if how.links_model is not None:
        shown = () if bundle is None else bundle.record_ids
        _guarded(kept, ContextFault.GENERATION_FAILED, lambda: _link(how, kept, shown))


def _guarded(kept: Kept, fault: ContextFault, act: Callable[[], None]) -> None:
    try:
        act()
    except Exception:  # noqa: BLE001 - the turn is over; what failed is named, and the rest goes on
        kept.faults.append(fault)


def _count(how: Keeping, kept: Kept, bundle: ContextBundle) -> None:
    """Neighbours that were shown are used too."""
    subject = kept.scope.subject
    by_channel = {
        section.channel: [one.record_id for one in section.entries if one.shown_for not in _UNCOUNTED]
        for section in bundle.sections
    }
    for channel, count in (
        (Channel.RECALLED, how.writer.mark_used),
        (Channel.LESSONS, how.sources.lessons.used),
        (Channel.PROCEDURES, how.sources.procedures.used),
    ):
        if ids := by_channel.get(channel):
            count(ids, subject=subject)
            kept.used += tuple(ids)


def _store(how: Keeping, kept: Kept, text: str, source: Source) -> None:
    told = without_fence(text).strip()
    if not told:
        return
    if not how.keep(told):
        kept.passed_over["nothing_told"] += 1
        return
    try:
        remembered = how.writer.remember(
            told,
            **kept.scope.to_dict(),  # type: ignore[arg-type]  # the parts of a scope, by name
            speaker=source.value,
            source=source.value,
            idempotency_key=_key(kept, source.value, told),
        )
    except WriteRefused as error:
        kept.passed_over[error.code] += 1
    else:
        kept.note_ids.append(remembered.id)


def _finish(how: Keeping, kept: Kept, user: str, assistant: str) -> None:
    said = without_fence(user).strip()
    if said:
        how.finish(said, without_fence(assistant).strip(), kept.scope, _key(kept, "turn", said))


def _link(how: Keeping, kept: Kept, shown: Sequence[str]) -> None:
    if how.links_model is None:
        return
    made = how.links.generate([*shown, *kept.note_ids], how.links_model, subject=kept.scope.subject)
    kept.linked = len(made.links)
    if made.failure:
        kept.faults.append(ContextFault.GENERATION_FAILED)


def _key(kept: Kept, part: str, text: str) -> str:
    """The same for every run of one message of one turn."""
    return digest(kept.scope.session or "", kept.turn_id, part, text)[:_KEY_CHARS]
