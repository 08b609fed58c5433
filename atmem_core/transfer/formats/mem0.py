"""Memories of Mem0, as ``get_all`` gives them and its REST interface answers.

A memory has ``id``, ``memory`` (the text), ``user_id``, ``agent_id``, ``run_id``, ``created_at``,
``updated_at``, and may have ``role``, ``actor_id``, ``categories`` and ``expiration_date``. They come one a
line, in an array, or in pages under ``results``.
"""

from collections.abc import Iterator, Mapping

from atmem_core.records import ImportCode
from atmem_core.transfer.formats.contract import Brought, LeftOut, Owners, Wish
from atmem_core.transfer.formats.parts import (
    first_of,
    iso,
    listed,
    malformed,
    mapping,
    named,
    place,
    speaker_of,
    words,
)


class Mem0Reader:
    """See ``FormatReader``. A value is one memory or a page of them."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._owners = Owners(wish.owner)

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """The memories, in their order."""
        fields = mapping(value)
        page = first_of(fields, "results", "memories")
        if not isinstance(page, list):
            yield from self._memory(fields)
            return
        for one in page:
            yield from self._memory(mapping(one))
        for _ in listed(fields.get("relations")):
            yield LeftOut(code=ImportCode.NOT_CARRIED, message="a relation of the graph")

    def _memory(self, fields: Mapping[str, object]) -> Iterator[Brought | LeftOut]:
        name = named(fields.get("id"))
        text = first_of(fields, "memory", "data", "text")
        if name is None or not isinstance(text, str):
            yield malformed("no memory: it has no id or no text in `memory`", where=name or "")
            return
        owner = named(fields.get("user_id"))
        foreign = self._owners.refusal(*([owner] if owner else []), where=name)
        if foreign is not None:
            yield foreign
            return
        speaker, source = speaker_of(named(first_of(fields, "actor_id", "role")) or "user")
        if words(fields.get("role")).casefold() == "assistant":
            speaker, source = speaker_of("assistant")
        if speaker == "assistant" and not self._wish.assistant:
            yield LeftOut(code=ImportCode.ASSISTANT_LEFT_OUT, message="said by the assistant", where=name)
            return
        yield Brought(
            text=text,
            key=place(name),
            speaker="user" if speaker == owner else speaker,
            source=source,
            session=named(fields.get("run_id")),
            agent=named(fields.get("agent_id")),
            occurred_at=iso(fields.get("updated_at")) or iso(fields.get("created_at")),
            valid_to=iso(fields.get("expiration_date")),
            tags=tuple(tag for one in listed(fields.get("categories")) if (tag := named(one))),
        )
