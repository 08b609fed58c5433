"""Conversations in the form of the LoCoMo benchmark.

A sample has a ``sample_id`` and a ``conversation`` with ``session_1``, ``session_2`` ...: lists of turns
with ``speaker``, ``dia_id`` and ``text``, and for each a ``session_N_date_time``, such as ``1:56 pm on
8 May, 2023``. It names no time zone; it is read as UTC. Questions and summaries are no conversation and stay
behind.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from atmem_core.records import ImportCode, Source
from atmem_core.transfer.formats.contract import Brought, LeftOut, Owners, Wish
from atmem_core.transfer.formats.parts import listed, malformed, mapping, named, place, words

_SESSION = re.compile(r"session_(\d+)")
_TIME = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})", re.IGNORECASE)
_MONTHS = "january february march april may june july august september october november december".split()
_NOON = 12


class LocomoReader:
    """See ``FormatReader``. A value is one sample: a conversation of two people."""

    def __init__(self, wish: Wish) -> None:
        self._owners = Owners(wish.owner)

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """The turns, session by session."""
        fields = mapping(value)
        conversation = mapping(fields.get("conversation"))
        name = named(fields.get("sample_id"))
        sessions = sorted(
            int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)) is not None
        )
        if name is None or not sessions:
            yield malformed("no sample: it has no sample_id or no session", where=name or "")
            return
        foreign = self._owners.refusal(name, where=name)
        if foreign is not None:
            yield foreign
            return
        for number in sessions:
            yield from _session(name, conversation, f"session_{number}")


def _session(name: str, conversation: Mapping[str, object], session: str) -> Iterator[Brought | LeftOut]:
    begun = told_at(words(conversation.get(f"{session}_date_time")))
    for number, value in enumerate(listed(conversation.get(session))):
        turn = mapping(value)
        where = place(name, named(turn.get("dia_id")) or f"{session}:{number}")
        speaker = named(turn.get("speaker"))
        if speaker is None:
            yield malformed("a turn without a speaker", where=where)
            continue
        yield Brought(
            text=words(turn.get("text")),
            key=where,
            speaker=speaker,
            source=Source.IMPORT,
            session=place(name, session),
            occurred_at=begun,
        )
        for _ in listed(turn.get("img_url")):
            yield LeftOut(code=ImportCode.ATTACHMENT, message="an image", where=where)


def told_at(text: str) -> datetime | None:
    """``1:56 pm on 8 May, 2023`` as an instant in UTC; None for any other form."""
    found = _TIME.fullmatch(text.strip())
    if found is None or found[5].casefold() not in _MONTHS:
        return None
    hour = int(found[1]) % _NOON + (_NOON if found[3].casefold() == "p" else 0)
    month = _MONTHS.index(found[5].casefold()) + 1
    try:
        return datetime(int(found[6]), month, int(found[4]), hour, int(found[2]), tzinfo=UTC)
    except ValueError:
        return None
