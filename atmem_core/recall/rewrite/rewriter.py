"""The query rewriter: gate, memory of the last message, breaker, one bounded call, answer.

Rule: what it gives finds candidates and establishes no support. It never raises, never waits longer than its
limit, and no failure of it reaches the model that the turn is about: calls bear a session of their own,
``rewriter:`` and the host's, so that whoever chooses among providers keeps a state for them apart.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from atmem_core.chat import ChatModel, ChatPrompt
from atmem_core.clock import Clock, SystemClock
from atmem_core.embedding import Embedder
from atmem_core.errors import ChatUnavailable, InvalidInput
from atmem_core.recall.rewrite.answer import NoAnswer, query_in
from atmem_core.recall.rewrite.conversations import FAILURES, Conversation, Conversations
from atmem_core.recall.rewrite.exemplars import EXEMPLARS
from atmem_core.recall.rewrite.late import Aborted, Calls, Crowded, Late, Patience
from atmem_core.recall.rewrite.nearness import Nearness
from atmem_core.recall.rewrite.prompt import SPEAKERS, prompt
from atmem_core.records import RewriteGate, RewriteOutcome, Rewriting, Spoken, whole_number
from atmem_core.text import canonical, digest, points_back

SESSION_PREFIX = "rewriter:"
_MOST_CALLS = 64
"""At once, over all sessions, those included that nobody waits for any more."""
_FAILED = frozenset({RewriteOutcome.TIMEOUT, RewriteOutcome.FAILED})
_REASONS: Mapping[type[Exception], str] = {NoAnswer: "no_answer", Crowded: "too_many_calls"}
_NO_GATE = "gate_unavailable"
_WARNING = (
    "The query rewriter failed {failures} times in a row in one session, last with {reason}: follow-up "
    "questions are recalled by their own words alone. See that its model answers, or raise "
    "rewriter_timeout_ms."
)


def _never() -> bool:
    return False


class QueryRewriter:
    """Rewrites messages that need what was said before them. Safe for threads.

    Args:
        model: Who is asked: a client of its own, shared with no turn. Without one every message is skipped,
            and says so.
        gate: When a message is thought to need what was said before it.
        timeout_ms: For gate and call of one message together; a later answer is dropped.
        history_turns: Pairs of user and assistant that are read, the latest.
        embedder: For ``RewriteGate.EMBEDDING``, which stays closed without.
        exemplars: Messages that need what was said before; that gate opens for what is near to one of them.
        threshold: Least cosine that is near, -1 to 1.
        clock: For how long calls rest after failures; the machine's when None.

    Raises:
        InvalidInput: An argument can't work.
    """

    def __init__(
        self,
        model: ChatModel | None,
        *,
        gate: RewriteGate = RewriteGate.HEURISTIC,
        timeout_ms: int = 10_000,
        history_turns: int = 3,
        embedder: Embedder | None = None,
        exemplars: Sequence[str] = EXEMPLARS,
        threshold: float = 0.65,
        clock: Clock | None = None,
    ) -> None:
        if not isinstance(gate, RewriteGate):
            raise InvalidInput("gate", f"must be a RewriteGate, got {gate!r}")
        if not -1 <= threshold <= 1:
            raise InvalidInput("threshold", f"must be from -1 to 1, got {threshold!r}")
        if isinstance(exemplars, str) or not exemplars:
            raise InvalidInput("exemplars", "must be one text or more, in a list")
        self._model = model
        self._timeout_ms = whole_number("timeout_ms", timeout_ms, least=1)
        self._rows = 2 * whole_number("history_turns", history_turns, least=1)
        self._gate = gate
        self._nearness = Nearness(embedder, exemplars, threshold=threshold)
        self._clock = clock or SystemClock()
        self._conversations = Conversations()
        self._calls = Calls(_MOST_CALLS)
        self._lock = threading.Lock()
        self._counts: Counter[RewriteOutcome] = Counter()
        self._warning = ""

    @property
    def counts(self) -> Mapping[RewriteOutcome, int]:
        """How often each outcome was reached; what was remembered isn't counted again."""
        with self._lock:
            return dict(self._counts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its operator should see to: one sentence, once three calls of a session failed in a row."""
        with self._lock:
            return (self._warning,) if self._warning else ()

    def rewrite(
        self,
        message: str,
        history: Sequence[Spoken],
        *,
        subject: str,
        session: str | None,
        aborted: Callable[[], bool] = _never,
    ) -> Rewriting:
        """What finds further candidates for the message, or why there is nothing. Never raises.

        Asked again about a session's latest message, it returns what it returned before, a failure too.

        Args:
            message: What the user says now.
            history: What was said before, oldest first, without the message.
            subject: Whose conversation it is; two subjects never share what is remembered.
            session: Which conversation.
            aborted: Is the turn given up? Asked now and then while the model is waited for; such a call is
                left behind and not remembered.
        """
        try:
            done = self._rewritten(message, history, (subject, session), aborted)
        except Aborted:
            done = Rewriting(outcome=RewriteOutcome.ABORTED)
        except Late:
            done = Rewriting(outcome=RewriteOutcome.TIMEOUT)
        except Exception as error:  # noqa: BLE001 - a turn goes on without
            done = Rewriting(outcome=RewriteOutcome.FAILED, reason=type(error).__name__)
        if not done.remembered:
            with self._lock:
                self._counts[done.outcome] += 1
        return done

    def _rewritten(
        self,
        message: str,
        history: Sequence[Spoken],
        whose: tuple[str, str | None],
        aborted: Callable[[], bool],
    ) -> Rewriting:
        if not message or not message.strip():
            return Rewriting(outcome=RewriteOutcome.SKIPPED_EMPTY)
        if self._model is None:
            return Rewriting(outcome=RewriteOutcome.SKIPPED_NO_MODEL)
        said = [one for one in history if one.role in SPEAKERS and one.text.strip()][-self._rows :]
        if not said:
            return Rewriting(outcome=RewriteOutcome.SKIPPED_NO_HISTORY)
        key = digest(message, *(part for one in said for part in (one.role, one.text)))
        patience = Patience(self._timeout_ms, aborted)
        conversation = self._conversations.of(*whose)
        patience.wait(lambda seconds: conversation.turn.acquire(timeout=seconds))
        try:
            if known := conversation.remembered(key):
                return known
            done = self._gated(message, patience)
            if done is None:
                if conversation.rests(self._clock.now()):
                    return Rewriting(outcome=RewriteOutcome.SKIPPED_BREAKER_OPEN)
                asked = prompt(message, said, session=SESSION_PREFIX + (whose[1] or ""))
                done = self._asked(self._model, asked, message, patience)
                self._note(conversation, done)
            if not aborted():
                conversation.remember(key, done)
            return done
        finally:
            conversation.turn.release()

    def _gated(self, message: str, patience: Patience) -> Rewriting | None:
        """None: the gate is open."""
        try:
            if self._opens(message, patience):
                return None
        except Aborted:
            raise
        except Exception:  # noqa: BLE001 - a gate that fails stays closed, and says so
            return Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL, reason=_NO_GATE)
        return Rewriting(outcome=RewriteOutcome.SKIPPED_NOT_REFERENTIAL)

    def _opens(self, message: str, patience: Patience) -> bool:
        match self._gate:
            case RewriteGate.ALWAYS:
                return True
            case RewriteGate.HEURISTIC:
                return points_back(message)
            case RewriteGate.EMBEDDING:
                return self._calls.result(lambda: self._nearness.reaches(message), patience)

    def _asked(self, model: ChatModel, asked: ChatPrompt, message: str, patience: Patience) -> Rewriting:
        """What became of the one call. Raises Aborted."""
        try:
            reply = self._calls.result(lambda: model.complete(asked), patience)
            query = query_in(reply.text)
        except Aborted:
            raise
        except Late:
            return Rewriting(outcome=RewriteOutcome.TIMEOUT)
        except ChatUnavailable as error:
            late = error.reason == "timeout"
            outcome = RewriteOutcome.TIMEOUT if late else RewriteOutcome.FAILED
            return Rewriting(outcome=outcome, reason=error.reason)
        except Exception as error:  # noqa: BLE001 - a model may raise whatever it likes
            return Rewriting(
                outcome=RewriteOutcome.FAILED, reason=_REASONS.get(type(error), type(error).__name__)
            )
        if query is None or canonical(query) == canonical(message):
            return Rewriting(outcome=RewriteOutcome.SELF_CONTAINED)
        return Rewriting(outcome=RewriteOutcome.OK, query=query)

    def _note(self, conversation: Conversation, done: Rewriting) -> None:
        """Count the call for the conversation's breaker; warn once when the first one opens."""
        if done.outcome not in _FAILED:
            conversation.succeeded()
            return
        opened = conversation.failed(self._clock.now())
        with self._lock:
            if opened and not self._warning:
                self._warning = _WARNING.format(failures=FAILURES, reason=done.reason or done.outcome.value)
