"""The first step of a fact's way in: entity, predicate and object, checked, to a draft."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from atmem_core.clock import Clock, from_micros, to_micros
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.policy.predicates import folded, is_single, predicate_key
from atmem_core.records import (
    OWNER,
    FactDraft,
    NoteDraft,
    RecordKind,
    Scope,
    Source,
    label,
    member,
    shown,
)
from atmem_core.remember.ingest import checked_tags, checked_trust
from atmem_core.text import canonical, correctable, digest, search_text, storable, tokenise, without_fence

MAX_ENTITY_CHARS = 200
MAX_PREDICATE_CHARS = 200
MAX_OBJECT_CHARS = 2_000
_MINE = re.compile(r"(?:(my)|(?:the\s+)?user['’]?s)\s+(\S.*)", re.I)
_POSSESSED = f"{OWNER}'s "
_SELF = frozenset({"i", "me", "myself", "my self", "self", "speaker", "the speaker"})
_OWNER = frozenset({OWNER, "the user", "users", "owner", "human", "the human"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a caller of ``facts.add`` gives, as given."""

    entity: object
    predicate: object
    object: object
    scope: Scope
    speaker: str = "user"
    source: str = "user"
    trust: float | None = None
    confidence: float = 1.0
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source_id: str | None = None
    single: bool | None = None
    """Can the predicate have one value at a time? None goes by the list of known ones."""
    tags: Iterable[str] = ()


def draft_fact(statement: Statement, clock: Clock) -> FactDraft:
    """Check a statement and derive all that the store indexes.

    Raises:
        InvalidInput: An argument is of the wrong kind or out of range.
        WriteRefused: ``empty_text``, ``text_too_long`` or ``only_recalled_memory``.
    """
    speaker = label("speaker", statement.speaker)
    entity = whose(_part("entity", statement.entity, MAX_ENTITY_CHARS), speaker)
    predicate = _part("predicate", statement.predicate, MAX_PREDICATE_CHARS)
    stated = _part("object", statement.object, MAX_OBJECT_CHARS)
    now = clock.now()
    valid_from, dated = _start(statement, now)
    entity_key, about = folded(entity), predicate_key(predicate)
    key = digest(statement.scope.project, entity_key, about)
    note = _record(statement, f"{_spoken(entity, speaker)} {_spaced(predicate)} {stated}", clock, now)
    return FactDraft(
        note=note,
        entity=entity,
        predicate=predicate,
        object=stated,
        entity_key=entity_key,
        predicate_key=about,
        key=key,
        triple=digest(key, folded(stated)),
        single=is_single(predicate) if statement.single is None else bool(statement.single),
        confidence=_confidence(statement.confidence),
        valid_from=valid_from,
        dated=dated,
        source_id=None if statement.source_id is None else label("source_id", statement.source_id),
    )


def whose(entity: str, speaker: str) -> str:
    """Who is meant: a named speaker's "I" is the speaker, nobody else's; the owner has one name."""
    plain = folded(entity)
    teller = OWNER if speaker.casefold() == OWNER else speaker
    if plain in _SELF:
        return teller
    if plain in _OWNER:
        return OWNER
    mine = _MINE.match(entity)
    if mine:
        return f"{teller if mine[1] else OWNER}'s {mine[2]}"
    return entity


def _spoken(entity: str, speaker: str) -> str:
    """As the owner says it, "my sister": judgement reads whose it is out of the text."""
    if speaker.casefold() == OWNER and entity.startswith(_POSSESSED):
        return "my " + entity.removeprefix(_POSSESSED)
    return entity


def _record(statement: Statement, text: str, clock: Clock, now: datetime) -> NoteDraft:
    source = member(Source, "source", statement.source)
    tokens = tokenise(text)
    fact_id = clock.new_id("f")
    return NoteDraft(
        id=fact_id,
        scope=statement.scope,
        text=text,
        speaker=statement.speaker,
        source=source,
        trust=checked_trust(statement.trust, source),
        content_hash=digest(canonical(text)),
        # Which facts say the same is for consolidation to tell: no two records are one for their text.
        dedupe_hash=digest(RecordKind.FACT.value, fact_id),
        search_text=search_text(tokens),
        token_count=len(tokens),
        vocabulary=frozenset(token.word for token in tokens if correctable(token)),
        created_at=now,
        kind=RecordKind.FACT,
        tags=checked_tags(statement.tags),
        occurred_at=_utc("occurred_at", statement.occurred_at),
        valid_from=_utc("valid_from", statement.valid_from),
        valid_to=_utc("valid_to", statement.valid_to),
    )


def _start(statement: Statement, now: datetime) -> tuple[datetime, bool]:
    """When it begins to hold, and whether that was given: else when it was said, or else now."""
    given = _utc("valid_from", statement.valid_from)
    start = given or _utc("occurred_at", statement.occurred_at) or now
    end = _utc("valid_to", statement.valid_to)
    if end is not None and end <= start:
        hint = "" if given else "; give valid_from too, since it is over already"
        raise InvalidInput("valid_to", f"{end} must be after valid_from {start}{hint}")
    return start, given is not None


def _part(name: str, value: object, most: int) -> str:
    if not isinstance(value, str):
        raise InvalidInput(name, f"must be a text, got {type(value).__name__}")
    text = " ".join(storable(value).split())
    if not text:
        raise WriteRefused("empty_text", f"the {name} is empty; a fact has entity, predicate and object")
    if len(text) > most:
        raise WriteRefused("text_too_long", f"the {name} has {len(text)} characters, at most {most} fit")
    if not without_fence(text).strip():
        raise WriteRefused("only_recalled_memory", f"the {name} is a recalled block and nothing else")
    return text


def _spaced(predicate: str) -> str:
    return " ".join(predicate.replace("_", " ").split())


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("confidence", f"must be a number from 0 to 1, got {shown(value)}")
    return float(value)


def _utc(name: str, value: datetime | None) -> datetime | None:
    return None if value is None else from_micros(to_micros(value, name))
