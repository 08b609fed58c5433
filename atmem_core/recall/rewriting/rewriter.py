"""Rewriting a message: through a gate, once a turn, by a model of its own, within a time limit.

Rule: a rewritten query finds candidates and supports nothing; the message alone does. Rewriting never raises
and never touches what the main conversation uses: it has its own client, its calls name a session of their
own, ``rewriter:SESSION``, and what fails here trips a breaker that is nobody else's.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from atmem_core.chat import ChatModel, ask_within
from atmem_core.clock import Clock, SystemClock
from atmem_core.embedding import Embedder
from atmem_core.errors import ChatUnavailable, InvalidInput
from atmem_core.recall.rewriting.asking import answered, prompt, read
from atmem_core.recall.rewriting.gates import (
    EXEMPLARS,
    THRESHOLD,
    AlwaysGate,
    EmbeddingGate,
    Gate,
    HeuristicGate,
)
from atmem_core.records import RewriteGate, RewriteOutcome, Rewriting, Spoken, member, whole_number

MOST_SESSIONS = 256
"""Whose last message is remembered, the least recently used dropped."""
_FAILURES = 3
_REST = timedelta(seconds=60)
"""How long a session asks nobody after three failures in a row."""
_SPEAKERS = ("user", "assistant")
_FAILED = (RewriteOutcome.TIMEOUT, RewriteOutcome.FAILED)
Session = tuple[str, str]


@dataclass(slots=True)
class _State:
    """One session."""

    key: bytes = b""
    rewriting: Rewriting | None = None
    failures: int = 0
    resting_until: datetime | None = None
    warned: bool = False


class QueryRewriter:
    """Makes follow-ups whole. Safe for threads; one serves every session of a program.

    Args:
        model: Its own client, not the one of the conversation; None: nothing is rewritten, and each result
            says ``skipped_no_model``.
        gate: When the model is asked.
        timeout_ms: How long it may take; a late answer is thrown away.
        history_turns: Pairs of messages that it is shown, the last ones.
        embedder: For the ``embedding`` gate.
        exemplars: For the ``embedding`` gate.
        threshold: For the ``embedding`` gate: least cosine, -1 to 1.
        clock: When a breaker closes again.
    """

    def __init__(
        self,
        model: ChatModel | None,
        *,
        gate: RewriteGate | str = RewriteGate.HEURISTIC,
        timeout_ms: int = 10_000,
        history_turns: int = 3,
        embedder: Embedder | None = None,
        exemplars: Sequence[str] = EXEMPLARS,
        threshold: float = THRESHOLD,
        clock: Clock | None = None,
    ) -> None:
        self._model = model
        self._gate = _gate(member(RewriteGate, "gate", gate), embedder, exemplars, threshold=threshold)
        self._timeout_ms = whole_number("timeout_ms", timeout_ms, least=1)
        self._rows = 2 * whole_number("history_turns", history_turns, least=1, most=50)
        self._clock = clock or SystemClock()
        self._states: OrderedDict[Session, _State] = OrderedDict()
        self._lock = threading.Lock()
        self._warnings: list[str] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """A line for an operator for each session whose calls failed three times in a row."""
        with self._lock:
            return tuple(self._warnings)

    def rewrite(
        self,
        message: str,
        history: Sequence[Spoken] = (),
        *,
        subject: str,
        session: str = "",
        aborted: Callable[[], bool] = lambda: False,
    ) -> Rewriting:
        """What finds candidates for a message. Never raises.

        The same message after the same history gives what was found the first time, also a failure.

        Args:
            message: As it was said.
            history: What was said before, oldest first.
            subject: Whose conversation.
            session: Which one.
            aborted: Has the caller lost interest? What it stops isn't remembered.
        """
        rows = [one for one in history if one.role in _SPEAKERS and one.text.strip()][-self._rows :]
        if (skipped := self._skipped(message, rows)) is not None:
            return Rewriting(outcome=skipped)
        state, key = self._state((subject, session)), _key(message, rows)
        if state.key == key and state.rewriting is not None:
            return replace(state.rewriting, remembered=True)
        if aborted():
            return Rewriting(outcome=RewriteOutcome.ABORTED)
        rewriting = self._asked(message, rows, session, state)
        if aborted():
            return Rewriting(outcome=RewriteOutcome.ABORTED)
        state.key, state.rewriting = key, rewriting
        return rewriting

    def _skipped(self, message: str, rows: Sequence[Spoken]) -> RewriteOutcome | None:
        if not message.strip():
            return RewriteOutcome.SKIPPED_EMPTY
        if self._model is None:
            return RewriteOutcome.SKIPPED_NO_MODEL
        if not rows:
            return RewriteOutcome.SKIPPED_NO_HISTORY
        return None if self._gate.opens(message) else RewriteOutcome.SKIPPED_NOT_REFERENTIAL

    def _asked(self, message: str, rows: Sequence[Spoken], session: str, state: _State) -> Rewriting:
        if self._model is None or (
            state.resting_until is not None and self._clock.now() < state.resting_until
        ):
            return Rewriting(outcome=RewriteOutcome.SKIPPED_BREAKER_OPEN)
        rewriting = _answer(self._model, message, rows, session=session, timeout_ms=self._timeout_ms)
        with self._lock:
            self._count(state, rewriting.outcome in _FAILED)
        return rewriting

    def _count(self, state: _State, failed: bool) -> None:  # noqa: FBT001 - private, and says what it is
        state.failures = state.failures + 1 if failed else 0
        resting = state.failures >= _FAILURES
        state.resting_until = self._clock.now() + _REST if resting else None
        if resting and not state.warned:
            state.warned = True
            self._warnings.append(
                f"the query rewriter failed {_FAILURES} times in a row in one session; "
                "look at its model, or allow more with rewriter_timeout_ms"
            )

    def _state(self, session: Session) -> _State:
        with self._lock:
            state = self._states.setdefault(session, _State())
            self._states.move_to_end(session)
            while len(self._states) > MOST_SESSIONS:
                self._states.popitem(last=False)
            return state


def _answer(
    model: ChatModel, message: str, rows: Sequence[Spoken], *, session: str, timeout_ms: int
) -> Rewriting:
    try:
        reply = ask_within(model, prompt(message, rows, f"rewriter:{session}"), timeout_ms=timeout_ms)
    except ChatUnavailable as error:
        late = error.reason == "timeout"
        outcome = RewriteOutcome.TIMEOUT if late else RewriteOutcome.FAILED
        return Rewriting(outcome=outcome, reason=error.reason)
    query = read(reply)
    if query is None:
        if answered(reply):
            return Rewriting(outcome=RewriteOutcome.SELF_CONTAINED)
        return Rewriting(outcome=RewriteOutcome.FAILED, reason="invalid_reply")
    same = query.casefold() == message.strip().casefold()
    return Rewriting(
        outcome=RewriteOutcome.SELF_CONTAINED if same else RewriteOutcome.OK, query=None if same else query
    )


def _key(message: str, rows: Sequence[Spoken]) -> bytes:
    """SHA-256 of the message and of what was said before, each part with its length."""
    hasher = hashlib.sha256()
    for part in (message, *(text for one in rows for text in (one.role, one.text))):
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(f"{len(data)}:".encode())
        hasher.update(data)
    return hasher.digest()


def _gate(
    kind: RewriteGate, embedder: Embedder | None, exemplars: Sequence[str], *, threshold: float
) -> Gate:
    match kind:
        case RewriteGate.HEURISTIC:
            return HeuristicGate()
        case RewriteGate.ALWAYS:
            return AlwaysGate()
        case RewriteGate.EMBEDDING:
            if embedder is None:
                raise InvalidInput("embedder", "the embedding gate needs one")
            return EmbeddingGate(embedder, exemplars, threshold=threshold)
