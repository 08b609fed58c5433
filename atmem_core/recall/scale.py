"""One scale for every record of a query: words, meaning, and the relevance that both make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atmem_core.policy.calibration import Calibration
from atmem_core.policy.signals import support_features
from atmem_core.recall.keyword import Lexical, Wording, lexicals
from atmem_core.store.protocol import ReadView

if TYPE_CHECKING:
    from atmem_core.embedding import Float32Array


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The query, embedded, and the identity under which it compares."""

    identity: str
    vector: "Float32Array"
    counts: bool
    """May its cosines support, or are they only reported?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One record against the query."""

    search_text: str
    match: Lexical
    cosine: float | None
    """None without a vector."""
    relevance: float
    """0 to 1: what judgement will give it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What all records of one query are measured by."""

    wording: Wording
    vector: QueryVector | None
    null: float
    """Mean cosine of the records nearest to the query, on the scale that all profiles share."""
    named: bool
    """Does the query hold a proper name?"""
    calibration: Calibration

    def measure(
        self, view: ReadView, rows: Sequence[int], known: Mapping[int, float] | None = None
    ) -> dict[int, Measured]:
        """Each row measured, in the given order; ``known`` holds cosines where they are at hand."""
        if known is None:
            known = cosines(view, rows, self.vector)
        counts = self.vector is not None and self.vector.counts
        meaning = self.calibration.meaning
        counted = {row: meaning(cosine) for row, cosine in known.items()} if counts else {}
        texts = view.search_texts(rows)
        return {
            row: Measured(
                search_text=texts[row][0],
                match=match,
                cosine=known.get(row),
                relevance=self.calibration.relevance(
                    support_features(match, cosine=counted.get(row), null_cosine=self.null, named=self.named)
                ),
            )
            for row, match in lexicals(texts, self.wording).items()
        }


def cosines(view: ReadView, rows: Sequence[int], vector: QueryVector | None) -> dict[int, float]:
    """Cosine by row, of those that have a vector."""
    return {} if vector is None else dict(view.cosines(vector.identity, vector.vector, rows))
