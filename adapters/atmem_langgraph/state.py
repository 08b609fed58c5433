"""What a graph's state holds about memory: a decision, ids and error codes, as plain JSON.

Checkpoints keep every version of the state, where ``erase`` can't reach; so no text of a memory
stands here unless a host asks for it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

# typing's own is refused by pydantic before Python 3.12, and with it a graph's JSON schema.
from typing_extensions import TypedDict

from atmem_core import InvalidInput
from atmem_core.host import Failure


class MemoryFailure(TypedDict):
    """What went wrong, without any text: an error's message may quote a memory."""

    type: str
    """Name of the exception's class."""
    code: str
    """``deadline``, the error's own code or reason, or its class in snake case."""


def written(failure: Failure | None) -> MemoryFailure | None:
    """The failure as a state holds it."""
    return None if failure is None else MemoryFailure(type=failure.type, code=failure.code)


class AtmemState(TypedDict):
    """Messages and what the nodes write. A graph's own state may inherit from it."""

    messages: Annotated[list[AnyMessage], add_messages]
    memory_decision: NotRequired[dict[str, Any] | None]
    """The decision as its schema says; None when memory failed."""
    memory_record_ids: NotRequired[list[str]]
    """What may be injected, best first."""
    memory_error: NotRequired[MemoryFailure | None]
    memory_text: NotRequired[str]
    """Only with ``RecallNode(store_text=True)``. Erase doesn't reach it."""
    memory_stored_ids: NotRequired[list[str]]
    """Notes that hold the last remembered turn."""
    memory_store_error: NotRequired[MemoryFailure | None]


def value_of(state: object, key: str) -> Any:  # noqa: ANN401 - a graph's state holds anything
    """A key of a state: a mapping, a dataclass or a pydantic model; None when it is absent."""
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def route_by_decision(state: object, *, on_error: str = "no_useful_memory") -> str:
    """The label to branch on, for ``add_conditional_edges``.

    Args:
        state: A state that ``RecallNode`` has written.
        on_error: The label when memory failed. By default the branch that does without memory, so
            that a failure doesn't end the run; ``memory_error`` in the state still tells the two
            apart. For a branch of its own: ``functools.partial(route_by_decision,
            on_error="memory_failed")``.

    Raises:
        InvalidInput: No ``RecallNode`` has run before.
    """
    decision = value_of(state, "memory_decision")
    if decision is not None:
        return str(decision["support_class"])
    if value_of(state, "memory_error") is None:
        raise InvalidInput(
            "state", "holds no memory_decision; put a RecallNode before, and the key in the schema"
        )
    return on_error
