"""Whose memory, and which part of it."""

from dataclasses import dataclass
from enum import StrEnum

from atmem_core.errors import InvalidInput
from atmem_core.records.checks import shown

MAX_SCOPE_CHARS = 512
"""Longest subject, project, session, agent or speaker, in characters."""


class RecordKind(StrEnum):
    """What kind of record; each kind has a life of its own."""

    NOTE = "note"
    FACT = "fact"
    PROFILE = "profile"
    LESSON = "lesson"
    PROCEDURE = "procedure"


def label(field: str, value: object) -> str:
    """Check one part of a scope.

    Args:
        field: Name of the part, for the message.
        value: What the caller gave. Kept byte for byte: equality is exact, no folding, no trimming.

    Raises:
        InvalidInput: Not a string, blank, over 512 characters, or holding NUL or a lone surrogate.
    """
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field, f"must be a text that isn't blank, got {shown(value)}")
    if len(value) > MAX_SCOPE_CHARS:
        raise InvalidInput(field, f"has {len(value)} characters, at most {MAX_SCOPE_CHARS} fit")
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise InvalidInput(field, "holds NUL or a lone surrogate; use printable text")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Subject plus optional project, session and agent.

    On a write it says where a record belongs. On a read an omitted part doesn't filter and a given
    one is exact equality.
    """

    subject: str
    project: str | None = None
    session: str | None = None
    agent: str | None = None

    def __post_init__(self) -> None:
        """Refuse a missing subject and malformed parts."""
        label("subject", self.subject)
        for field in ("project", "session", "agent"):
            value = getattr(self, field)
            if value is not None:
                label(field, value)

    def to_dict(self) -> dict[str, str | None]:
        """Plain JSON types, in a fixed order."""
        return {
            "subject": self.subject,
            "project": self.project,
            "session": self.session,
            "agent": self.agent,
        }
