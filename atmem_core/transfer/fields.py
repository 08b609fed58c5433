"""Fields of a record's line. A message names the field and never its value: that may be what was told."""

from collections.abc import Mapping
from datetime import datetime

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import InvalidInput
from atmem_core.records import label, whole_number

_MOST = 2**62


class Fields:
    """Typed looks at the fields of one line. A field that is missing or null is None."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """A text that must be there."""
        found = self.maybe_text(name)
        if found is None:
            raise InvalidInput(name, "is missing")
        return found

    def maybe_text(self, name: str) -> str | None:
        """A text."""
        value = self._fields.get(name)
        if value is not None and not isinstance(value, str):
            raise InvalidInput(name, f"must be a text, got {type(value).__name__}")
        return value

    def name(self, name: str) -> str:
        """A label that must be there: short, not blank."""
        return label(name, self.text(name))

    def maybe_name(self, name: str) -> str | None:
        """A label."""
        found = self.maybe_text(name)
        return None if found is None else label(name, found)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; none when it isn't there."""
        value = self._fields.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InvalidInput(name, "must be a list of texts")
        return tuple(value)

    def number(self, name: str) -> float | None:
        """A number."""
        value = self._fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(name, f"must be a number, got {type(value).__name__}")
        return float(value)

    def sure_number(self, name: str) -> float:
        """A number that must be there."""
        found = self.number(name)
        if found is None:
            raise InvalidInput(name, "is missing")
        return found

    def inner(self, name: str) -> "Fields":
        """An object that must be there."""
        value = self._fields.get(name)
        if not isinstance(value, dict):
            raise InvalidInput(name, "must be an object")
        return Fields(value)

    def pairs(self, name: str) -> list["Fields"]:
        """A list of pairs, each with fields ``0`` and ``1``; none when it isn't there."""
        value = self._fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
            raise InvalidInput(name, "must be a list of pairs")
        return [Fields(dict(zip("01", one, strict=False))) for one in value]

    def whole(self, name: str) -> int:
        """A whole number from 0; 0 when it isn't there."""
        value = self._fields.get(name)
        return 0 if value is None else whole_number(name, value, least=0, most=_MOST)

    def truth(self, name: str) -> bool:
        """True, or false when it isn't there."""
        value = self._fields.get(name, False)
        if not isinstance(value, bool):
            raise InvalidInput(name, f"must be true or false, got {type(value).__name__}")
        return value

    def moment(self, name: str) -> datetime | None:
        """An instant in ISO 8601 with a time zone."""
        value = self.maybe_text(name)
        if value is None:
            return None
        try:
            return from_micros(to_micros(datetime.fromisoformat(value), name))
        except (ValueError, OverflowError):
            raise InvalidInput(name, "must be a time in ISO 8601 with a time zone") from None

    def sure_moment(self, name: str) -> datetime:
        """An instant that must be there."""
        found = self.moment(name)
        if found is None:
            raise InvalidInput(name, "is missing")
        return found


def sparse(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields as they stand in a line: times as text; what is None, empty or 0 is left out."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in fields.items()
        if value is not None and value != () and (value != 0 or isinstance(value, float))
    }
