"""Instruction-shaped notes, for a person to look at."""

from dataclasses import dataclass
from enum import StrEnum

from atmem_core.records.note import Note

VOUCHED = 1.0
"""The trust of what a person looked at and let through. No source gives it by itself."""


class InstructionFlag(StrEnum):
    """What a text that commands its reader is after."""

    OVERRIDE = "override"
    """Other rules than the host's, or another role."""
    MARKUP = "markup"
    """Passing for a message of the host, of a tool or of another speaker."""
    EXFILTRATION = "exfiltration"
    """Sending what is known about the user elsewhere."""
    TRIGGER = "trigger"
    """A rule for later answers, or silence towards the user."""
    TOOL_CALL = "tool_call"
    """Having the assistant run, buy, open or delete something."""
    HIDDEN = "hidden"
    """Letters that nobody sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A note that commands its reader, and why it is held for one."""

    note: Note
    flags: tuple[InstructionFlag, ...]
    """In the order of ``InstructionFlag``; never empty."""
    quarantined: bool
    """True: not released until it is confirmed. False: the user said it, and it is background at most."""
