"""What can be done with a lesson and with a procedure alike."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Generic, TypedDict, TypeVar

from atmem_core.advice.drafting import ACTIVATION_CHARS, checked_marks, checked_said
from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import InvalidInput, NotFound
from atmem_core.policy.advice import POOL, Worth, by_words, by_worth
from atmem_core.policy.question import read_query
from atmem_core.policy.trust import low_trust
from atmem_core.policy.votes import voted
from atmem_core.records import (
    VOUCHED,
    Advice,
    AdviceStatus,
    Omitted,
    RecordKind,
    Scope,
    Source,
    label,
    member,
    whole_number,
)
from atmem_core.remember.ingest import checked_trust
from atmem_core.remember.vote import checked_vote
from atmem_core.store.advice_protocol import HeldAdvice, Staleness, Standing
from atmem_core.store.protocol import Store
from atmem_core.text import search_text, tokenise
from atmem_core.text.instructions import instruction_flags

A = TypeVar("A", bound=Advice)
MOST_RECALLED = 10
_MOST_LISTED = 100
_LAST = 2**31 - 1
Count = Callable[[str], int]


class About(TypedDict):
    """Fields of ``Advice`` that are given when it is stored."""

    scope: Scope
    activation: str
    tags: tuple[str, ...]
    source: Source
    trust: float
    created_at: datetime
    updated_at: datetime


class Shelf(Generic[A]):
    """Advice of one kind. It is told and never carried out."""

    _kind: RecordKind

    def __init__(self, store: Store, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def get(self, advice_id: str, *, subject: str) -> A:
        """One of them, whatever its state. Raises NotFound."""
        found: A = self._store.advice_store.get(  # type: ignore[assignment]  # of this kind
            label("subject", subject), label("advice_id", advice_id), self._kind
        )
        return found

    def deprecate(self, advice_id: str, *, subject: str) -> tuple[str, ...]:
        """Take it out of recall for good; nothing is deleted. A lesson's procedures go along.

        Returns:
            Ids that changed.

        Raises:
            NotFound: The subject has none of this id.
        """
        who, which = label("subject", subject), label("advice_id", advice_id)
        changed = self._store.advice_store.deprecate(who, which, self._kind, at=self._clock.now())
        return tuple(changed)

    def outcome(self, advice_id: str, *, success: bool, subject: str) -> A:
        """Say that following it worked, or didn't; both order what is recalled.

        Raises:
            NotFound: The subject has none of this id.
        """
        if not isinstance(success, bool):
            raise InvalidInput("success", "must be True or False")
        who, which = label("subject", subject), label("advice_id", advice_id)
        self._store.advice_store.count_outcome(who, which, self._kind, success=success, at=self._clock.now())
        return self.get(which, subject=who)

    def vote(
        self,
        advice_id: str,
        direction: int,
        *,
        subject: str,
        session: str | None = None,
        turn: str | None = None,
    ) -> float:
        """Say that it helped, 1, or didn't, -1; the new score, -50 to 50. Each vote fades with later ones.

        Raises:
            NotFound: The subject has none of this id.
        """
        return self._store.advice_store.vote(
            label("subject", subject),
            label("advice_id", advice_id),
            self._kind,
            checked_vote(direction, self._clock, session=session, turn=turn),
            rule=voted,
            most=self._config.vote_log_max_rows,
        )

    def used(self, advice_ids: Sequence[str], *, subject: str) -> None:
        """Count one use of each; a host calls it once a turn, reads never do."""
        if isinstance(advice_ids, str):
            raise InvalidInput("advice_ids", "must be a list of ids")
        ids = [label("advice_ids", one) for one in advice_ids]
        self._store.advice_store.count_uses(label("subject", subject), ids, self._kind, at=self._clock.now())

    def deprecate_stale(self, *, subject: str) -> tuple[str, ...]:
        """Deprecate advice that never helped and is old, that was voted down, or that is too much."""
        now = self._clock.now()
        stale = Staleness(
            unused_before=now - timedelta(days=self._config.advice_unused_days),
            most=self._config.advice_max_entries,
        )
        who = label("subject", subject)
        return tuple(dict.fromkeys(self._store.advice_store.deprecate_stale(who, stale, at=now)))

    def _about(
        self, activation: str, scope: Scope, tags: Iterable[str], *, source: str, trust: float | None
    ) -> About:
        """What lessons and procedures have in common, checked."""
        given, now = member(Source, "source", source), self._clock.now()
        return {
            "scope": scope,
            "activation": checked_said("activation", activation, ACTIVATION_CHARS, self._config.redaction),
            "tags": checked_marks(tags),
            "source": given,
            "trust": checked_trust(trust, given),
            "created_at": now,
            "updated_at": now,
        }

    def _listed(
        self, subject: str, project: str | None, status: str | None, *, limit: int, offset: int
    ) -> list[A]:
        found: list[A] = self._store.advice_store.advice(  # type: ignore[assignment]  # of this kind
            label("subject", subject),
            self._kind,
            project=None if project is None else label("project", project),
            status=None if status is None else member(AdviceStatus, "status", status),
            limit=whole_number("limit", limit, least=1, most=_MOST_LISTED),
            offset=whole_number("offset", offset, least=0, most=_LAST),
        )
        return found

    def _recalled(self, query: str, subject: str, project: str | None, k: int) -> tuple[list[A], list[str]]:
        """The best that may be told, and ids of better ones that may not until a person has looked."""
        if not isinstance(query, str):
            raise InvalidInput("query", f"must be a text, got {type(query).__name__}")
        who, k = label("subject", subject), whole_number("k", k, least=1, most=MOST_RECALLED)
        project = None if project is None else label("project", project)
        terms = read_query(query, max_chars=self._config.query_max_chars).terms
        standing = self._store.advice_store.standing(who, self._kind, project=project) if terms else ()
        fit: dict[str, A] = {}
        pool: list[Worth] = []
        held_back: list[str] = []
        for one in by_words(terms, [_worth(one) for one in standing]):
            if len(pool) == POOL * k:
                break
            advice = self.get(one.record_id, subject=who)
            if may_be_told(advice):
                fit[advice.id] = advice
                pool.append(one)
            else:
                held_back.append(advice.id)
        return [fit[one.record_id] for one in by_worth(pool, k=k)], held_back

    def _put(self, advice: A) -> A:
        """Store it. Raises NotFound for a parent that the subject doesn't have."""
        self._check_parents(advice)
        self._store.advice_store.put(advice.scope.subject, [held(advice)])
        return advice

    def _check_parents(self, advice: Advice) -> None:
        for parent in advice.parent_ids:
            note = self._store.get(advice.scope.subject, parent)
            if note.superseded_by is not None or note.forgotten_at is not None:
                raise NotFound(f"note {parent!r} was superseded or forgotten; name its newest version")
            if note.scope.project != advice.scope.project:
                raise InvalidInput("parent_ids", "are notes of another project")


def _worth(one: Standing) -> Worth:
    return Worth(
        record_id=one.id,
        search_text=one.search_text,
        vote_score=one.vote_score,
        successes=one.success_count,
        failures=one.failure_count,
    )


def held(advice: Advice) -> HeldAdvice:
    """It, with the words that find it."""
    return HeldAdvice(advice=advice, search_text=search_text(tokenise(said(advice))))


def commands(advice: Advice) -> bool:
    """Does it command its reader, and nobody vouched for it?"""
    return advice.trust < VOUCHED and bool(instruction_flags(said(advice)))


def may_be_told(advice: Advice) -> bool:
    """Not what a page or an unchecked tool said, nor what commands its reader, unless a person vouched."""
    return not (low_trust(advice.source, advice.trust) or commands(advice))


def said(advice: Advice) -> str:
    """All that it says, for its words."""
    return " ".join([advice.activation, advice.told, *advice.tags])


def fitting(advice: Sequence[A], budget: int | None, count: Count) -> tuple[list[A], tuple[Omitted, ...]]:
    """Those that fit, each whole, in their order; and the others with their cost."""
    if budget is None:
        return list(advice), ()
    left = whole_number("budget_tokens", budget, least=0, most=_LAST)
    kept, omitted = [], []
    for one in advice:
        cost = count(f"{one.activation}: {one.told}")
        if cost <= left:
            left -= cost
            kept.append(one)
        else:
            omitted.append(Omitted(record_id=one.id, tokens=cost))
    return kept, tuple(omitted)
