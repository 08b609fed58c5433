"""What the cosines of a model mean: measured, and brought onto the scale of the bundled model.

Rule: two points are laid over each other, the median cosine of unrelated texts and that of a paraphrase
with its note; then the zero is moved up until the 99th percentile of unrelated texts means no more than the
bundled model's does. So a model whose unrelated texts scatter wider is trusted less, never more.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from statistics import fmean, median, pstdev, quantiles

from atmem_core.embedding import catalog
from atmem_core.records import CosineScale

_DIGITS = 6
_LEAST_SPREAD = 1e-3
"""Medians nearer than this can't be told apart; the gate refuses such a model anyway."""


def scale_of(right: Sequence[float], null: Sequence[float]) -> CosineScale:
    """From cosines of paraphrases with their notes and of unrelated questions with all notes."""
    like = shipped_scales()[catalog.BUNDLED.name]
    middle, high = median(null), quantiles(null, n=100, method="inclusive")[98]
    stretch = (like.right_median - like.null_median) / max(median(right) - middle, _LEAST_SPREAD)
    unrelated = max(middle - like.null_median / stretch, high - like.null_high / stretch)
    return CosineScale(
        null_median=round(middle, _DIGITS),
        null_deviation=round(pstdev(null, fmean(null)), _DIGITS),
        null_high=round(high, _DIGITS),
        right_median=round(median(right), _DIGITS),
        unrelated=round(unrelated, _DIGITS) + 0.0,  # never -0.0
        stretch=round(stretch, _DIGITS),
    )


@cache
def shipped_scales() -> Mapping[str, CosineScale]:
    """The catalog's models that run here, by name, as measured with their packages."""
    data = resources.files("atmem_core.semantic").joinpath("data", "scales.json")
    found = json.loads(data.read_text(encoding="utf-8"))
    return {name: CosineScale(**fields) for name, fields in found.items()}
