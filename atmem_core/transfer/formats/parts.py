"""Looks at JSON values of unknown shape: what isn't of the kind that is asked for is none."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import InvalidInput
from atmem_core.records import ImportCode, Source
from atmem_core.text import storable
from atmem_core.transfer.formats.contract import LeftOut

_MILLION = 1_000_000
_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "chatgpt", "claude"})
_USERS = frozenset({"user", "human", "me"})


def mapping(value: object) -> Mapping[str, object]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> Sequence[object]:
    """A JSON array, or an empty one."""
    return value if isinstance(value, list) else ()


def words(value: object) -> str:
    """A text, or an empty one."""
    return value if isinstance(value, str) else ""


def named(value: object) -> str | None:
    """A text that isn't blank, trimmed; a whole number as a text; or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return storable(words(value)).strip() or None


def first_of(fields: Mapping[str, object], *names: str) -> object:
    """The first of these fields that is there and isn't null."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def seconds(value: object) -> datetime | None:
    """Seconds since 1970, whole or not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return from_micros(round(value * _MILLION))
    except (OverflowError, ValueError):
        return None


def iso(value: object) -> datetime | None:
    """An instant in ISO 8601; in UTC when it names no zone."""
    try:
        moment = datetime.fromisoformat(words(value).strip())
        return from_micros(to_micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC)))
    except (InvalidInput, OverflowError, ValueError):
        return None


def moment_of(value: object) -> datetime | None:
    """Seconds since 1970, or ISO 8601."""
    return iso(value) if isinstance(value, str) else seconds(value)


def speaker_of(role: str) -> tuple[str, Source]:
    """Speaker and source of a role or a name."""
    folded = role.casefold()
    if folded in _ASSISTANTS:
        return "assistant", Source.ASSISTANT
    return ("user" if folded in _USERS else role), Source.IMPORT


def malformed(what: str, where: str = "") -> LeftOut:
    """A part that isn't shaped as the format says."""
    return LeftOut(code=ImportCode.BAD_RECORD, message=what, where=where)


def place(*names: object) -> str:
    """Ids, most general first, joined by ``/``."""
    return "/".join(str(name) for name in names if name is not None)
