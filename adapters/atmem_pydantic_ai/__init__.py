"""Memory for Pydantic AI agents.

``MemoryCapability`` decides before a run's steps what may be put before the model, and can store the
turn; ``MemoryToolset`` lets the model recall, store and, with approval, forget.
"""

from atmem_core import MissingExtra

try:
    import pydantic_ai as _host  # noqa: F401 - here, so that its absence names the pip line
except ImportError as error:  # pragma: no cover - the tests' venv has it
    raise MissingExtra("pydantic-ai-slim", "pydantic-ai") from error

from atmem_core.host import DeadlineExceeded
from atmem_pydantic_ai.capability import MemoryCapability, MemoryEvent
from atmem_pydantic_ai.chat_model import PydanticAIChatModel
from atmem_pydantic_ai.marker import released_ids
from atmem_pydantic_ai.toolset import MemoryToolset

__all__ = [
    "DeadlineExceeded",
    "MemoryCapability",
    "MemoryEvent",
    "MemoryToolset",
    "PydanticAIChatModel",
    "released_ids",
]
