"""Session history: what was said in a session, to browse and to extract from. No decision sees it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from atmem_core.clock import Clock, from_micros, to_micros
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.policy.lexical import bm25, idf
from atmem_core.records import (
    ExtractionState,
    Role,
    Scope,
    Source,
    Turn,
    TurnHit,
    label,
    member,
    whole_number,
)
from atmem_core.store.turn_protocol import TurnDraft, TurnStore
from atmem_core.text import STEMS, search_text, storable, tokenise, without_fence

MAX_TURN_CHARS = 200_000
"""Longest turn, in characters. A longer one is refused: it is a document."""
MOST_TURNS = 500
"""Most turns of one listing or search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One side of an exchange, as a caller gives it."""

    text: object
    scope: Scope
    role: str = "user"
    speaker: str | None = None
    """None: as the role."""
    source: str = "user"
    occurred_at: datetime | None = None
    """None: now."""
    idempotency_key: str | None = None


class SessionHistory:
    """The turns of sessions, in the order in which they were said."""

    def __init__(
        self, store: TurnStore, clock: Clock, *, clear: Callable[[Said], Said] = lambda said: said
    ) -> None:
        self._store = store
        self._clear = clear
        self._clock = clock

    def draft(self, said: Said, *, answers: str | None = None, waits: bool = False) -> TurnDraft:
        """Check a turn, and take out what was recalled into it.

        Raises:
            InvalidInput: An argument is of the wrong kind.
            WriteRefused: ``empty_text``, ``only_recalled_memory`` or ``text_too_long``.
        """
        if said.scope.session is None:
            raise InvalidInput("session", "is needed: a turn belongs to a session")
        said = self._clear(said)
        role = member(Role, "role", said.role)
        text = _text(said.text)
        at = self._clock.now() if said.occurred_at is None else said.occurred_at
        turn = Turn(
            id=self._clock.new_id("t"),
            scope=said.scope,
            role=role,
            speaker=label("speaker", role.value if said.speaker is None else said.speaker),
            source=member(Source, "source", said.source),
            text=text,
            created_at=from_micros(to_micros(at, "occurred_at")),
            answers=answers,
            extraction=ExtractionState.PENDING if waits else ExtractionState.NONE,
            idempotency_key=_key(said.idempotency_key),
        )
        return TurnDraft(turn=turn, search_text=search_text(tokenise(text)))

    def append(self, drafts: Sequence[TurnDraft]) -> list[Turn]:
        """Store turns in this order, one transaction; the stored ones for keys that were used before."""
        return self._store.append(drafts)

    def recent(self, subject: str, session: str, *, limit: int = 50) -> list[Turn]:
        """The newest turns of a session, newest first; ``limit`` is brought into 0 to 500."""
        most = min(whole_number("limit", max(limit, 0), least=0), MOST_TURNS)
        return self._store.recent(label("subject", subject), label("session", session), limit=most)

    def search(self, query: str, subject: str, session: str, *, limit: int = 20) -> list[TurnHit]:
        """Turns of one session that share a word with the query, best first; ties newest first.

        Every weight comes from this session alone.
        """
        texts = self._store.texts(label("subject", subject), label("session", session))
        terms = {STEMS[token.word] for token in tokenise(storable(query))}
        ranked = _ranked(terms, {turn_id: _counted(text) for turn_id, text in texts.items()})
        best = ranked[: min(whole_number("limit", max(limit, 0), least=0), MOST_TURNS)]
        turns = self._store.of_ids(subject, [turn_id for turn_id, _ in best])
        return [TurnHit(turn=turns[turn_id], score=score) for turn_id, score in best if turn_id in turns]


def _ranked(terms: set[str], documents: dict[str, Counter[str]]) -> list[tuple[str, float]]:
    """Ids and scores of the documents that hold a term, best first, ties in the given order."""
    frequencies = Counter(stem for counts in documents.values() for stem in terms & counts.keys())
    weights = {stem: idf(len(documents), frequencies[stem]) for stem in terms}
    lengths = {turn_id: counts.total() for turn_id, counts in documents.items()}
    mean = sum(lengths.values()) / max(len(lengths), 1)
    scored = []
    for turn_id, counts in documents.items():
        held = {stem: counts[stem] for stem in terms if counts[stem]}
        if held:
            scored.append((turn_id, bm25(held, weights, lengths[turn_id], mean)))
    return sorted(scored, key=lambda pair: -round(pair[1], 6))


def _counted(text: str) -> Counter[str]:
    return Counter(STEMS[word] for word in text.split(" ") if word)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput("text", f"must be a text, got {type(value).__name__}")
    whole = storable(value)
    text = without_fence(whole).strip()
    if not text:
        code = "only_recalled_memory" if whole.strip() else "empty_text"
        raise WriteRefused(code, "nothing is left of the turn; there is nothing to store")
    if len(text) > MAX_TURN_CHARS:
        raise WriteRefused(
            "text_too_long", f"{len(text)} characters, at most {MAX_TURN_CHARS} are a turn; import a document"
        )
    return text


def _key(value: str | None) -> str | None:
    return None if value is None else label("idempotency_key", value)
