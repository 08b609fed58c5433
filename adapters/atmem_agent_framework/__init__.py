"""Memory for Microsoft Agent Framework: a context provider that decides before a run and stores after it."""

from atmem_core import MissingExtra

try:
    import agent_framework as _host  # noqa: F401 - here, so that its absence names the pip line
except ImportError as error:  # pragma: no cover - the tests' venv has it
    raise MissingExtra("agent-framework-core", "agent-framework") from error

from atmem_agent_framework.provider import AtmemContextProvider
from atmem_core.host import DeadlineExceeded

__all__ = ["AtmemContextProvider", "DeadlineExceeded"]
