"""``memory.semantic``: which model serves whom, looked at, put to use, verified, rolled back."""

from collections.abc import Mapping

from atmem_core.clock import Clock
from atmem_core.errors import EmbeddingUnavailable, ProfileRefused
from atmem_core.records import (
    Epoch,
    ProfileSet,
    ProfileVerified,
    Reindexed,
    SemanticHealth,
    SemanticStatus,
    label,
)
from atmem_core.semantic.filling import Progress, fill
from atmem_core.semantic.profiles import CHANGED, Profiles
from atmem_core.semantic.setup import HostTest, SetupRoom, examined, set_up
from atmem_core.semantic.status import status
from atmem_core.store.protocol import Store


class Semantic:
    """Semantic profiles of one memory.

    ``subject=None`` is the file's default, which serves every subject without a profile of its own.
    """

    def __init__(self, store: Store, profiles: Profiles, *, clock: Clock) -> None:
        self._store = store
        self._profiles = profiles
        self._clock = clock
        self._room = SetupRoom(store=store, profiles=profiles, clock=clock)

    def status(self, *, subject: str | None) -> SemanticStatus:
        """What serves, how it is, what to do next, and which models there are. Changes nothing."""
        return status(self._store, self._profiles, _owner(subject))

    def setup(
        self,
        *,
        subject: str | None,
        provider: str,
        model: str | None = None,
        model_version: str | None = None,
        dimensions: int | None = None,
        base_url: str | None = None,
        allow_download: bool = False,
        host_test: HostTest | None = None,
        progress: Progress | None = None,
    ) -> ProfileSet:
        """Build a model's vectors beside those in use, and switch when all is verified.

        What was embedded before is used again; a setup that was broken off goes on.

        Args:
            subject: Whose profile; None is the file's default.
            provider: Which kind of embedder; the reference lists them.
            model: Its model; the provider's own default when None.
            model_version: Revision or digest that it must have.
            dimensions: What it must give.
            base_url: Of a server.
            allow_download: May a model that is missing be fetched?
            host_test: Called with the identity before the switch; anything but 0 refuses it.
            progress: Called with the records done and all that were to do.

        Raises:
            ProfileRefused, EmbeddingUnavailable: Nothing was switched.
        """
        chosen = {
            "provider": provider,
            "model": model,
            "version": model_version,
            "dimensions": dimensions,
            "base_url": base_url,
            "allow_download": allow_download,
        }
        return set_up(self._room, _owner(subject), chosen, host_test=host_test, progress=progress)

    def rebuild(
        self,
        *,
        subject: str | None,
        host_test: HostTest | None = None,
        progress: Progress | None = None,
    ) -> ProfileSet:
        """Set the model in use up again, as it is now: after its server gave it another identity.

        Raises:
            ProfileRefused, EmbeddingUnavailable: As ``setup``.
        """
        owner = _owner(subject)
        epoch = self._profiles.epoch(owner)
        choice: Mapping[str, object] = {} if epoch is None else epoch.choice
        return set_up(self._room, owner, choice, afresh=True, host_test=host_test, progress=progress)

    def verify(self, *, subject: str | None) -> ProfileVerified:
        """Run the gate on the model in use and count its vectors. The report is kept with its epoch.

        Raises:
            ProfileRefused: ``no_model``: keywords alone serve.
        """
        owner = _owner(subject)
        epoch = self._profiles.epoch(owner)
        embedder = self._profiles.opened_with if epoch is None else self._profiles.embedder(epoch)
        if embedder is None:
            raise ProfileRefused("no_model", "keywords alone serve; choose a model: `atmem semantic setup`")
        try:
            verification, reasons = examined(embedder)
        except EmbeddingUnavailable as error:
            changed = error.reason == CHANGED
            health = SemanticHealth.IDENTITY_CHANGED if changed else SemanticHealth.UNAVAILABLE
            return self._verified(owner, epoch, None, (health.value,))
        coverage = self._store.epoch_store.coverage(owner, embedder.identity.digest)
        if coverage.missing:
            reasons = (*reasons, SemanticHealth.INCOMPLETE.value)
        if epoch is not None and verification.gate["passed"] and epoch.subject == owner:
            self._store.epoch_store.verify_epoch(epoch.number, verification, at=self._clock.now())
        return self._verified(owner, epoch, verification.gate, reasons)

    def _verified(
        self,
        owner: str | None,
        epoch: Epoch | None,
        gate: Mapping[str, object] | None,
        reasons: tuple[str, ...],
    ) -> ProfileVerified:
        serving = self._profiles.serving(owner).embedder
        digest = "" if serving is None else serving.identity.digest
        return ProfileVerified(
            subject=owner,
            passed=not reasons,
            reasons=reasons,
            epoch=None if epoch is None else epoch.number,
            coverage=self._store.epoch_store.coverage(owner, digest),
            gate=gate or {},
        )

    def rollback(self, *, subject: str | None) -> Epoch:
        """Return to the verified epoch before, at once: its vectors are there. Nothing is embedded.

        Raises:
            ProfileRefused: ``no_earlier_epoch``, or ``vectors_pruned``.
        """
        return self._store.epoch_store.roll_back(_owner(subject), at=self._clock.now())

    def reindex(self, *, prune: bool = False, progress: Progress | None = None) -> list[Reindexed]:
        """Make up what is missing for every subject, each by the model that serves it.

        With ``prune`` a subject's vectors of other models are deleted, once every record has one.
        """
        return [
            self._reindexed(subject, prune=prune, progress=progress)
            for subject in self._store.epoch_store.subjects()
        ]

    def _reindexed(self, subject: str, *, prune: bool, progress: Progress | None) -> Reindexed:
        embedder = self._profiles.serving(subject).embedder
        if embedder is None:
            left = self._store.epoch_store.coverage(subject, "").missing
            return Reindexed(subject=subject, done=0, left=left, pruned=0, reason="no_model")
        filled = fill(self._store, subject, embedder, progress=progress)
        pruned, reason = 0, filled.reason
        if prune and not reason:
            try:
                pruned = self._store.epoch_store.prune(subject, embedder.identity.digest)
            except ProfileRefused as refused:
                reason = refused.code
        return Reindexed(subject=subject, done=filled.done, left=filled.left, pruned=pruned, reason=reason)


def _owner(subject: str | None) -> str | None:
    return None if subject is None else label("subject", subject)
