"""Which records of a context may not be shown any more: a turn has several steps, and memory goes on."""

from collections.abc import Callable, Sequence
from datetime import datetime

from atmem_core.context.sources import Sources
from atmem_core.records import AdviceStatus, Channel, Section
from atmem_core.store.protocol import Store


def fallen(
    sections: Sequence[Section], subject: str, store: Store, sources: Sources, *, now: datetime
) -> frozenset[str]:
    """Ids of those that were erased, forgotten, superseded, deprecated, or have expired.

    One that can't be looked at counts as fallen: what fails never widens what is shown.
    """
    stands: dict[Channel, Callable[[str], bool]] = {
        Channel.MEMORY_INDEX: lambda one: store.get(subject, one).stands(now),
        Channel.RECALLED: lambda one: store.get(subject, one).stands(now),
        Channel.PROFILE: lambda one: one in {fact.id for fact in sources.profile.list(subject=subject)},
        Channel.LESSONS: lambda one: sources.lessons.get(one, subject=subject).status is AdviceStatus.ACTIVE,
        Channel.PROCEDURES: lambda one: (
            sources.procedures.get(one, subject=subject).status is AdviceStatus.ACTIVE
        ),
    }
    return frozenset(
        entry.record_id
        for section in sections
        for entry in section.entries
        if not _surely(stands[section.channel], entry.record_id)
    )


def _surely(stands: Callable[[str], bool], record_id: str) -> bool:
    try:
        return stands(record_id)
    except Exception:  # noqa: BLE001 - as above
        return False
