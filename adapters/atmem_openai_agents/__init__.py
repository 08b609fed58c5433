"""Memory for the OpenAI Agents SDK: a filter that decides once a run, and hooks that store the turn."""

from atmem_core import MissingExtra

try:
    import agents as _host  # noqa: F401 - here, so that its absence names the pip line
except ImportError as error:  # pragma: no cover - the tests' venv has it
    raise MissingExtra("openai-agents", "openai-agents") from error

from atmem_core.host import DeadlineExceeded
from atmem_openai_agents.turn import AtmemTurn, AtmemTurns

__all__ = ["AtmemTurn", "AtmemTurns", "DeadlineExceeded"]
