"""The functions ``memory.*``, under the names that some hosts were built around; only with ``all_tools``.

Rule: what a function does stands in the core; here is its signature, of which the SDK makes a schema. Where a
record belongs comes from the server, never from an argument.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field

from atmem_core.host import MemoryFunction, memory_functions
from atmem_mcp.answers import ForgottenIds, Stored, answer
from atmem_mcp.tools import ADDS, READS, REMOVES, MemoryTools, told_or_failed

Function: TypeAlias = Callable[..., Awaitable[CallToolResult]]
Id = Annotated[str | None, Field(min_length=1, max_length=200, description="Id at the head of a line")]
Query = Annotated[str | None, Field(min_length=1, description="The user's request, or words of it")]
Key = Annotated[str, Field(min_length=1, max_length=120, description="Such as diet")]
Labels = Annotated[list[str], Field(max_length=50)]
HowMany = Annotated[int | None, Field(ge=1, le=10)]
_HINTS: dict[str, ToolAnnotations] = {"reads": READS, "adds": ADDS, "removes": REMOVES}


class ShownIds(BaseModel):
    """What the text of the answer shows."""

    record_ids: list[str]


class ShownLines(ShownIds):
    """What of a list the text of the answer shows."""

    left_out: int = Field(description="Entries that have no room in an answer")


class ProfileSet(BaseModel):
    """What was set, and which values it closed."""

    record_id: str
    closed: list[str]


class Removed(BaseModel):
    """Whether there was a value."""

    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """``memory.*``, each a method."""

    tools: MemoryTools

    async def notes_store(
        self, content: Annotated[str, Field(description="One statement")], tags: Labels | None = None
    ) -> Annotated[CallToolResult, Stored]:
        """Run ``memory.notes.store``."""
        return await self._run("notes.store", Stored, content=content, tags=tags)

    async def notes_recall(
        self,
        query: Query = None,
        id: Id = None,
        *,
        k: HowMany = None,
        tags: Labels | None = None,
        scope: Literal["all", "project"] = "all",
    ) -> Annotated[CallToolResult, ShownIds]:
        """Run ``memory.notes.recall``."""
        if (query is None) == (id is None):
            raise ToolError("give query or id, and not both")
        return await self._run("notes.recall", ShownIds, query=query, id=id, k=k, tags=tags, scope=scope)

    async def notes_forget(self, id: Id) -> Annotated[CallToolResult, ForgottenIds]:
        """Run ``memory.notes.forget``."""
        return await self._run("notes.forget", ForgottenIds, id=id)

    async def profile_set(
        self,
        key: Key,
        value: Annotated[str, Field(min_length=1, max_length=2_000)],
        *,
        pinned: bool = True,
        keywords: Labels | None = None,
    ) -> Annotated[CallToolResult, ProfileSet]:
        """Run ``memory.profile.set``."""
        return await self._run(
            "profile.set", ProfileSet, key=key, value=value, pinned=pinned, keywords=keywords
        )

    async def profile_remove(self, key: Key) -> Annotated[CallToolResult, Removed]:
        """Run ``memory.profile.remove``."""
        return await self._run("profile.remove", Removed, key=key)

    async def profile_list(self) -> Annotated[CallToolResult, ShownLines]:
        """Run ``memory.profile.list``."""
        return await self._run("profile.list", ShownLines)

    async def profile_history(self, key: Key) -> Annotated[CallToolResult, ShownLines]:
        """Run ``memory.profile.history``."""
        return await self._run("profile.history", ShownLines, key=key)

    async def lessons_recall(
        self, query: Query = None, id: Id = None, k: HowMany = None
    ) -> Annotated[CallToolResult, ShownLines]:
        """Run ``memory.lessons.recall``."""
        return await self._run("lessons.recall", ShownLines, query=query, id=id, k=k)

    async def procedures_recall(
        self, query: Query = None, id: Id = None, k: HowMany = None
    ) -> Annotated[CallToolResult, ShownLines]:
        """Run ``memory.procedures.recall``."""
        return await self._run("procedures.recall", ShownLines, query=query, id=id, k=k)

    async def _run(self, name: str, shape: type[BaseModel], **arguments: Any) -> CallToolResult:  # noqa: ANN401 - as a client gave them
        given = {key: value for key, value in arguments.items() if value is not None}
        outcome = await self.tools.memory.afunction(f"memory.{name}", given, self.tools.scope)
        result = told_or_failed(outcome)
        if not result.ok:
            raise ToolError(result.text)
        return answer(shape(**result.details), result.text)


def register_functions(server: MCPServer[Any], tools: MemoryTools) -> None:
    """Give the server the functions beside its tools."""
    functions = Functions(tools=tools)
    for one in memory_functions():
        server.add_tool(
            _method(functions, one), name=one.name, description=one.description, annotations=_HINTS[one.kind]
        )


def _method(functions: Functions, function: MemoryFunction) -> Function:
    method: Function = getattr(functions, function.name.removeprefix("memory.").replace(".", "_"))
    return method
