"""Which records of a context may not be shown any more: a turn has several steps, and memory goes on."""

from collections.abc import Callable, Sequence
from datetime import datetime

from atmem_core.context.sources import Sources
from atmem_core.records import AdviceStatus, Channel, Note, Section
from atmem_core.store.protocol import Store


def fallen(
    sections: Sequence[Section], subject: str, store: Store, sources: Sources, *, now: datetime
) -> frozenset[str]:
    """Ids of those that were erased, forgotten, superseded, deprecated, or have expired.

    One that can't be looked at counts as fallen: what fails never widens what is shown.
    """
    stands: dict[Channel, Callable[[str], bool]] = {
        Channel.MEMORY_INDEX: lambda one: holds(store.get(subject, one), now),
        Channel.RECALLED: lambda one: holds(store.get(subject, one), now),
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


def holds(note: Note, now: datetime) -> bool:
    """Is the note as it was when it was released?"""
    gone = note.forgotten_at is not None or note.superseded_by is not None
    early = note.valid_from is not None and now < note.valid_from
    late = note.valid_to is not None and now >= note.valid_to
    return not (gone or early or late)


def _surely(stands: Callable[[str], bool], record_id: str) -> bool:
    try:
        return stands(record_id)
    except Exception:  # noqa: BLE001 - as above
        return False
