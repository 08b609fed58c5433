"""``memory.quarantine``: what commands its reader, for a person to confirm or reject. Nothing is deleted."""

from collections.abc import Callable, Iterator

from atmem_core.clock import Clock
from atmem_core.facts.announcing import Announcer
from atmem_core.facts.waiting import Hop
from atmem_core.recall.request import request
from atmem_core.records import (
    VOUCHED,
    Forgotten,
    Note,
    Scope,
    Selector,
    Source,
    Suspect,
    label,
    whole_number,
)
from atmem_core.store import Store
from atmem_core.text.instructions import instruction_flags

_PAGE = 500
_MOST = 2**31 - 1


class Quarantine:
    """Instruction-shaped notes of one memory, and a person's word on them."""

    def __init__(self, store: Store, *, announcer: Announcer, clock: Clock) -> None:
        self._store = store
        self._announcer = announcer
        self._clock = clock

    def list(self, *, subject: str, limit: int = 50) -> list[Suspect]:
        """Current notes and facts that command their reader and that nobody confirmed, newest first.

        Every record of the subject is looked at, about a tenth of a millisecond each.
        """
        most = whole_number("limit", limit, least=1, most=_MOST)
        found: list[Suspect] = []
        for note in self._notes(Scope(subject=subject)):
            flags = () if note.trust >= VOUCHED else instruction_flags(note.text)
            if flags:
                outside = note.source is not Source.USER
                found.append(Suspect(note=note, flags=flags, quarantined=outside))
            if len(found) == most:
                break
        return found

    def confirm(self, note_id: str, *, subject: str) -> Note:
        """Let a note through: its trust becomes 1, and it counts as any other. Its source stays named.

        Raises:
            NotFound: The subject has no such current note.
        """
        who, which = label("subject", subject), label("note_id", note_id)
        self._store.vouch(who, which, trust=VOUCHED)
        return self._store.get(who, which)

    def reject(self, note_id: str, *, subject: str) -> Forgotten:
        """Turn a note away: it is forgotten, and stays readable by its id until it is erased.

        Raises:
            NotFound: The subject has no such note.
        """
        chosen = Selector(note_id=note_id)
        done = self._store.forget(label("subject", subject), chosen, at=self._clock.now())
        self._announcer.forgotten(subject, done.ids)
        return done

    def _notes(self, scope: Scope) -> Iterator[Note]:
        asked = request(scope).filter(self._clock.now())
        offset = 0
        while page := self._store.notes(asked, limit=_PAGE, offset=offset, all_states=False):
            yield from page
            offset += len(page)


class AsyncQuarantine:
    """``Quarantine`` for an event loop. Arguments, results and errors are those of ``Quarantine``."""

    def __init__(self, hop: Hop, quarantine: Callable[[], Quarantine]) -> None:
        self._hop = hop
        self._quarantine = quarantine

    async def list(self, *, subject: str, limit: int = 50) -> "list[Suspect]":
        """As ``Quarantine.list``."""
        return await self._hop(lambda: self._quarantine().list(subject=subject, limit=limit))

    async def confirm(self, note_id: str, *, subject: str) -> Note:
        """As ``Quarantine.confirm``."""
        return await self._hop(lambda: self._quarantine().confirm(note_id, subject=subject))

    async def reject(self, note_id: str, *, subject: str) -> Forgotten:
        """As ``Quarantine.reject``."""
        return await self._hop(lambda: self._quarantine().reject(note_id, subject=subject))
