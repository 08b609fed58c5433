"""What is given as advice, checked before anything is written."""

import re
from collections.abc import Iterable, Mapping, Sequence

from atmem_core.config import Redaction
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import ProcedureStep, label, shown
from atmem_core.remember.redaction import cleared
from atmem_core.text import storable, without_fence

ACTIVATION_CHARS = 240
PRINCIPLE_CHARS = 800
STEP_CHARS = 400
FEWEST_STEPS, MOST_STEPS = 2, 8
_TAGS, _TAG = 12, re.compile(r"[\w-]{1,40}")
_TOOL = re.compile(r"[A-Za-z][\w.:/-]{0,79}")
_PARENTS = 100


def checked_said(field: str, value: object, most: int, redaction: Redaction) -> str:
    """A text on one line, without recalled memory.

    Raises:
        InvalidInput: It is no text.
        WriteRefused: ``empty_text``, ``text_too_long``, ``secret_found``.
    """
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a text, got {type(value).__name__}")
    text = " ".join(str(cleared(without_fence(storable(value)), redaction)).split())
    if not text:
        raise WriteRefused("empty_text", f"{field} is empty")
    if len(text) > most:
        raise WriteRefused("text_too_long", f"{field} has {len(text)} characters, at most {most} fit")
    return text


def checked_steps(values: object, redaction: Redaction) -> tuple[ProcedureStep, ...]:
    """2 to 8 steps, each a ``ProcedureStep``, a text, or a mapping with ``description`` and ``tool_hint``."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput("steps", f"must be a list of steps, got {shown(values)}")
    steps = tuple(_step(one, redaction) for one in values)
    if not FEWEST_STEPS <= len(steps) <= MOST_STEPS:
        raise InvalidInput("steps", f"{len(steps)} steps; give {FEWEST_STEPS} to {MOST_STEPS}")
    return steps


def _step(value: object, redaction: Redaction) -> ProcedureStep:
    said: object = value
    hint: object = None
    if isinstance(value, ProcedureStep):
        said, hint = value.description, value.tool_hint
    elif isinstance(value, Mapping):
        said, hint = value.get("description"), value.get("tool_hint")
    if hint is not None and (not isinstance(hint, str) or not _TOOL.fullmatch(hint)):
        raise InvalidInput("tool_hint", f"must be the name of a tool or None, got {shown(hint)}")
    return ProcedureStep(description=checked_said("description", said, STEP_CHARS, redaction), tool_hint=hint)


def checked_marks(values: object) -> tuple[str, ...]:
    """Tags of advice: at most 12 of letters, digits, ``_`` and ``-``, in lower case, once each."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput("tags", f"must be a list of texts, got {shown(values)}")
    tags = tuple(dict.fromkeys(label("tags", one).strip().lower() for one in values))
    if len(tags) > _TAGS or not all(_TAG.fullmatch(one) for one in tags):
        raise InvalidInput("tags", f"at most {_TAGS} of up to 40 letters, digits, _ or - fit")
    return tags


def checked_parents(field: str, values: object) -> tuple[str, ...]:
    """Ids, once each."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(field, f"must be a list of ids, got {shown(values)}")
    ids = tuple(dict.fromkeys(label(field, one) for one in values))
    if len(ids) > _PARENTS:
        raise InvalidInput(field, f"{len(ids)} ids, at most {_PARENTS} fit")
    return ids
