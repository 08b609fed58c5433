"""One context for one query: each channel by itself, so that one that fails leaves the others whole."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TypeVar

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.context import channels as shown_by
from atmem_core.context.assembly import Assembled, Offered, assemble, without
from atmem_core.context.budgets import Sizing, budgets_of
from atmem_core.context.receipt import receipt_of
from atmem_core.context.sources import Sources
from atmem_core.context.standing import fallen
from atmem_core.context.unjudged import fit_to_stand
from atmem_core.recall.reader import Answer, Reader
from atmem_core.recall.request import Request
from atmem_core.records import (
    Channel,
    Check,
    CheckStatus,
    ContextBlock,
    ContextBundle,
    ContextFault,
    ContextReceipt,
    Linked,
    Note,
    ProfileRecall,
    RecordKind,
    Rewriting,
)
from atmem_core.store.protocol import Store

T = TypeVar("T")
JUDGED_OR_PINNED = frozenset(Channel) - {Channel.MEMORY_INDEX}
"""What is shown for a query alone, without a turn around it."""
_PAGES = 5
_PAGE = 60
_FAULTS = {
    Channel.MEMORY_INDEX: ContextFault.INDEX_FAILED,
    Channel.RECALLED: ContextFault.RECALLED_FAILED,
    Channel.PROFILE: ContextFault.PROFILE_FAILED,
    Channel.LESSONS: ContextFault.LESSONS_FAILED,
    Channel.PROCEDURES: ContextFault.PROCEDURES_FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a context is wanted for."""

    text: str
    """The message as it was said; empty asks for what needs no query."""
    request: Request
    channels: frozenset[Channel]
    budget_tokens: int | None = None
    allow_background: bool = False
    conversation: str | None = None
    """Session of the running conversation: its notes aren't listed in the index."""
    rewriting: Rewriting | None = None

    @property
    def finding(self) -> str | None:
        """What finds further candidates; it establishes no support."""
        return None if self.rewriting is None else self.rewriting.query


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a context is made from."""

    store: Store
    reader: Reader
    sources: Sources
    config: Config
    clock: Clock


class Composer:
    """Makes contexts of one memory. It reads, and writes nothing."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._failures: Counter[str] = Counter()
        self._lock = threading.Lock()

    def judge(self, asked: Asked) -> Answer:
        """The decision. Raises what a broken store raises."""
        return self._parts.reader.decide(
            asked.text, asked.request, allow_background=asked.allow_background, finding=asked.finding
        )

    def block(self, asked: Asked) -> ContextBlock:
        """The decision and the context around it. Raises what a broken store raises."""
        answer = self.judge(asked)
        bundle = self.compose(asked, answer)
        named = {field.name: getattr(bundle, field.name) for field in fields(bundle)}
        return ContextBlock(**{**named, "decision": answer.decision})

    def compose(self, asked: Asked, answer: Answer | None, *, faults: Iterable[str] = ()) -> ContextBundle:
        """The context around a decision; what fails is empty and named, never raised.

        Args:
            asked: What it is wanted for.
            answer: The decision; None when there is none.
            faults: What was missing before.
        """
        run = _Run(self._parts, asked, list(faults))
        offers, held = run.offers(answer)
        size = Sizing(self._parts.config.token_counter)
        made = assemble(offers, budgets_of(self._parts.config, asked.budget_tokens), size)
        if size.failed:
            run.faults.append(ContextFault.TOKEN_COUNTER_FAILED)
        decided = () if answer is None else answer.decision.degraded
        subject = asked.request.scope.subject
        self.count(run.faults)
        self._parts.sources.announcing.did_without(subject, [*decided, *run.faults])
        bundle = bundled(made, answer, degraded=(*decided, *run.faults), held=held, rewriting=asked.rewriting)
        if answer is not None:
            self._parts.sources.announcing.retrieved(answer.decision, bundle.record_ids)
        return bundle

    def still(self, bundle: ContextBundle, subject: str) -> ContextBundle:
        """The same context without records that were removed, replaced or have expired since."""
        gone = fallen(
            bundle.sections, subject, self._parts.store, self._parts.sources, now=self._parts.clock.now()
        )
        if not gone:
            return bundle
        made = without(bundle.sections, gone, Sizing(self._parts.config.token_counter))
        receipt = receipt_of(made.text, made.sections, bundle.receipt.decision_id)
        return replace(bundle, **_texts(made, receipt))  # type: ignore[arg-type]  # fields of a bundle, by name

    def count(self, faults: Sequence[str]) -> None:
        """Note what contexts had to do without, for a doctor to show."""
        with self._lock:
            self._failures.update(faults)

    def check(self) -> Check:
        """What contexts had to do without since the process began."""
        with self._lock:
            failed = ", ".join(f"{fault} {count}" for fault, count in sorted(self._failures.items()))
        status = CheckStatus.WARN if failed else CheckStatus.OK
        return Check(name="context", status=status, detail=failed or "every channel answers")


class _Run:
    """The channels of one context."""

    def __init__(self, parts: Parts, asked: Asked, faults: list[str]) -> None:
        self._parts = parts
        self._asked = asked
        self._scope = asked.request.scope
        self._config = parts.config
        self.faults = faults
        self.held: list[str] = []

    def offers(self, answer: Answer | None) -> tuple[Mapping[Channel, Sequence[Offered]], tuple[str, ...]]:
        """What each channel would show; and ids of what is held back until a person has looked."""
        released = [] if answer is None else list(answer.released)
        offers: dict[Channel, list[Offered]] = {}
        if answer is not None and self._wants(Channel.RECALLED):
            preview = self._config.recalled_preview_chars
            offers[Channel.RECALLED] = shown_by.recalled(answer, preview_chars=preview)
            offers[Channel.RECALLED] += self._linked(answer)
        shown = frozenset(one.record_id for one in offers.get(Channel.RECALLED, ()))
        offers[Channel.MEMORY_INDEX] = self._try(Channel.MEMORY_INDEX, lambda: self._index(shown))
        self._profile(offers)
        offers[Channel.LESSONS] = self._try(Channel.LESSONS, self._lessons)
        offers[Channel.PROCEDURES] = self._try(Channel.PROCEDURES, self._procedures)
        return fit_to_stand(self._asked.text, released, offers, tuple(self.held))

    def _wants(self, channel: Channel) -> bool:
        return channel in self._asked.channels

    def _try(self, channel: Channel, gather: Callable[[], list[Offered]]) -> list[Offered]:
        return self._guarded(_FAULTS[channel], gather, []) if self._wants(channel) else []

    def _guarded(self, fault: ContextFault, gather: Callable[[], T], otherwise: T) -> T:
        try:
            return gather()
        except Exception:  # noqa: BLE001 - a channel that fails is empty and named; the turn goes on
            self.faults.append(fault)
            return otherwise

    def _linked(self, answer: Answer) -> list[Offered]:
        anchors = shown_by.anchors(answer)
        if not anchors or not self._config.linked_notes:
            return []
        none: tuple[Linked, ...] = ()
        found = self._guarded(
            ContextFault.LINKS_FAILED,
            lambda: self._parts.sources.links.expand(
                anchors,
                **self._scope.to_dict(),  # type: ignore[arg-type]  # the parts of a scope, by name
                depth=self._config.linked_depth,
                limit=self._config.linked_notes,
                as_of=self._asked.request.as_of,
            ),
            none,
        )
        preview = self._config.recalled_preview_chars
        return shown_by.linked(found, answer.released, self._asked.request, preview_chars=preview)

    def _index(self, shown: frozenset[str]) -> list[Offered]:
        found: list[Note] = []
        limit = self._config.index_limit
        asked = self._asked.request
        if limit and (not asked.kinds or RecordKind.NOTE in asked.kinds):
            for page in range(_PAGES):
                notes = self._parts.store.notes(
                    asked.filter(self._parts.clock.now()), limit=_PAGE, offset=page * _PAGE, all_states=False
                )
                session = self._asked.conversation
                fit = (one for one in notes if shown_by.indexable(one, session=session, shown=shown))
                found += islice(fit, limit - len(found))
                if len(found) == limit or len(notes) < _PAGE:
                    break
        return shown_by.index(found, preview_chars=self._config.index_preview_chars)

    def _profile(self, offers: dict[Channel, list[Offered]]) -> None:
        if not self._wants(Channel.PROFILE):
            return
        text, subject = self._asked.text, self._scope.subject
        found = self._guarded(
            ContextFault.PROFILE_FAILED,
            lambda: self._parts.sources.profile.recall(text, subject=subject),
            ProfileRecall(facts=()),
        )
        offers[Channel.PROFILE] = shown_by.profile(found.facts)
        self.held += found.held

    def _lessons(self) -> list[Offered]:
        query, k = self._asked.finding or self._asked.text, self._config.lessons
        if not query.strip() or not k:
            return []
        scope = self._scope
        found = self._parts.sources.lessons.recall(query, subject=scope.subject, project=scope.project, k=k)
        self.held += found.held
        return shown_by.lessons(found.lessons)

    def _procedures(self) -> list[Offered]:
        query, k = self._asked.finding or self._asked.text, self._config.procedures
        if not query.strip() or not k:
            return []
        scope = self._scope
        found = self._parts.sources.procedures.recall(
            query, subject=scope.subject, project=scope.project, k=k
        )
        self.held += found.held
        return shown_by.procedures(found.procedures)


def bundled(
    made: Assembled,
    answer: Answer | None,
    *,
    degraded: tuple[str, ...],
    held: tuple[str, ...],
    rewriting: Rewriting | None,
) -> ContextBundle:
    """What was assembled, with its receipt."""
    decision = None if answer is None else answer.decision
    receipt = receipt_of(made.text, made.sections, None if decision is None else decision.decision_id)
    return ContextBundle(
        **_texts(made, receipt),  # type: ignore[arg-type]  # fields of a bundle, by name
        decision=decision,
        degraded=tuple(dict.fromkeys(str(one) for one in degraded)),
        held=held,
        rewriting=rewriting,
    )


def _texts(made: Assembled, receipt: ContextReceipt) -> dict[str, object]:
    return {
        "text": made.text,
        "before_conversation": made.before_conversation,
        "after_conversation": made.after_conversation,
        "sections": made.sections,
        "record_ids": tuple(line.record_id for line in receipt.lines),
        "omitted": tuple(one for section in made.sections for one in section.omitted),
        "tokens": made.tokens,
        "receipt": receipt,
    }
