"""An item of a store as a note, and back again, exactly."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import Item

from atmem_core import InvalidInput, Note

_PREFIX = "lg-in:"
_FIELD = "lg-field:"
_SINCE = "lg-since:"
_LONGEST_FIELD = 24
_DIGEST_DIGITS = 24
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda held, wanted: held == wanted,
    "$ne": lambda held, wanted: held != wanted,
    "$gt": lambda held, wanted: float(held) > float(wanted),
    "$gte": lambda held, wanted: float(held) >= float(wanted),
    "$lt": lambda held, wanted: float(held) < float(wanted),
    "$lte": lambda held, wanted: float(held) <= float(wanted),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where an item lies."""

    namespace: tuple[str, ...]
    key: str

    @classmethod
    def of_note(cls, note: Note) -> "Address":
        """The address that a note was stored under."""
        return cls(
            namespace=tuple(json.loads(note.scope.project or "[]")),
            key=json.loads(note.scope.session or '""'),
        )

    @property
    def project(self) -> str:
        """The namespace, reversibly."""
        return json.dumps(self.namespace)

    @property
    def session(self) -> str:
        """The key, reversibly: in quotes, since a scope's part is never blank."""
        return json.dumps(self.key)

    def tags(self, written: "ItemText", since: datetime | None) -> list[str]:
        """One for each prefix of the namespace, and what the text doesn't say."""
        tags = [prefix_tag(self.namespace[:depth]) for depth in range(len(self.namespace) + 1)]
        if written.field is not None:
            tags.append(f"{_FIELD}{written.field}")
        if since is not None:
            tags.append(f"{_SINCE}{since.timestamp():.6f}")
        return tags


def prefix_tag(prefix: Sequence[str]) -> str:
    """A tag that all below a prefix share and nothing else has: equality of labels, not of characters."""
    joined = json.dumps(list(prefix)).encode()
    return _PREFIX + hashlib.sha256(joined).hexdigest()[:_DIGEST_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText:
    """A value as a note's text."""

    text: str
    field: str | None
    """The key of the value's only text; None when the text is the whole value as JSON."""

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "ItemText":
        """The text of a value.

        Raises:
            InvalidInput: The value isn't JSON.
        """
        if len(value) == 1:
            ((field, text),) = value.items()
            if _plain(field, text):
                return cls(text=text, field=field)
        try:
            written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
            if "\0" in written or not written.isprintable():
                written = json.dumps(dict(value), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidInput("value", f"is no JSON: {type(error).__name__}") from None
        if json.loads(written) != value:
            raise InvalidInput("value", "changes on its way through JSON; use texts for keys, and lists")
        return cls(text=written, field=None)

    @classmethod
    def of_note(cls, note: Note) -> "ItemText":
        """What a note was stored with."""
        named = [tag.removeprefix(_FIELD) for tag in note.tags if tag.startswith(_FIELD)]
        return cls(text=note.text, field=named[0] if named else None)

    def value(self) -> dict[str, Any]:
        """The value again."""
        if self.field is not None:
            return {self.field: self.text}
        value: dict[str, Any] = json.loads(self.text)
        return value


def item_of(note: Note) -> Item:
    """The item that a note holds."""
    address = Address.of_note(note)
    since = [float(tag.removeprefix(_SINCE)) for tag in note.tags if tag.startswith(_SINCE)]
    return Item(
        value=ItemText.of_note(note).value(),
        key=address.key,
        namespace=address.namespace,
        created_at=datetime.fromtimestamp(since[0], note.created_at.tzinfo) if since else note.created_at,
        updated_at=note.created_at,
    )


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value passes a filter: equality by key, or operators such as ``{"$gt": 3}``."""
    return all(_passes(value.get(key), one) for key, one in (wanted or {}).items())


def _passes(held: object, wanted: object) -> bool:
    if not isinstance(wanted, Mapping):
        return held == wanted
    if not any(str(name).startswith("$") for name in wanted):
        return isinstance(held, Mapping) and all(_passes(held.get(name), one) for name, one in wanted.items())
    for name, one in wanted.items():
        if name not in _OPERATORS:
            raise InvalidInput("filter", f"knows {', '.join(_OPERATORS)}, got {name}")
        try:
            if not _OPERATORS[name](held, one):
                return False
        except (TypeError, ValueError):
            return False  # not comparable: a text with a number
    return True


def _plain(field: object, text: object) -> bool:
    """Whether a note keeps this text byte for byte, and a tag this field."""
    return (
        isinstance(field, str)
        and isinstance(text, str)
        and field.strip() == field != ""
        and len(field) <= _LONGEST_FIELD
        and field.isprintable()
        and text.strip() == text != ""
        and all(char.isprintable() or char in "\n\t" for char in text)
        and "<atmem-memory" not in text.lower()
    )
