"""Checks of arguments that several rooms make: one rule, one wording."""

from enum import StrEnum
from typing import TypeVar

from atmem_core.errors import InvalidInput

_Closed = TypeVar("_Closed", bound=StrEnum)


def member(closed: type[_Closed], field: str, value: str) -> _Closed:
    """The member of a closed set by its value. Raises InvalidInput with the known ones."""
    try:
        return closed(value)
    except ValueError:
        known = ", ".join(one.value for one in closed)
        raise InvalidInput(field, f"{value!r} is none of {known}") from None


def whole_number(field: str, value: object, *, least: int, most: int | None = None) -> int:
    """``value``, a whole number from ``least`` to ``most``, both inclusive. Raises InvalidInput."""
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and value >= least
        and (most is None or value <= most)
    ):
        return value
    allowed = f", {least} or more" if most is None else f" from {least} to {most}"
    raise InvalidInput(field, f"must be a whole number{allowed}, got {value!r}")
