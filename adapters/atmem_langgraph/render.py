"""From ids to text, at the model call: what was forgotten since the decision isn't there."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict, Unpack, get_args

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from atmem_core import AsyncMemory, Clock, InvalidInput, Memory, Scope
from atmem_core.host import HostMemory, OnError, Outcome
from atmem_langgraph.host import Part, ScopeSource, current_run
from atmem_langgraph.state import value_of
from atmem_langgraph.turn import last_user_index, messages_of

Place: TypeAlias = Literal["turn", "system"]
_BUDGET_TOKENS = 400


class RenderOptions(TypedDict, total=False):
    """How to render; everything may be left out."""

    subject: Part
    """Whose memory, as for ``RecallNode``: what the state says about it is not asked."""
    project: Part
    session: Part
    agent: Part
    budget_tokens: int
    """Size of the block at most, 400 by default."""
    on_error: OnError
    """``"ignore"``, the default, renders nothing when memory fails and logs type and code."""
    deadline_ms: float | None
    clock: Clock | None
    """What tells a note that has expired; the machine's by default."""


class Renderer:
    """Renders one memory's text for one host, again at each model call."""

    def __init__(self, memory: Memory | AsyncMemory, **options: Unpack[RenderOptions]) -> None:
        self._memory = HostMemory(
            memory,
            on_error=options.get("on_error", "ignore"),
            deadline_ms=options.get("deadline_ms"),
            budget_tokens=options.get("budget_tokens", _BUDGET_TOKENS),
            clock=options.get("clock"),
            logger="atmem_langgraph",
        )
        self._source = ScopeSource(
            subject=options.get("subject"),
            project=options.get("project"),
            session=options.get("session"),
            agent=options.get("agent"),
        )

    def text(self, state: object) -> Outcome[str]:
        """The fenced block; an empty text when nothing may be injected."""
        return self._memory.render(_ids(state), self._scope())

    async def atext(self, state: object) -> Outcome[str]:
        """As ``text``."""
        return await self._memory.arender(_ids(state), self._scope())

    def _scope(self) -> Scope:
        return self._source.scope(current_run())


def render_for_model(state: object, memory: Memory, **options: Unpack[RenderOptions]) -> str:
    """The text for the state's ``memory_record_ids``, fenced and escaped; empty when there is none.

    Records that were forgotten, superseded, erased or that expired since the decision are left out,
    and so is what doesn't belong to the run's subject.

    Raises:
        InvalidInput: The run names no subject.
    """
    return Renderer(memory, **options).text(state).value or ""


async def arender_for_model(
    state: object, memory: Memory | AsyncMemory, **options: Unpack[RenderOptions]
) -> str:
    """As ``render_for_model``."""
    return (await Renderer(memory, **options).atext(state)).value or ""


def messages_for_model(
    state: object, memory: Memory, *, place: Place = "turn", **options: Unpack[RenderOptions]
) -> list[BaseMessage]:
    """The state's messages with the text in its place, for the model and not for the state.

    Args:
        state: A state with ``messages`` that ``RecallNode`` has written.
        memory: The memory that was asked.
        place: ``"turn"``: a message of its own before the last user message. All that stands before
            is the same as in the turn before, so a provider's prefix cache holds. ``"system"``: at
            the end of the system message, for models that refuse two user messages in a row.
        **options: As for ``render_for_model``.
    """
    return placed(messages_of(state), render_for_model(state, memory, **options), place=place)


async def amessages_for_model(
    state: object,
    memory: Memory | AsyncMemory,
    *,
    place: Place = "turn",
    **options: Unpack[RenderOptions],
) -> list[BaseMessage]:
    """As ``messages_for_model``."""
    text = await arender_for_model(state, memory, **options)
    return placed(messages_of(state), text, place=place)


def placed(messages: Sequence[BaseMessage], text: str, *, place: Place) -> list[BaseMessage]:
    """A new list with the text in it; the messages as they are when it is empty."""
    checked_place(place)
    given = list(messages)
    if not text:
        return given
    if place == "system":
        first = given[0] if given else None
        if isinstance(first, SystemMessage):
            return [with_memory(first, text), *given[1:]]
        return [with_memory(None, text), *given]
    asked = last_user_index(given)
    at = len(given) if asked is None else asked
    # The user's role and not the system's: the text is data, and few models take a later system
    # message.
    return [*given[:at], HumanMessage(text), *given[at:]]


def with_memory(system: SystemMessage | None, text: str) -> SystemMessage:
    """A copy of the host's system message with the text after its own."""
    if system is None:
        return SystemMessage(text)
    if isinstance(system.content, str):
        content: object = f"{system.content}\n\n{text}"
    else:
        content = [*system.content, {"type": "text", "text": text}]
    return system.model_copy(update={"content": content})


def checked_place(place: str) -> None:
    """Raises InvalidInput unless ``place`` is one of the two."""
    if place not in get_args(Place):
        raise InvalidInput("place", f"must be 'turn' or 'system', got {place!r}")


def _ids(state: object) -> list[str]:
    return [str(record_id) for record_id in value_of(state, "memory_record_ids") or []]
