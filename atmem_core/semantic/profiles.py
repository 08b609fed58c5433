"""Which model serves which subject: its own active epoch, the file's default, or what was opened with.

Rule: an epoch names one identity. A model that answers under another one is not asked; neither its vectors
nor those of an earlier epoch reach a decision of this one. While it fails, keywords go on and abstain more.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from atmem_core.config import Config
from atmem_core.embedding import CheckedEmbedder, Embedder, Float32Array, Resolution, Serving
from atmem_core.embedding.catalog import BUNDLED as BUNDLED_MODEL
from atmem_core.embedding.catalog import CATALOG, served
from atmem_core.errors import AtmemError, EmbeddingUnavailable
from atmem_core.policy.calibration import Calibration
from atmem_core.recall.reader import CalibrationFor
from atmem_core.records import (
    CosineScale,
    EmbeddingIdentity,
    EmbedPurpose,
    Epoch,
    EpochState,
    QualityClass,
)
from atmem_core.semantic.calibrations import BUNDLED, load
from atmem_core.store.protocol import Store

Make: TypeAlias = Callable[[Mapping[str, object]], Embedder]
"""From a stored choice to an embedder."""
CHANGED = "identity_changed"
"""Reason of the error when a model isn't the one that its epoch names."""


def made_from(config: Config) -> Make:
    """The embedders of the registry."""

    def make(choice: Mapping[str, object]) -> Embedder:
        # What speaks to servers is loaded when a profile names one.
        from atmem_core.embedding.building import build  # noqa: PLC0415
        from atmem_core.embedding.choice import ModelChoice  # noqa: PLC0415

        return build(ModelChoice(**choice), config)  # type: ignore[arg-type]  # as it was stored

    return make


class EpochEmbedder:
    """The model of one epoch, made at its first text and held to the epoch's identity."""

    def __init__(self, epoch: Epoch, make: Callable[[], Embedder]) -> None:
        self._epoch = epoch
        self._make = make
        self._made: Embedder | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbeddingIdentity:
        """The epoch's. A model that passed the gate may support, whether the catalog knows it or not."""
        identity = self._epoch.identity
        passed = self._epoch.verified_at is not None and identity.quality is QualityClass.UNVERIFIED
        return replace(identity, quality=QualityClass.PRODUCTION) if passed else identity

    def embed(self, texts: Sequence[str], *, purpose: EmbedPurpose) -> Float32Array:
        """As the protocol has it.

        Raises:
            EmbeddingUnavailable: ``identity_changed`` too.
        """
        model = self._model()
        found = model.identity
        if found.digest != self._epoch.identity.digest:
            raise EmbeddingUnavailable(
                CHANGED,
                f"{found.provider} {found.model} has identity {found.digest}, its epoch names "
                f"{self._epoch.identity.digest}; run `atmem semantic rebuild`",
            )
        return model.embed(texts, purpose=purpose)

    def _model(self) -> Embedder:
        with self._lock:
            if self._made is None:
                try:
                    self._made = self._make()
                except EmbeddingUnavailable:
                    raise
                except AtmemError as error:  # an extra that is missing, a key that isn't set
                    raise EmbeddingUnavailable("not_available", str(error)) from error
            return self._made


class Profiles:
    """Serves embedders and calibrations by subject."""

    def __init__(
        self,
        store: Store,
        found: Resolution,
        *,
        make: Make,
        automatic: bool,
        calibration_for: CalibrationFor,
    ) -> None:
        self._store = store
        self._opened_with = found.embedder
        self._make = make
        self._automatic = automatic
        self._calibration_for = calibration_for
        self._lock = threading.Lock()
        self._embedders: dict[tuple[str, str], CheckedEmbedder] = {}
        self._scales: dict[str, CosineScale] = {}

    @property
    def automatic(self) -> bool:
        """Do the file's profiles choose? Not when the memory was opened with an embedder, or without any."""
        return self._automatic

    @property
    def opened_with(self) -> CheckedEmbedder | None:
        """What serves where no epoch does."""
        return self._opened_with

    def make(self, choice: Mapping[str, object]) -> Embedder:
        """The embedder of a choice; that of a file without setup for an empty one.

        Raises:
            EmbeddingUnavailable: An empty choice, and nothing is installed.
        """
        if choice:
            return self._make(choice)
        if self._opened_with is None:
            raise EmbeddingUnavailable("not_available", "the bundled model isn't installed")
        return self._opened_with

    def epoch(self, subject: str | None) -> Epoch | None:
        """The one that serves; None without a profile, or when the profiles don't choose."""
        return self._store.epoch_store.serving(subject) if self._automatic else None

    def serving(self, subject: str | None) -> Serving:
        """What embeds for a subject now; for None, what the file's default does."""
        epoch = self.epoch(subject)
        if epoch is None:
            return Serving(embedder=self._opened_with)
        return Serving(embedder=self.embedder(epoch), epoch=epoch.number)

    def embedder(self, epoch: Epoch) -> CheckedEmbedder:
        """The embedder of an epoch; one for each identity and way to make it."""
        digest = epoch.identity.digest
        verified = epoch.state is not EpochState.STAGED
        key = (digest, json.dumps([epoch.choice, verified], sort_keys=True))
        with self._lock:
            if epoch.verification is not None and epoch.verification.scale is not None:
                self._scales[digest] = epoch.verification.scale
            if key not in self._embedders:
                bound = EpochEmbedder(epoch, lambda: self.make(epoch.choice))
                self._embedders[key] = CheckedEmbedder(bound)
            return self._embedders[key]

    def min_cosine(self, subject: str) -> float:
        """Cosine below which two texts are unrelated to the model that serves: its catalog entry has it."""
        embedder = self.serving(subject).embedder
        try:
            identity = None if embedder is None else embedder.identity
        except EmbeddingUnavailable:
            identity = None
        if identity is None:
            return BUNDLED_MODEL.min_cosine
        entry = CATALOG.get(identity.model) or served(identity.provider, identity.model)
        return BUNDLED_MODEL.min_cosine if entry is None else entry.min_cosine

    def calibration_for(
        self, identity: EmbeddingIdentity | None, *, configured: bool, judge: str | None
    ) -> Calibration:
        """The calibration that ships for the model; else the bundled one's, on the model's own scale."""
        scale = None if identity is None else self._scales.get(identity.digest)
        if identity is None or scale is None:
            return self._calibration_for(identity, configured=configured, judge=judge)
        like = load(BUNDLED)
        return replace(
            like,
            version=f"{like.version}@{identity.digest[:12]}",
            unrelated=scale.unrelated,
            stretch=scale.stretch,
        )

    def clear_caches(self) -> None:
        """Forget the vectors of past queries."""
        with self._lock:
            held = [*self._embedders.values()]
        for embedder in (*held, *([] if self._opened_with is None else [self._opened_with])):
            embedder.clear_cache()
