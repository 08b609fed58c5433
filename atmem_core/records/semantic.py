"""What a caller hears of semantic profiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from atmem_core.records.embedding import EmbeddingIdentity
from atmem_core.records.epoch import Coverage, Epoch


class SemanticHealth(StrEnum):
    """How the model that serves a subject is. A closed set; each has one next action."""

    HEALTHY = "healthy"
    NO_PROFILE = "no_profile"
    """No setup was run; the bundled model serves."""
    NO_MODEL = "no_model"
    """Keywords alone."""
    UNAVAILABLE = "unavailable"
    """The model doesn't answer."""
    IDENTITY_CHANGED = "identity_changed"
    """It answers, and is another one than the epoch names; its vectors aren't used."""
    INCOMPLETE = "incomplete"
    """Records wait for their vectors."""
    UNVERIFIED = "unverified"
    """The gate wasn't passed; its vectors support nothing."""
    DIAGNOSTIC = "diagnostic"
    """Its vectors know no meaning and support nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """One model of the catalog, as it stands on this machine."""

    name: str
    provider: str
    dimensions: int
    size_bytes: int
    licence: str
    languages: tuple[str, ...]
    installed: bool
    """Can it be used now? Of a model behind a server that isn't known: False."""
    recommended: bool
    setup: str
    """The options of ``atmem semantic setup`` that choose it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticStatus:
    """One owner's profile: what serves, how it is, what to do next."""

    subject: str | None
    """None is the file's default."""
    health: SemanticHealth
    detail: str
    next_action: str
    """For people; empty when nothing has to be done."""
    identity: EmbeddingIdentity | None
    digest: str | None
    epoch: int | None
    coverage: Coverage | None
    epochs: tuple[Epoch, ...]
    """The owner's own, newest first."""
    models: tuple[ModelOffer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSet:
    """A profile that was put to use."""

    epoch: Epoch
    embedded: int
    reused: int
    """Records whose vectors were there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileVerified:
    """What the gate and a look at the vectors found of the model that serves."""

    subject: str | None
    passed: bool
    reasons: tuple[str, ...]
    """Why not: the gate's reasons, or a ``SemanticHealth``."""
    epoch: int | None
    coverage: Coverage
    gate: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """One subject after a reindex."""

    subject: str
    done: int
    left: int
    pruned: int
    reason: str = ""
    """Why records are left, or nothing was pruned though it was asked for; empty otherwise."""
