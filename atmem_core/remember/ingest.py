"""The first step of the write path: a text and its circumstances, checked, to a draft.

Everything that can be refused is refused here, before a lock is taken. What can be mended without
changing the meaning (NUL, lone surrogates) is mended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from atmem_core.clock import Clock, from_micros, to_micros
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import NoteDraft, RecordKind, Scope, Source, attributed, label, member, shown
from atmem_core.text import (
    Token,
    canonical,
    correctable,
    digest,
    search_text,
    storable,
    tokenise,
    without_fence,
)
from atmem_core.text.near import near_keys

MAX_TEXT_CHARS = 4_000
"""Longest note, in characters after trimming. A longer one is refused: a cut note would tell lies."""
MAX_TAG_CHARS = 40
MAX_TAGS = 16
DEFAULT_TRUST = {
    Source.USER: 0.9,
    Source.IMPORT: 0.7,
    Source.ASSISTANT: 0.5,
    Source.TOOL: 0.4,
    Source.WEB: 0.2,
}
"""Trust of a note whose writer gave none, by source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What a caller of ``remember`` gives, as given."""

    text: object
    scope: Scope
    speaker: str = "user"
    source: str = "user"
    trust: float | None = None
    tags: Iterable[str] = ()
    kind: str = "note"
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    idempotency_key: str | None = None


def draft(telling: Telling, clock: Clock) -> NoteDraft:
    """Check a telling and derive all that the store indexes.

    Raises:
        InvalidInput: An argument is of the wrong kind or out of range.
        WriteRefused: ``empty_text``, ``text_too_long``, ``only_recalled_memory`` or
            ``kind_not_stored_here``.
    """
    text = _text(telling.text)
    source = member(Source, "source", telling.source)
    kind = _kind(telling.kind)
    speaker = label("speaker", telling.speaker)
    valid_from, valid_to = _interval(telling)
    scope = telling.scope
    content = canonical(text)
    tokens = indexed_tokens(text, speaker)
    interval = tuple(None if at is None else str(to_micros(at)) for at in (valid_from, valid_to))
    return NoteDraft(
        id=clock.new_id("n"),
        scope=scope,
        text=text,
        speaker=speaker,
        source=source,
        trust=checked_trust(telling.trust, source),
        content_hash=digest(content),
        dedupe_hash=digest(
            scope.project, scope.session, scope.agent, speaker, kind.value, *interval, content
        ),
        search_text=search_text(tokens),
        token_count=len(tokens),
        vocabulary=frozenset(token.word for token in tokens if correctable(token)),
        near_keys=near_keys(frozenset(token.word for token in tokens)),
        created_at=clock.now(),
        kind=kind,
        tags=checked_tags(telling.tags),
        occurred_at=_moment("occurred_at", telling.occurred_at),
        valid_from=valid_from,
        valid_to=valid_to,
        idempotency_key=_key(telling.idempotency_key),
    )


def _interval(telling: Telling) -> tuple[datetime | None, datetime | None]:
    """``valid_from``, inclusive, and ``valid_to``, exclusive."""
    start = _moment("valid_from", telling.valid_from)
    end = _moment("valid_to", telling.valid_to)
    if start is not None and end is not None and end <= start:
        raise InvalidInput("valid_to", f"{end} must be after valid_from {start}")
    return start, end


def indexed_tokens(text: str, speaker: str) -> list[Token]:
    """Tokens of the keyword index: a named speaker's name, then the text."""
    return tokenise(attributed(speaker, text))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput("text", f"must be a text, got {type(value).__name__}")
    text = storable(value).strip()
    if not text:
        raise WriteRefused("empty_text", "the text is empty; give at least one character")
    if len(text) > MAX_TEXT_CHARS:
        raise WriteRefused(
            "text_too_long",
            f"{len(text)} characters, at most {MAX_TEXT_CHARS} fit in a note; split it into statements",
        )
    if not without_fence(text).strip():
        raise WriteRefused("only_recalled_memory", "the text is a recalled block and nothing else")
    return text


def _kind(value: str) -> RecordKind:
    kind = member(RecordKind, "kind", value)
    if kind is not RecordKind.NOTE:
        raise WriteRefused("kind_not_stored_here", f"remember stores notes, not {kind.value!r}")
    return kind


def checked_trust(value: object, source: Source) -> float:
    """The trust given, or else the source's. Raises InvalidInput unless it is from 0 to 1."""
    if value is None:
        return DEFAULT_TRUST[source]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("trust", f"must be a number from 0 to 1, got {shown(value)}")
    return float(value)


def checked_tags(values: object) -> tuple[str, ...]:
    """Tags, trimmed and once each in first order; case is kept.

    Raises:
        InvalidInput: Not a list of texts, a blank or over-long one, or more than 16.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput("tags", f"must be a list of texts, got {shown(values)}")
    tags: dict[str, None] = {}
    for value in values:
        tag = label("tags", value).strip()
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidInput("tags", f"{len(tag)} characters in one tag, at most {MAX_TAG_CHARS} fit")
        tags[tag] = None
    if len(tags) > MAX_TAGS:
        raise InvalidInput("tags", f"{len(tags)} tags, at most {MAX_TAGS} fit")
    return tuple(tags)


def _moment(field: str, value: datetime | None) -> datetime | None:
    """The instant in UTC, to the microsecond."""
    return None if value is None else from_micros(to_micros(value, field))


def _key(value: str | None) -> str | None:
    return None if value is None else label("idempotency_key", value)
