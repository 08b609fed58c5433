"""From a choice to an active epoch: identity, gate, build, the host's own test, then the switch.

Rule: what served before goes on serving until the last step, which is one transaction. A refusal changes
nothing that a query sees. Canonical records are only read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from atmem_core.clock import Clock
from atmem_core.embedding import CheckedEmbedder, OllamaEmbedder
from atmem_core.errors import ProfileRefused
from atmem_core.records import EmbeddingIdentity, Epoch, ProfileSet, QualityClass, Verification
from atmem_core.semantic.calibrations import ships_for
from atmem_core.semantic.filling import Filled, Progress, fill
from atmem_core.semantic.profiles import Profiles
from atmem_core.store.protocol import Store

HostTest = Callable[[EmbeddingIdentity], int]
"""Whether the host agrees: 0, as a process's exit status."""
_ROUNDS = 5
"""How often records that were stored between the build and the switch are caught up with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRoom:
    """What a setup works with."""

    store: Store
    profiles: Profiles
    clock: Clock


def set_up(
    room: SetupRoom,
    owner: str | None,
    choice: Mapping[str, object],
    *,
    afresh: bool = False,
    host_test: HostTest | None = None,
    progress: Progress | None = None,
) -> ProfileSet:
    """Put a model to use; unless ``afresh``, what the gate found of this very identity still holds.

    Raises:
        ProfileRefused: With the step that refused as its code.
        EmbeddingUnavailable: The model gave no identity, or failed in the gate.
    """
    made = room.profiles.make(choice)
    if isinstance(made, OllamaEmbedder) and progress is not None:
        made.tell(progress)
    embedder = CheckedEmbedder(made)
    identity = embedder.identity
    _refuse(identity, choice)
    epochs = room.store.epoch_store
    begun = epochs.stage(owner, identity, _lasting(choice), at=room.clock.now())
    known = None if afresh else _known(room, owner, identity)
    verified = _verified(room, begun, embedder, known)
    there = epochs.coverage(owner, identity.digest).vectors
    filled = fill(room.store, owner, embedder, progress=progress)
    _refuse_left(filled)
    if host_test is not None and (status := host_test(identity)) != 0:
        raise ProfileRefused("host_test_failed", f"the host's test ended with status {status}")
    active, late = _switch(room, owner, verified, embedder)
    return ProfileSet(epoch=active, embedded=filled.done + late, reused=there)


def _lasting(choice: Mapping[str, object]) -> dict[str, object]:
    """What is kept of a choice: a download that was allowed once isn't allowed for ever."""
    return {name: value for name, value in choice.items() if name != "allow_download"}


def _refuse(identity: EmbeddingIdentity, choice: Mapping[str, object]) -> None:
    """What can be said of a model before it embeds."""
    if identity.quality is QualityClass.DIAGNOSTIC:
        raise ProfileRefused("diagnostic", f"{identity.model} knows no meaning; choose an embedding model")
    wanted = choice.get("dimensions")
    if wanted is not None and wanted != identity.dimensions:
        raise ProfileRefused(
            "wrong_dimensions", f"{identity.model} gives {identity.dimensions} dimensions, not {wanted}"
        )


def _known(room: SetupRoom, owner: str | None, identity: EmbeddingIdentity) -> Verification | None:
    """What the same questions found of the same identity before: a switch back needs no embedding at all."""
    from atmem_core.semantic.gate_cases import bundled_cases  # noqa: PLC0415 - it reads its cases

    found = (one.verification for one in room.store.epoch_store.epochs(owner) if _same(one, identity))
    cases = bundled_cases().digest
    passed = (one for one in found if one is not None and one.gate.get("passed"))
    return next((one for one in passed if one.gate.get("cases") == cases), None)


def _same(epoch: Epoch, identity: EmbeddingIdentity) -> bool:
    return epoch.identity.digest == identity.digest


def _verified(room: SetupRoom, begun: Epoch, embedder: CheckedEmbedder, known: Verification | None) -> Epoch:
    verification, reasons = (known, ()) if known is not None else examined(embedder)
    if reasons:
        room.store.epoch_store.give_up(begun.number)
        failed = verification.gate["failures"]
        shown = ", ".join(map(str, failed[:5])) if isinstance(failed, list) else ""
        raise ProfileRefused(
            "gate_failed",
            f"{embedder.identity.model} doesn't pass the gate: {', '.join(reasons)}"
            f"{f' (cases {shown})' if shown else ''}; choose another model",
        )
    return room.store.epoch_store.verify_epoch(begun.number, verification, at=room.clock.now())


def examined(embedder: CheckedEmbedder) -> tuple[Verification, tuple[str, ...]]:
    """What the gate finds, and why the model doesn't pass."""
    from atmem_core.semantic.gate import examine  # noqa: PLC0415 - it reads its cases

    found = examine(embedder)
    scale = None if ships_for(embedder.identity) else found.scale
    reasons = tuple(reason.value for reason in found.report.reasons)
    return Verification(gate=found.report.to_dict(), scale=scale), reasons


def _refuse_left(filled: Filled) -> None:
    if filled.left:
        raise ProfileRefused(
            "records_left",
            f"{filled.left} records have no vector yet ({filled.reason or 'unknown'}); what is done stays, "
            "run the same command again",
        )


def _switch(
    room: SetupRoom, owner: str | None, verified: Epoch, embedder: CheckedEmbedder
) -> tuple[Epoch, int]:
    """Activate, catching up with what is stored meanwhile; the epoch, and how many were embedded."""
    _adopt(room, owner)
    late = 0
    for left in reversed(range(_ROUNDS)):
        try:
            return room.store.epoch_store.activate(verified.number, at=room.clock.now()), late
        except ProfileRefused as refused:
            if refused.code != "records_left" or left == 0:
                raise
        filled = fill(room.store, owner, embedder)
        late += filled.done
        _refuse_left(filled)
    raise AssertionError("the last round returns or raises")


def _adopt(room: SetupRoom, owner: str | None) -> None:
    """What served until now becomes an epoch of the owner: a rollback can then return to it."""
    serving = room.profiles.epoch(owner)
    at = room.clock.now()
    adopt = room.store.epoch_store.adopt
    if serving is not None:
        adopt(owner, serving.identity, serving.choice, serving.verification, at=at)
    elif room.profiles.automatic and room.profiles.opened_with is not None:
        adopt(owner, room.profiles.opened_with.identity, {}, at=at)
