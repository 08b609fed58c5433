"""The context provider: what a model is shown in a turn, and what is kept when the turn is over.

Rule: a turn is answered once. Hosts call before every step of a turn with the same message; all but the first
call give what the first one gave, less what was removed meanwhile. Nothing is written before the host's model
is called: uses are counted, and the turn is kept, when it is over. Whatever fails is named, not raised; only
wrong arguments are.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from atmem_core.context.composer import Asked, Composer
from atmem_core.context.keeping import Keeping, Kept, keep_turn
from atmem_core.errors import InvalidInput
from atmem_core.recall.reader import Answer
from atmem_core.recall.request import request
from atmem_core.records import (
    Channel,
    ContextBundle,
    ContextFault,
    RewriteOutcome,
    Rewriting,
    Scope,
    Spoken,
    TurnKept,
    label,
    member,
    shown,
    whole_number,
)
from atmem_core.text import without_fence

MOST_TURNS = 256
"""Turns that are remembered, the least recently used dropped; a forgotten one is answered anew."""


class Rewriter(Protocol):
    """Makes a message whole from what was said before."""

    def rewrite(
        self, message: str, history: Sequence[Spoken], *, subject: str, session: str | None
    ) -> Rewriting:
        """What finds candidates for the message. Never raises."""
        ...


@dataclass(slots=True)
class _Turn:
    """One turn under way."""

    bundle: ContextBundle | None = None
    kept: TurnKept | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class ContextProvider:
    """Both ends of a turn over one memory; ``Memory.provider`` makes one. Safe for threads."""

    def __init__(
        self,
        composer: Composer,
        keeping: Keeping,
        *,
        rewriter: Rewriter | None = None,
        channels: Iterable[str] | None = None,
    ) -> None:
        self._composer = composer
        self._keeping = keeping
        self._rewriter = rewriter
        self._channels = channels_of(channels)
        self._turns: OrderedDict[tuple[Scope, str], _Turn] = OrderedDict()
        self._lock = threading.Lock()

    def before_turn(
        self,
        message: str,
        *,
        turn_id: str,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        history: Sequence[Spoken] = (),
        tool_results: Sequence[str] = (),
        tags: Iterable[str] = (),
        deadline_ms: float | None = None,
        budget_tokens: int | None = None,
        allow_background: bool = False,
    ) -> ContextBundle:
        """What the model is shown in this turn; the same for each call with its ``turn_id``.

        A blank ``message`` shows only what needs no query. ``session`` is the running conversation, whose
        notes the index leaves out; it doesn't filter. ``history`` is what was said before, oldest first, for
        the rewriter; ``tool_results`` are looked up along with the message. The rest: ``Memory.context``.

        Raises:
            InvalidInput: An argument is wrong.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        asked = Asked(
            text=looked_up(message, tool_results),
            request=request(replace(scope, session=None), tags=tags, deadline_ms=deadline_ms),
            channels=self._channels,
            budget_tokens=None
            if budget_tokens is None
            else whole_number("budget_tokens", budget_tokens, least=1),
            allow_background=allow_background,
            conversation=session,
        )
        if not all(isinstance(one, Spoken) for one in history):
            raise InvalidInput("history", "must be a list of Spoken, oldest first")
        return self._answered(self._turn(scope, turn_id), asked, said(message=message), history)

    def after_turn(
        self,
        *,
        turn_id: str,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        user: str = "",
        assistant: str = "",
    ) -> TurnKept:
        """Count what was shown as used, once a turn, and keep what was said.

        Args:
            turn_id: As for ``before_turn``; a second call changes nothing and gives what the first one gave.
            subject: As for ``before_turn``, as are the other parts of the scope.
            project: Where the notes will belong.
            session: Where the notes will belong.
            agent: Where the notes will belong.
            user: What the user said; blocks of recalled memory are taken out of it.
            assistant: What was answered.

        Raises:
            InvalidInput: An argument is wrong.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        if self._keeping.facts:
            label("session", session)
        turn = self._turn(scope, turn_id)
        with turn.lock:
            if turn.kept is None:
                kept = Kept(scope=scope, turn_id=turn_id)
                told, answer = said(user=user), said(assistant=assistant)
                keep_turn(self._keeping, kept, turn.bundle, user=told, assistant=answer)
                turn.kept = kept.done()
                turn.bundle = None  # its texts aren't needed any more
                self._composer.count(turn.kept.degraded)
            return turn.kept

    def _answered(self, turn: _Turn, asked: Asked, message: str, history: Sequence[Spoken]) -> ContextBundle:
        """Once, and then less what fell meanwhile."""
        with turn.lock:
            if turn.bundle is None:
                turn.bundle = self._shown(asked, message, history)
            else:
                turn.bundle = self._composer.still(turn.bundle, asked.request.scope.subject)
            return turn.bundle

    def _shown(self, asked: Asked, message: str, history: Sequence[Spoken]) -> ContextBundle:
        rewriting = self._rewritten(message, history, asked)
        asked = replace(asked, rewriting=rewriting)
        faults = [ContextFault.REWRITER_FAILED] if rewriting.failed else []
        answer: Answer | None = None
        if asked.text and Channel.RECALLED in self._channels:
            try:
                answer = self._composer.judge(asked)
            except Exception:  # noqa: BLE001 - an agent outlives whatever its memory raises; it is named
                faults.append(ContextFault.RECALLED_FAILED)
        return self._composer.compose(asked, answer, faults=faults)

    def _rewritten(self, message: str, history: Sequence[Spoken], asked: Asked) -> Rewriting:
        if self._rewriter is None:
            return Rewriting(outcome=RewriteOutcome.SKIPPED_NO_MODEL)
        if not message:
            return Rewriting(outcome=RewriteOutcome.SKIPPED_EMPTY)
        subject, session = asked.request.scope.subject, asked.conversation
        try:
            return self._rewriter.rewrite(message, history, subject=subject, session=session)
        except Exception:  # noqa: BLE001 - a caller's own rewriter may raise; ours doesn't
            return Rewriting(outcome=RewriteOutcome.FAILED, reason="raised")

    def _turn(self, scope: Scope, turn_id: str) -> _Turn:
        key = (scope, label("turn_id", turn_id))
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            self._turns.move_to_end(key)
            while len(self._turns) > MOST_TURNS:
                self._turns.popitem(last=False)
            return turn


def channels_of(channels: Iterable[str] | None) -> frozenset[Channel]:
    """The named channels; all for None. Raises InvalidInput for an unknown one."""
    if channels is None:
        return frozenset(Channel)
    if isinstance(channels, str) or not isinstance(channels, Iterable):
        raise InvalidInput("channels", f"must be a list of names, got {shown(channels)}")
    return frozenset(member(Channel, "channels", one) for one in channels)


def looked_up(message: str, tool_results: Sequence[str]) -> str:
    """What is looked up for a turn: the message and what tools gave, without blocks of recalled memory."""
    if isinstance(tool_results, str):
        raise InvalidInput("tool_results", "must be a list of texts")
    parts = [said(message=message), *(said(tool_results=one) for one in tool_results)]
    return "\n".join(part for part in parts if part)


def said(**given: str) -> str:
    """The one given text without recalled memory; empty for a blank one. Raises InvalidInput."""
    ((field_name, text),) = given.items()
    if not isinstance(text, str):
        raise InvalidInput(field_name, f"must be a text, got {type(text).__name__}")
    own = without_fence(text)
    if not own.strip():
        return ""
    # As it was said: a decision holds a digest of the query, the same through every door.
    return text if own == text else own.strip()
