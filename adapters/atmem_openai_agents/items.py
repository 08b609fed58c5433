"""The items of a model's input: where the user spoke, and how a block goes before that."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.items import TResponseInputItem


def last_said(items: Sequence[TResponseInputItem]) -> int | None:
    """Place of the user's last message; None without one."""
    places = [place for place, item in enumerate(items) if _role(item) == "user"]
    return places[-1] if places else None


def text_of(item: TResponseInputItem) -> str:
    """What a message says; images and files say nothing."""
    content: Any = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part["text"] for part in parts if isinstance(part, Mapping) and "text" in part]
    return "\n".join(text for text in texts if isinstance(text, str))


def with_block(items: Sequence[TResponseInputItem], block: str) -> list[TResponseInputItem]:
    """The items with the block right before the user's last message, in the user's role.

    A run's later calls have it in the same place, so a provider's prefix cache holds within the run.
    """
    place = last_said(items) or 0
    message: TResponseInputItem = {"role": "user", "content": block}
    return [*items[:place], message, *items[place:]]


def _role(item: TResponseInputItem) -> object:
    return item.get("role")
