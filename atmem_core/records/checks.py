"""Checks of arguments that several rooms make: one rule, one wording."""

from enum import StrEnum
from typing import TypeVar

from atmem_core.errors import InvalidInput

_SHOWN_CHARS = 80
_Closed = TypeVar("_Closed", bound=StrEnum)


def shown(value: object) -> str:
    """How a message shows an argument: short, whatever it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits; a list in itself
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


def member(closed: type[_Closed], field: str, value: str) -> _Closed:
    """The member of a closed set by its value. Raises InvalidInput with the known ones."""
    try:
        return closed(value)
    except ValueError:
        known = ", ".join(one.value for one in closed)
        raise InvalidInput(field, f"{shown(value)} is none of {known}") from None


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
    raise InvalidInput(field, f"must be a whole number{allowed}, got {shown(value)}")
