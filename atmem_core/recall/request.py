"""What a caller asks of a read, checked before anything is opened."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from atmem_core.clock import to_micros
from atmem_core.errors import InvalidInput
from atmem_core.records import RecordKind, Scope, label, member, shown, whole_number
from atmem_core.store.protocol import ReadFilter

MAX_K = 50
MAX_DEADLINE_MS = 3_600_000
"""An hour: more is a slip, and more than a thread can wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One read: whose memory, which part, by when."""

    scope: Scope
    tags: tuple[str, ...] = ()
    kinds: tuple[RecordKind, ...] = ()
    as_of: datetime | None = None
    deadline_ms: float | None = None

    def filter(self, now: datetime) -> ReadFilter:
        """The store's filter, at ``as_of`` or else now."""
        return ReadFilter(
            scope=self.scope,
            at=self.as_of or now,
            as_of=self.as_of is not None,
            tags=self.tags,
            kinds=self.kinds,
        )


def request(
    scope: Scope,
    *,
    tags: Iterable[str] = (),
    kinds: Iterable[str] = (),
    as_of: datetime | None = None,
    deadline_ms: float | None = None,
) -> Request:
    """Check the options of a read.

    Raises:
        InvalidInput: A text instead of a list, an unknown kind, a naive ``as_of``, a deadline that
            isn't above 0.
    """
    for field, values in (("tags", tags), ("kinds", kinds)):
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidInput(field, f"must be a list of texts, got {shown(values)}")
    if as_of is not None:
        to_micros(as_of, "as_of")
    _check_deadline(deadline_ms)
    return Request(
        scope=scope,
        tags=tuple(label("tags", tag) for tag in tags),
        kinds=tuple(member(RecordKind, "kinds", kind) for kind in kinds),
        as_of=as_of,
        deadline_ms=deadline_ms,
    )


def _check_deadline(value: object) -> None:
    if value is None:
        return
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    if not 0 < number <= MAX_DEADLINE_MS:
        raise InvalidInput("deadline_ms", f"must be above 0, at most {MAX_DEADLINE_MS}, got {shown(value)}")


def checked_text(query: object) -> str:
    """The query. Raises InvalidInput when it isn't a text or is blank."""
    if not isinstance(query, str):
        raise InvalidInput("query", f"must be a text, got {type(query).__name__}")
    if not query.strip():
        raise InvalidInput("query", "is empty; ask something")
    return query


def checked_k(k: object) -> int:
    """``k``. Raises InvalidInput unless it is a whole number from 1 to 50."""
    return whole_number("k", k, least=1, most=MAX_K)
