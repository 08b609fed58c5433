"""What a vector means: the identity of an embedding."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class EmbedPurpose(StrEnum):
    """Why a text is embedded; models with task prompts get a prefix for each."""

    DOCUMENT = "document"
    QUERY = "query"
    SIMILARITY = "similarity"


class QualityClass(StrEnum):
    """What a vector may be used for."""

    PRODUCTION = "production"
    UNVERIFIED = "unverified"
    """Not in the catalog, or the gate has not passed on it: supports nothing yet."""
    DIAGNOSTIC = "diagnostic"
    """Reported, and never makes a record eligible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingIdentity:
    """Everything that changes what a vector means. Two vectors compare only under one digest."""

    provider: str
    model: str
    revision: str
    """Revision, digest or file hash of the weights."""
    dimensions: int
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Purpose to the text put before; absent means none."""
    preprocessing: str = ""
    """Tokeniser, truncation and pooling, in words that change when they change."""
    distance: str = "cosine"
    normalization: str = "l2"
    quality: QualityClass = QualityClass.UNVERIFIED
    licence: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 over all fields but quality and licence, which don't change a vector; 32 hex digits."""
        parts = asdict(self)
        del parts["quality"], parts["licence"]
        document = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(document.encode()).hexdigest()[:32]
