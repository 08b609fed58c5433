"""Items of a LangGraph store, as ``Item.dict()`` and the server's search give them.

An item has ``namespace`` (a list of names), ``key``, ``value`` (an object), ``created_at``, ``updated_at``.
They come one a line, in an array, or in pages under ``items``. What an application puts into ``value`` is
its own affair: the text is looked for under the names that examples and LangMem use; flat values are written
out as ``name: value`` lines.
"""

from collections.abc import Iterator, Mapping

from atmem_core.records import ImportCode
from atmem_core.transfer.formats.contract import Brought, LeftOut, Owners, Wish
from atmem_core.transfer.formats.parts import first_of, iso, listed, malformed, mapping, named, place, words

_TEXTS = ("content", "text", "memory", "data", "value")


class LangGraphStoreReader:
    """See ``FormatReader``. A value is one item or a page of them."""

    def __init__(self, wish: Wish) -> None:
        self._owners = Owners(wish.owner)

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """The items, in their order."""
        fields = mapping(value)
        if not isinstance(fields.get("items"), list):
            yield from self._item(fields)
            return
        for one in listed(fields.get("items")):
            yield from self._item(mapping(one))

    def _item(self, fields: Mapping[str, object]) -> Iterator[Brought | LeftOut]:
        names = [name for one in listed(fields.get("namespace")) if (name := named(one))]
        key = named(fields.get("key"))
        if key is None or not isinstance(fields.get("value"), dict):
            yield malformed("no item: it has no key or its value is no object", where=key or "")
            return
        where = place(*names, key)
        foreign = self._owners.refusal(*(["/".join(names), *names] if names else []), where=where)
        if foreign is not None:
            yield foreign
            return
        text = _text(mapping(fields.get("value")))
        if text is None:
            yield LeftOut(
                code=ImportCode.NOT_CARRIED, message="its value holds no text and isn't flat", where=where
            )
            return
        yield Brought(
            text=text,
            key=where,
            occurred_at=iso(first_of(fields, "updated_at", "created_at")),
            tags=tuple(names[-1:]),
        )


def _text(value: Mapping[str, object]) -> str | None:
    """The text of a value; a flat one written out; None for any other."""
    found = first_of(value, *_TEXTS)
    inner = first_of(mapping(found), *_TEXTS)
    for text in (words(found), words(inner)):
        if text.strip():
            return text
    flat = {name: named(one) for name, one in value.items()}
    if not flat or None in flat.values():
        return None
    return "\n".join(f"{name}: {one}" for name, one in flat.items())
