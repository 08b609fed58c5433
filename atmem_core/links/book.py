"""``memory.links``: which notes belong together. A link finds a neighbour; it is evidence of nothing."""

import math
from collections.abc import Sequence
from datetime import datetime

from atmem_core.chat import ChatModel, ask_within
from atmem_core.clock import Clock
from atmem_core.errors import ChatUnavailable, InvalidInput, NotFound
from atmem_core.links.generating import asked, named_in
from atmem_core.policy.trust import may_stand_unjudged
from atmem_core.recall.request import request
from atmem_core.records import (
    Linked,
    LinkKind,
    LinksGenerated,
    Note,
    NoteLink,
    Scope,
    label,
    member,
    whole_number,
)
from atmem_core.store.protocol import Store

MOST_LISTED = 1_000
MOST_DEPTH = 3
MOST_EXPANDED = 50
MOST_ASKED = 32
"""Notes that one call asks a model about, the last ones of a turn."""
_FEWEST = 2
_LAST = 2**31 - 1


class Links:
    """Links of one memory."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(
        self, from_id: str, to_id: str, *, subject: str, kind: str = "relates_to", weight: float = 1.0
    ) -> NoteLink:
        """Tie two notes; the same ends and kind again change the weight.

        Args:
            from_id: Where the link begins; it is walked both ways.
            to_id: Where it ends; a note of the same project.
            subject: Whose notes.
            kind: One of ``LinkKind``.
            weight: 0 to 1, higher is closer; clamped, and 1 when it is no finite number.

        Raises:
            NotFound: The subject has no such note.
            InvalidInput: An unknown kind, a note tied to itself, notes of two projects.
        """
        ends = label("from_id", from_id), label("to_id", to_id)
        if ends[0] == ends[1]:
            raise InvalidInput("to_id", "is the note itself; a link needs two")
        link = NoteLink(
            from_id=ends[0],
            to_id=ends[1],
            kind=member(LinkKind, "kind", kind).value,
            weight=clamped(weight),
            created_at=self._clock.now(),
        )
        self._store.link_store.put(label("subject", subject), [link])
        return link

    def list(
        self, *, subject: str, note_id: str | None = None, limit: int = 500, offset: int = 0
    ) -> "list[NoteLink]":
        """Links, newest first; of one note, whichever end it is, or of all. At most 1,000 a call."""
        return self._store.link_store.links(
            label("subject", subject),
            note_id=None if note_id is None else label("note_id", note_id),
            limit=whole_number("limit", limit, least=1, most=MOST_LISTED),
            offset=whole_number("offset", offset, least=0, most=_LAST),
        )

    def remove(self, from_id: str, to_id: str, *, subject: str, kind: str | None = None) -> int:
        """Untie two notes: the links of this kind from one to the other, or all of them. How many there were.

        Raises:
            NotFound: The subject has no such note.
        """
        return self._store.link_store.remove(
            label("subject", subject),
            label("from_id", from_id),
            label("to_id", to_id),
            None if kind is None else member(LinkKind, "kind", kind),
        )

    def expand(
        self,
        note_ids: Sequence[str],
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        depth: int = 1,
        limit: int = 12,
        as_of: datetime | None = None,
    ) -> tuple[Linked, ...]:
        """Neighbours of notes, breadth first; never one of the given notes, and none twice.

        Only what a read with this scope may see, and never from one project into another. What a page or a
        tool said isn't reached, nor what commands its reader.

        Args:
            note_ids: Where the walk begins; ids that the subject doesn't have are passed over.
            subject: Whose notes.
            project: Only notes of this project.
            session: Only notes of this session.
            agent: Only notes of this agent.
            depth: Links far; 1 to 3, clamped.
            limit: Most neighbours; 1 to 50, clamped. The walk ends there.
            as_of: As it was at this instant.
        """
        scope = Scope(subject=subject, project=project, session=session, agent=agent)
        found = self._store.link_store.expand(
            request(scope, as_of=as_of).filter(self._clock.now()),
            ids_of(note_ids),
            depth=_between("depth", depth, MOST_DEPTH),
            limit=_between("limit", limit, MOST_EXPANDED),
            allowed=may_stand_unjudged,
        )
        return tuple(found)

    def generate(
        self,
        note_ids: Sequence[str],
        model: ChatModel,
        *,
        subject: str,
        most: int = 4,
        timeout_ms: float = 60_000,
    ) -> LinksGenerated:
        """Ask a model which of a turn's notes belong together, and store what it says.

        Call it when a turn is over, with the ids of all its steps; the last 32 are taken. What the model
        names beside these ids and the known kinds is left out and counted. Nothing is held while it thinks,
        and its failure is a value.

        Raises:
            InvalidInput: An argument is wrong.
        """
        who = label("subject", subject)
        most = whole_number("most", most, least=1, most=MOST_ASKED)
        held = [self._held(who, one) for one in ids_of(note_ids[::-1])]
        # The last ones of the turn, in their order; one that was shown again counts by its last time.
        notes = [one for one in held if one is not None][:MOST_ASKED][::-1]
        if len(notes) < _FEWEST:
            return LinksGenerated(skipped="few_notes")
        try:
            reply = ask_within(model, asked(notes), timeout_ms=timeout_ms)
        except ChatUnavailable as error:
            return LinksGenerated(failure=error.reason)
        named, dropped = named_in(reply, notes, most=most)
        if named is None:
            return LinksGenerated(failure="invalid_reply")
        links = [
            NoteLink(from_id=one, to_id=other, kind=kind, weight=weight, created_at=self._clock.now())
            for one, other, kind, weight in named
        ]
        stored = [one for one in links if self._stored(who, one)]
        made = tuple((one.from_id, one.to_id, one.kind, one.weight) for one in stored)
        return LinksGenerated(links=made, dropped=dropped + len(links) - len(stored))

    def _stored(self, subject: str, link: NoteLink) -> bool:
        """False when a note was erased while the model thought."""
        try:
            self._store.link_store.put(subject, [link])
        except NotFound:
            return False
        return True

    def _held(self, subject: str, note_id: str) -> Note | None:
        """A note that may be shown to a model: it stands, and doesn't command its reader."""
        try:
            note = self._store.get(subject, note_id)
        except NotFound:
            return None
        return note if note.stands(self._clock.now()) and may_stand_unjudged(note) else None


def ids_of(note_ids: Sequence[str]) -> tuple[str, ...]:
    """The ids, each once, in their order. Raises InvalidInput."""
    if isinstance(note_ids, str) or not isinstance(note_ids, Sequence):
        raise InvalidInput("note_ids", "must be a list of ids")
    return tuple(dict.fromkeys(label("note_ids", one) for one in note_ids))


def clamped(weight: object) -> float:
    """0 to 1; 1 for what is no finite number."""
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        return 1.0
    return min(1.0, max(0.0, float(weight)))


def _between(field: str, value: object, most: int) -> int:
    """A whole number, clamped to 1 and the most."""
    return min(most, max(1, whole_number(field, value, least=-_LAST, most=_LAST)))
