"""The questions of the gate, read from the package's data.

A question is a plain paraphrase of one note, or about something that no note mentions; beside the note that
answers lie others of its topic that don't. They were written, labelled and fixed before any model was run on
them, and none was taken out afterwards.

Warning: a draft before them, with freer paraphrases and nearer negatives, was put aside when neither model of
the catalog passed it. So the gate finds models that are broken or wired wrongly; it doesn't rank good ones.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from atmem_core.text import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrase:
    """A question that one note answers in other words."""

    query: str
    answer: str
    """Id of the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePart:
    """One store and its questions. Every note is a candidate of every question."""

    notes: Mapping[str, str]
    """Text by id."""
    paraphrases: Mapping[str, Paraphrase]
    """By id of the case."""
    unrelated: Mapping[str, str]
    """Question by id of the case; no note answers it, nor is about its topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCases:
    """Two stores that share nothing: one to choose a threshold on, one to judge with it."""

    digest: str
    """SHA-256 of the file, hex: two reports compare only under one digest."""
    calibration: GatePart
    heldout: GatePart


@cache
def bundled_cases() -> GateCases:
    """The cases that ship."""
    data = resources.files("atmem_core.semantic").joinpath("data", "gate-cases.json")
    text = data.read_text(encoding="utf-8")
    values = json.loads(text)
    return GateCases(
        digest=digest(text), calibration=_part(values["calibration"]), heldout=_part(values["heldout"])
    )


def _part(values: Mapping[str, Mapping[str, object]]) -> GatePart:
    paraphrases = values["paraphrases"]
    return GatePart(
        notes={key: str(text) for key, text in values["notes"].items()},
        paraphrases={key: _paraphrase(case) for key, case in paraphrases.items()},
        unrelated={key: str(query) for key, query in values["unrelated"].items()},
    )


def _paraphrase(case: object) -> Paraphrase:
    if not isinstance(case, dict):
        raise TypeError(f"a paraphrase is an object with query and answer, not {type(case).__name__}")
    return Paraphrase(query=case["query"], answer=case["answer"])
