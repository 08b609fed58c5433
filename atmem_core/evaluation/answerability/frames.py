"""Frames: facts with several tellings, questions that each telling answers, and questions that none does.

One JSON object a line under ``frames/``: ``topic``, ``notes``, ``yes``, ``exact``, ``no``. A name in braces
is a slot; it stands for one value everywhere in a frame, drawn anew from ``fillers.json`` each time.
"""

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One fact, or a few that are told together."""

    domain: str
    topic: str
    notes: tuple[str, ...]
    yes: tuple[str, ...]
    """Each is answered by every note, and most share no word with any."""
    exact: tuple[str, ...]
    """Each is answered by every note, in the notes' own words."""
    no: tuple[str, ...]
    """About the same things; none is answered by any note."""


def read_frames() -> list[Frame]:
    """All frames of the package, by file name and line."""
    folder = resources.files(__package__).joinpath("frames")
    found: list[Frame] = []
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        domain = file.name.removesuffix(".jsonl")
        found += [_frame(domain, line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return found


def _frame(domain: str, line: str) -> Frame:
    one = json.loads(line)
    return Frame(
        domain=domain,
        topic=one["topic"],
        notes=tuple(one["notes"]),
        yes=tuple(one["yes"]),
        exact=tuple(one["exact"]),
        no=tuple(one["no"]),
    )


class Fillers:
    """Values for slots: from lists, or made of digits."""

    def __init__(self, lists: Mapping[str, Sequence[str]]) -> None:
        self._lists = lists

    @classmethod
    def read(cls) -> "Fillers":
        """Those of the package."""
        return cls(json.loads(resources.files(__package__).joinpath("fillers.json").read_text("utf-8")))

    def draw(self, slots: Iterable[str], chance: random.Random) -> dict[str, str]:
        """A value for each slot; ``person`` and ``person2`` never share one."""
        values: dict[str, str] = {}
        for slot in sorted(slots):
            values[slot] = self.another(slot, set(values.values()), chance)
        return values

    def another(self, slot: str, taken: set[str], chance: random.Random) -> str:
        """A value of the slot that isn't taken."""
        kind = slot.rstrip("2")
        for _ in range(50):
            shape = chance.choice(self._lists[kind])
            value = re.sub("#", lambda _: str(chance.randint(1, 9)), shape)
            if value not in taken:
                return value
        raise ValueError(f"the list of {kind} is too short to draw one more value")


def slots_of(*texts: str) -> set[str]:
    """Names of the slots in the texts."""
    return {name for text in texts for name in _SLOT.findall(text)}


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each slot's value in its place."""
    return _SLOT.sub(lambda match: values[match.group(1)], text)
