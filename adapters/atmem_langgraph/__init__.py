"""Memory for LangGraph and for LangChain agents.

``RecallNode`` decides, ``route_by_decision`` branches on the decision, ``messages_for_model`` puts
the released text before the model, ``RememberNode`` stores the turn; ``AtmemMiddleware`` does all
four for ``create_agent``.
"""

from typing import TYPE_CHECKING

from atmem_core import MissingExtra
from atmem_core.host import DeadlineExceeded

try:
    import langgraph as _host  # noqa: F401 - here, so that its absence names the pip line
except ImportError as error:  # pragma: no cover - the tests' venv has it
    raise MissingExtra("langgraph", "langgraph") from error

from atmem_langgraph.chat_model import LangChainChatModel
from atmem_langgraph.host import HostRun
from atmem_langgraph.recall_node import RecallNode
from atmem_langgraph.remember_node import RememberNode
from atmem_langgraph.render import (
    RenderOptions,
    amessages_for_model,
    arender_for_model,
    messages_for_model,
    render_for_model,
)
from atmem_langgraph.state import AtmemState, MemoryFailure, route_by_decision
from atmem_langgraph.store import AtmemStore

if TYPE_CHECKING:
    from atmem_langgraph.middleware import AtmemAgentState, AtmemMiddleware

__all__ = [
    "AtmemAgentState",
    "AtmemMiddleware",
    "AtmemState",
    "AtmemStore",
    "DeadlineExceeded",
    "HostRun",
    "LangChainChatModel",
    "MemoryFailure",
    "RecallNode",
    "RememberNode",
    "RenderOptions",
    "amessages_for_model",
    "arender_for_model",
    "messages_for_model",
    "render_for_model",
    "route_by_decision",
]


def __getattr__(name: str) -> object:
    """The names that need langchain, which a graph alone doesn't: imported when first asked for."""
    if name not in {"AtmemAgentState", "AtmemMiddleware"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from atmem_langgraph import middleware  # noqa: PLC0415 - see above
    except ImportError as error:
        raise MissingExtra("langchain", "langgraph") from error
    return getattr(middleware, name)
