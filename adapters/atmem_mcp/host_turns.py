"""``memory_finish_turn``: how a host that speaks MCP stores a turn it saw; only with ``host_tools``.

Rule: this is for a program. What it stores as the user's words has the user's trust, so a host must not show
it to a model, which could then say anything in the user's name.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import getdoc
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from atmem_core import Scope
from atmem_core.host import HostMemory, Said, message_key
from atmem_mcp.answers import answer
from atmem_mcp.tools import ADDS, MemoryTools, told_or_failed

Part = Annotated[str | None, Field(min_length=1, max_length=200)]


class FinishedTurn(BaseModel):
    """The notes that hold the turn."""

    record_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTurns:
    """Finished turns of one subject."""

    memory: HostMemory
    scope: Scope

    async def memory_finish_turn(
        self,
        user: Annotated[str, Field(min_length=1, description="What the user said")],
        assistant: Annotated[str | None, Field(description="The answer, to store it too")] = None,
        session: Part = None,
        key: Annotated[Part, Field(description="Id of the turn: stored once under it")] = None,
    ) -> Annotated[CallToolResult, FinishedTurn]:
        """Store a turn that has succeeded. For the host's program alone: keep it from the model."""
        turn = [Said(text=user, key=_key(key, "user"))]
        if assistant:
            turn.append(
                Said(text=assistant, speaker="assistant", source="assistant", key=_key(key, "assistant"))
            )
        scope = self.scope if session is None else replace(self.scope, session=session)
        ids = told_or_failed(await self.memory.aremember(turn, scope))
        return answer(FinishedTurn(record_ids=list(ids)), f"Stored {len(ids)}.")


def register_host_turns(server: MCPServer[Any], tools: MemoryTools) -> None:
    """Give the server the host's tool beside those of a model."""
    turns: Callable[..., Any] = HostTurns(memory=tools.memory, scope=tools.scope).memory_finish_turn
    server.add_tool(turns, description=getdoc(turns), annotations=ADDS)


def _key(key: str | None, side: str) -> str | None:
    return None if key is None else message_key("turn", key, side)
