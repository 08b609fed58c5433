"""Which model somebody asks for, before anything is looked up or loaded."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A provider, and what is wanted of it; what is None is the provider's to say."""

    provider: str
    model: str | None = None
    version: str | None = None
    """The revision that the identity has to show."""
    dimensions: int | None = None
    base_url: str | None = None
    """Of a server; a model in this process has none."""
    allow_download: bool = False
