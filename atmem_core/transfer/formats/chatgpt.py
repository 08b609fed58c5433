"""conversations.json of a ChatGPT data export.

An array of conversations. ``mapping`` is a tree of nodes by id, each with ``message``, ``parent`` and
``children``; a reply made anew or a prompt that was edited is a branch. The conversation that the person
saw is the path from ``current_node`` to the root. The format isn't published; this is what exports of 2023
to 2026 hold, as public descriptions have it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from atmem_core.records import ImportCode
from atmem_core.transfer.formats.contract import Brought, LeftOut, Wish
from atmem_core.transfer.formats.parts import (
    first_of,
    listed,
    malformed,
    mapping,
    named,
    place,
    seconds,
    speaker_of,
    words,
)

_TEXTS = frozenset({"text", "multimodal_text"})
_THOUGHTS = frozenset({"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    id: str
    begun: datetime | None


class ChatGptReader:
    """See ``FormatReader``. A value is one conversation."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, value: object) -> Iterator[Brought | LeftOut]:
        """What was said on the path that the person saw, first word first."""
        fields = mapping(value)
        nodes = mapping(fields.get("mapping"))
        name = named(first_of(fields, "conversation_id", "id"))
        if not nodes or name is None:
            yield malformed("no conversation: it has no id or no mapping", where=name or "")
            return
        conversation = _Conversation(id=name, begun=seconds(fields.get("create_time")))
        path = _path(nodes, named(fields.get("current_node")))
        for node_id in path:
            yield from self._message(conversation, mapping(mapping(nodes[node_id]).get("message")), node_id)
        yield from _branches(conversation, nodes, set(path))

    def _message(
        self, conversation: _Conversation, message: Mapping[str, object], node_id: str
    ) -> Iterator[Brought | LeftOut]:
        if not message:
            return
        where = place(conversation.id, named(message.get("id")) or node_id)
        refusal = _refusal(message, where)
        if refusal is not None:
            yield refusal
            return
        speaker, source = speaker_of(_role(message))
        if speaker == "assistant" and not self._wish.assistant:
            yield LeftOut(code=ImportCode.ASSISTANT_LEFT_OUT, message="said by the assistant", where=where)
            return
        text, attachments = _said(message)
        if text or not attachments:
            yield Brought(
                text=text,
                key=where,
                speaker=speaker,
                source=source,
                session=conversation.id,
                occurred_at=seconds(message.get("create_time")) or conversation.begun,
            )
        for _ in range(attachments):
            yield LeftOut(code=ImportCode.ATTACHMENT, message="a file, an image or a recording", where=where)


def _path(nodes: Mapping[str, object], last: str | None) -> list[str]:
    """Ids from the root to ``last``; without one, the newest branch everywhere."""
    node_id = last if last in nodes else _newest_leaf(nodes)
    path: list[str] = []
    seen: set[str] = set()
    while node_id is not None and node_id in nodes and node_id not in seen:
        seen.add(node_id)
        path.append(node_id)
        node_id = named(mapping(nodes[node_id]).get("parent"))
    return path[::-1]


def _newest_leaf(nodes: Mapping[str, object]) -> str:
    """The last node of the tree that has no child."""
    leaves = [node_id for node_id, node in nodes.items() if not listed(mapping(node).get("children"))]
    return leaves[-1] if leaves else list(nodes)[-1]


def _branches(conversation: _Conversation, nodes: Mapping[str, object], path: set[str]) -> Iterator[LeftOut]:
    """What stands beside the path: replies made anew, prompts before they were edited."""
    for node_id, node in nodes.items():
        message = mapping(mapping(node).get("message"))
        if node_id not in path and message and _refusal(message, "") is None:
            where = place(conversation.id, named(message.get("id")) or node_id)
            yield LeftOut(
                code=ImportCode.OTHER_BRANCH, message="replaced in the conversation by another", where=where
            )


def _role(message: Mapping[str, object]) -> str:
    return words(mapping(message.get("author")).get("role")).casefold()


def _refusal(message: Mapping[str, object], where: str) -> LeftOut | None:
    """Why a message is none between two people."""
    role = _role(message)
    kind = words(mapping(message.get("content")).get("content_type")).casefold()
    extra = mapping(message.get("metadata"))
    hidden = (
        role == "system"
        or kind in _THOUGHTS
        or message.get("weight") == 0
        or bool(extra.get("is_visually_hidden_from_conversation"))
        or bool(extra.get("is_user_system_message"))
    )
    if hidden:
        return LeftOut(code=ImportCode.HIDDEN_MESSAGE, message="not shown in the conversation", where=where)
    to_tool = (named(message.get("recipient")) or "all") != "all"
    if role not in {"user", "assistant"} or to_tool or kind not in _TEXTS:
        return LeftOut(code=ImportCode.TOOL_MESSAGE, message="to a tool or from one", where=where)
    return None


def _said(message: Mapping[str, object]) -> tuple[str, int]:
    """The text, and how many parts are something else. What was spoken is text when it was written down."""
    texts: list[str] = []
    others = 0
    for part in listed(mapping(message.get("content")).get("parts")):
        fields = mapping(part)
        spoken = words(fields.get("text")) if fields.get("content_type") == "audio_transcription" else ""
        text = words(part) or spoken
        if text:
            texts.append(text)
        elif fields:
            others += 1
    return "\n".join(texts).strip(), others
