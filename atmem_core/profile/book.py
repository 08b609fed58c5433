"""``memory.profile``: what is always, or by its keywords, worth knowing about a subject."""

import re
from collections.abc import Callable, Iterable, Sequence

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.policy.profile import bears_on
from atmem_core.policy.trust import low_trust
from atmem_core.policy.votes import HIDDEN, voted
from atmem_core.records import (
    VOUCHED,
    Omitted,
    ProfileFact,
    ProfileRecall,
    ProfileWritten,
    Source,
    label,
    member,
    shown,
    whole_number,
)
from atmem_core.remember.ingest import checked_trust
from atmem_core.remember.redaction import cleared
from atmem_core.remember.vote import checked_vote
from atmem_core.store.protocol import Store
from atmem_core.text import fold, storable, without_fence
from atmem_core.text.instructions import instruction_flags

_KEY = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,119}")
_VALUE_CHARS = 2_000
_KEYWORDS = 8
_KEYWORD_CHARS = 40
_LAST = 2**31 - 1
_MOST_KNOWN = 10_000
"""Ids whose text was looked at, remembered: a look costs a third of a millisecond."""


class Profile:
    """Profile facts of one memory. They belong to the subject as a whole: a profile has no project."""

    def __init__(self, store: Store, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._waiting: dict[str, bool] = {}

    def set(
        self,
        key: str,
        value: str,
        *,
        subject: str,
        pinned: bool = True,
        keywords: Iterable[str] = (),
        source: str = "user",
        trust: float | None = None,
        supersedes_key: str | None = None,
    ) -> ProfileWritten:
        """Give a key a value; the value before it stays readable in ``history``.

        A key is 1 to 120 letters, digits and ``_ . -``, the first a letter or digit; a value 1 to 2,000
        characters. A ``pinned`` fact is shown always, another one when a message holds one of its
        ``keywords``, at most 8 of 40 characters. ``supersedes_key`` names another key that it replaces.

        Raises:
            WriteRefused: ``empty_text``, ``text_too_long`` or ``secret_found``.
            InvalidInput: An argument is wrong.
        """
        given = member(Source, "source", source)
        fact = ProfileFact(
            id=self._clock.new_id("p"),
            subject=label("subject", subject),
            key=checked_key("key", key),
            value=self._value(value),
            pinned=checked_truth("pinned", pinned),
            keywords=() if pinned else checked_keywords(keywords),
            source=given,
            trust=checked_trust(trust, given),
            created_at=self._clock.now(),
        )
        other = None if supersedes_key is None else checked_key("supersedes_key", supersedes_key)
        most = self._config.profile_max_entries
        return self._store.profile_store.put(fact, supersedes_key=other, most=most)

    def _waits(self, fact: ProfileFact) -> bool:
        """Does it wait for a person's word: a command, or of a page or a tool? A version never changes."""
        known = self._waiting.get(fact.id)
        if known is None:
            low = low_trust(fact.source, fact.trust)
            commands = fact.trust < VOUCHED and bool(instruction_flags(f"{fact.key}: {fact.value}"))
            known = self._waiting[fact.id] = low or commands
            while len(self._waiting) > _MOST_KNOWN:
                self._waiting.pop(next(iter(self._waiting)), None)
        return known

    def _value(self, value: object) -> str:
        if not isinstance(value, str):
            raise InvalidInput("value", f"must be a text, got {type(value).__name__}")
        text = str(cleared(without_fence(storable(value)).strip(), self._config.redaction))
        if not text:
            raise WriteRefused("empty_text", "the value is empty; remove the key instead")
        if len(text) > _VALUE_CHARS:
            raise WriteRefused("text_too_long", f"{len(text)} characters, at most {_VALUE_CHARS} fit")
        return text

    def get(self, key: str, *, subject: str) -> ProfileFact:
        """The value of a key. Raises NotFound."""
        return self._store.profile_store.get(label("subject", subject), checked_key("key", key))

    def history(self, key: str, *, subject: str) -> "list[ProfileFact]":
        """Every value that a key had, oldest first; empty for a key that was never set."""
        return self._store.profile_store.history(label("subject", subject), checked_key("key", key))

    def list(self, *, subject: str, limit: int = 500, offset: int = 0) -> "list[ProfileFact]":
        """The value of each key, by key."""
        limit = whole_number("limit", limit, least=1, most=_LAST)
        offset = whole_number("offset", offset, least=0, most=_LAST)
        return [*self._store.profile_store.current(label("subject", subject))][offset : offset + limit]

    def remove(self, key: str, *, subject: str) -> bool:
        """Delete a key's value; earlier ones stay in ``history``. False when it has none.

        To keep it readable and out of contexts, ``forget`` its id; to remove all of it, ``erase`` the ids.
        """
        gone = self._store.profile_store.remove(label("subject", subject), checked_key("key", key))
        self._store.finish_erase()
        return gone is not None

    def vote(
        self,
        key: str,
        direction: int,
        *,
        subject: str,
        session: str | None = None,
        turn: str | None = None,
    ) -> ProfileFact:
        """Say that a fact helped, 1, or didn't, -1. Each vote fades by 5% with every later one.

        Raises:
            NotFound: The key has no value.
        """
        return self._store.profile_store.vote(
            label("subject", subject),
            checked_key("key", key),
            checked_vote(direction, self._clock, session=session, turn=turn),
            rule=voted,
            most=self._config.vote_log_max_rows,
        )

    def recall(
        self,
        query: str,
        *,
        subject: str,
        budget_tokens: int | None = None,
        count: Callable[[str], int] = len,
    ) -> ProfileRecall:
        """The facts to show for a message: pinned ones first, then those with a keyword in it; by key.

        Args:
            query: The message; empty for the pinned ones alone.
            subject: Whose profile.
            budget_tokens: Most of them together; what doesn't fit is named. None: all.
            count: Gives the size of a text for ``budget_tokens``; characters by default.
        """
        if not isinstance(query, str):
            raise InvalidInput("query", f"must be a text, got {type(query).__name__}")
        facts = self._store.profile_store.current(label("subject", subject))
        wanted = [one for one in facts if one.pinned or bears_on(one.keywords, query)]
        down = [one for one in wanted if one.vote_score <= HIDDEN]
        hidden = {one.id for one in down}
        held = [one for one in wanted if one.id not in hidden and self._waits(one)]
        hidden |= {one.id for one in held}
        wanted = [one for one in wanted if one.id not in hidden]
        wanted.sort(key=lambda one: (not one.pinned, one.key))
        kept, omitted = fitting(wanted, lambda one: f"{one.key}: {one.value}", budget_tokens, count)
        return ProfileRecall(
            facts=tuple(kept),
            omitted=omitted,
            voted_down=tuple(one.id for one in down),
            held=tuple(one.id for one in held),
        )


def fitting(
    facts: Sequence[ProfileFact],
    said: Callable[[ProfileFact], str],
    budget: int | None,
    count: Callable[[str], int],
) -> tuple[list[ProfileFact], tuple[Omitted, ...]]:
    """Those that fit, each whole, in their order; and the others with their cost."""
    if budget is None:
        return list(facts), ()
    left = whole_number("budget_tokens", budget, least=0, most=_LAST)
    kept, omitted = [], []
    for one in facts:
        cost = count(said(one))
        if cost <= left:
            left -= cost
            kept.append(one)
        else:
            omitted.append(Omitted(record_id=one.id, tokens=cost))
    return kept, tuple(omitted)


def checked_truth(field: str, value: object) -> bool:
    """The truth. Raises InvalidInput for anything else."""
    if not isinstance(value, bool):
        raise InvalidInput(field, f"must be True or False, got {shown(value)}")
    return value


def checked_key(field: str, key: object) -> str:
    """The key. Raises InvalidInput unless it is of the shape of one."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise InvalidInput(
            field,
            f"must be 1 to 120 letters, digits, _ . or -, the first a letter or digit; got {shown(key)}",
        )
    return key


def checked_keywords(values: object) -> tuple[str, ...]:
    """Keywords, trimmed, folded, once each. Raises InvalidInput."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput("keywords", f"must be a list of texts, got {shown(values)}")
    keywords = tuple(dict.fromkeys(fold(label("keywords", one).strip()) for one in values))
    if len(keywords) > _KEYWORDS or any(len(one) > _KEYWORD_CHARS for one in keywords):
        raise InvalidInput("keywords", f"at most {_KEYWORDS} of at most {_KEYWORD_CHARS} characters fit")
    return keywords
