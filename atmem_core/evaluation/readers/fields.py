"""Fields of a parsed file, checked, with messages that say where they stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from atmem_core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """One JSON object of a data set, and where it stands."""

    values: Mapping[str, object]
    where: str
    """Such as ``line 3`` or ``notes[2]``."""

    @classmethod
    def of(cls, value: object, where: str) -> "Fields":
        """The object at this place.

        Raises:
            InvalidInput: It is no JSON object.
        """
        if not isinstance(value, dict):
            raise InvalidInput("dataset", f"{where} must be a JSON object, got {_kind(value)}")
        return cls(values=value, where=where)

    def text(self, *names: str) -> str:
        """A text that must be there, under the first of these names that is."""
        value = self.some_text(*names)
        if value is None:
            raise InvalidInput("dataset", f"{self.where} has no {' or '.join(map(repr, names))}")
        return value

    def some_text(self, *names: str) -> str | None:
        """A text or a number as a text; None when it isn't there."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
            if value is not None:
                raise InvalidInput("dataset", f"{self.where}: {name!r} must be a text, got {_kind(value)}")
        return None

    def texts(self, *names: str) -> tuple[str, ...]:
        """A list of texts; empty when it isn't there."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                return tuple(value)
            if value is not None:
                raise InvalidInput("dataset", f"{self.where}: {name!r} must be a list of texts")
        return ()

    def objects(self, name: str) -> list["Fields"]:
        """A list of objects that must be there."""
        values = self.values.get(name)
        if not isinstance(values, list):
            raise InvalidInput("dataset", f"{self.where} must hold {name!r}, a list, got {_kind(values)}")
        place = "" if self.where == "the file" else f"{self.where}."
        return [Fields.of(one, f"{place}{name}[{index}]") for index, one in enumerate(values)]

    def moment(self, name: str) -> datetime | None:
        """An instant in ISO 8601, in UTC when it has no zone; None when it isn't there."""
        value = self.some_text(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput("dataset", f"{self.where}: {name!r} is no ISO 8601 time: {value!r}") from None
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return kinds.get(type(value), "a number")
