"""One JSON object a line, for whatever has no reader of its own.

``text`` (or ``content``) is what was said; ``speaker`` (or ``role``), ``source``, ``project``, ``session``,
``agent``, ``time`` (or ``occurred_at``, ``created_at``, ``timestamp``), ``tags`` and ``id`` may be there.
"""

from collections.abc import Iterator, Mapping

from atmem_core.records import ImportCode, Source
from atmem_core.text import digest
from atmem_core.transfer.formats.contract import Brought, LeftOut, Wish
from atmem_core.transfer.formats.parts import (
    first_of,
    listed,
    malformed,
    mapping,
    moment_of,
    named,
    place,
    speaker_of,
    words,
)


class PlainReader:
    """See ``FormatReader``. A value is one statement."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """The statement."""
        fields = mapping(value)
        text = first_of(fields, "text", "content", "message")
        session = named(first_of(fields, "session", "conversation_id", "thread_id"))
        speaker, source = speaker_of(named(first_of(fields, "speaker", "role", "name")) or "user")
        where = place(session, named(fields.get("id")))
        if not isinstance(text, str):
            yield malformed("no statement: it has no text", where=where)
            return
        refused = self._refusal(speaker, where)
        if refused is not None:
            yield refused
            return
        yield Brought(
            text=text,
            key=_key(fields, session, speaker, text),
            speaker=speaker,
            source=_source(words(fields.get("source")), source),
            project=named(fields.get("project")),
            session=session,
            agent=named(fields.get("agent")),
            occurred_at=moment_of(first_of(fields, "occurred_at", "time", "created_at", "timestamp")),
            tags=tuple(tag for one in listed(fields.get("tags")) if (tag := named(one))),
        )

    def _refusal(self, speaker: str, where: str) -> LeftOut | None:
        said = {
            "system": (ImportCode.HIDDEN_MESSAGE, "not shown in the conversation"),
            "tool": (ImportCode.TOOL_MESSAGE, "to a tool or from one"),
        }
        if not self._wish.assistant:
            said["assistant"] = (ImportCode.ASSISTANT_LEFT_OUT, "said by the assistant")
        if speaker.casefold() not in said:
            return None
        code, message = said[speaker.casefold()]
        return LeftOut(code=code, message=message, where=where)


def _key(fields: Mapping[str, object], session: str | None, speaker: str, text: str) -> str:
    """By its id, or else by what it says, who said it and when."""
    given = named(fields.get("id"))
    told = str(first_of(fields, "occurred_at", "time", "created_at", "timestamp"))
    return place(session, given or digest(speaker, told, text)[:20])


def _source(given: str, otherwise: Source) -> Source:
    """What the line names; never the person herself, who didn't tell it now."""
    known = {one.value: one for one in Source if one is not Source.USER}
    return known.get(given, otherwise)
