"""conversations.json of a Claude data export.

An array of conversations with ``chat_messages`` in order. A message has a ``sender``, ``human`` or
``assistant``, the whole ``text``, and newer ones ``content``: blocks of which those of type ``text`` are
what was said. The format isn't published; this is what exports of 2024 to 2026 hold, as public
descriptions have it.
"""

from collections.abc import Iterator, Mapping

from atmem_core.records import ImportCode
from atmem_core.transfer.formats.contract import Brought, LeftOut, Wish
from atmem_core.transfer.formats.parts import (
    iso,
    listed,
    malformed,
    mapping,
    named,
    place,
    speaker_of,
    words,
)

_TOOLS = frozenset({"tool_use", "tool_result"})


class ClaudeReader:
    """See ``FormatReader``. A value is one conversation."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """What was said on the branch that the person saw, first word first."""
        fields = mapping(value)
        name = named(fields.get("uuid"))
        if name is None or not isinstance(fields.get("chat_messages"), list):
            yield malformed("no conversation: it has no uuid or no chat_messages", where=name or "")
            return
        messages = [mapping(one) for one in listed(fields.get("chat_messages"))]
        shown = _shown(messages, named(fields.get("current_leaf_message_uuid")))
        for number, message in enumerate(messages):
            where = place(name, named(message.get("uuid")) or number)
            if id(message) in shown:
                yield from self._message(name, message, where)
            else:
                yield LeftOut(
                    code=ImportCode.OTHER_BRANCH,
                    message="replaced in the conversation by another",
                    where=where,
                )

    def _message(
        self, conversation: str, message: Mapping[str, object], where: str
    ) -> Iterator[Brought | LeftOut]:
        sender = words(message.get("sender")).casefold()
        if sender not in {"human", "assistant"}:
            yield malformed("a message without a sender", where=where)
            return
        if sender == "assistant" and not self._wish.assistant:
            yield LeftOut(code=ImportCode.ASSISTANT_LEFT_OUT, message="said by the assistant", where=where)
            return
        speaker, source = speaker_of(sender)
        text = _text(message)
        left = list(_beside(message, where))
        if text or not left:
            yield Brought(
                text=text,
                key=where,
                speaker=speaker,
                source=source,
                session=conversation,
                occurred_at=iso(message.get("created_at")),
            )
        yield from left


def _shown(messages: list[Mapping[str, object]], leaf: str | None) -> set[int]:
    """Identities of the messages on the path to ``leaf``; all of them when the export knows no branches."""
    by_id = {named(message.get("uuid")): message for message in messages}
    if leaf is None or leaf not in by_id:
        return {id(message) for message in messages}
    path: set[int] = set()
    name: str | None = leaf
    while name in by_id and id(by_id[name]) not in path:
        path.add(id(by_id[name]))
        name = named(by_id[name].get("parent_message_uuid"))
    return path


def _text(message: Mapping[str, object]) -> str:
    """The text blocks, or else the whole text: beside tools it has words that nobody said."""
    blocks = [mapping(one) for one in listed(message.get("content"))]
    said = [words(one.get("text")) for one in blocks if one.get("type") == "text"]
    text = "\n".join(one for one in said if one.strip())
    return (text or ("" if blocks else words(message.get("text")))).strip()


def _beside(message: Mapping[str, object], where: str) -> Iterator[LeftOut]:
    """Attachments and calls of tools."""
    for kind in ("attachments", "files"):
        for _ in listed(message.get(kind)):
            yield LeftOut(code=ImportCode.ATTACHMENT, message="a file or an image", where=where)
    for block in listed(message.get("content")):
        kind = words(mapping(block).get("type"))
        if kind in _TOOLS:
            yield LeftOut(code=ImportCode.TOOL_MESSAGE, message="to a tool or from one", where=where)
        elif kind == "thinking":
            yield LeftOut(
                code=ImportCode.HIDDEN_MESSAGE, message="not shown in the conversation", where=where
            )
