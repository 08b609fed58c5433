"""The calibrations that ship, read from the package's data."""

import json
from functools import cache
from importlib import resources

from atmem_core.policy.calibration import Calibration
from atmem_core.records import EmbeddingIdentity

LEXICAL_ONLY = "lexical-only"
BUNDLED = "minilm"


def calibration_for(_identity: EmbeddingIdentity | None, configured: bool) -> Calibration:  # noqa: FBT001 - a port
    """The calibration of this embedding identity; that of keywords alone when none is configured.

    A model without a calibration of its own is judged by the bundled model's. So is one that fails:
    without its cosines that calibration abstains more, where the other one might abstain less.
    """
    return load(BUNDLED if configured else LEXICAL_ONLY)


@cache
def load(name: str) -> Calibration:
    """The calibration in ``data/calibration-<name>.json``."""
    data = resources.files("atmem_core.semantic").joinpath("data", f"calibration-{name}.json")
    values = json.loads(data.read_text(encoding="utf-8"))
    return Calibration(
        version=values["version"],
        bias=values["bias"],
        weights=values["weights"],
        direct=values["direct"],
        background=values["background"],
        drop_off=values["drop_off"],
    )
