"""A host that asks the server before each turn keeps every promise of an adapter."""

import re
from collections.abc import Callable
from typing import Any, cast

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult

from atmem_core.testing import ADAPTER_CHECKS, AdapterOptions, HostTurn, HostUnderTest
from atmem_mcp import build_server

_FAILED = re.compile(r"memory failed: (?P<type>\w+) \((?P<code>\w+)\)")


class FailedCallError(Exception):
    """What this host makes of a failed call when it may not go on."""


class Conversation:
    """Asks for a decision before each turn, and puts its context before the message."""

    def __init__(self, server: MCPServer[Any], options: AdapterOptions) -> None:
        self.server, self.options = server, options
        self.history: list[str] = []

    def say(self, text: str) -> HostTurn:
        raise NotImplementedError("MCP has no synchronous client")

    async def asay(self, text: str) -> HostTurn:
        async with Client(self.server) as client:
            result = await client.call_tool("memory_recall_decision", {"query": text})
            if self.options.remember:
                await client.call_tool("memory_store", {"text": text})
        failed = _FAILED.search(_text(result))
        if failed is not None and self.options.on_error == "raise":
            raise FailedCallError(failed[0])
        structured = cast("dict[str, Any]", result.structured_content or {})
        shown = structured.get("context", "")
        request = "\n".join([*self.history, *([shown] if shown else []), text])
        self.history.append(text)
        return HostTurn(
            requests=(request,),
            kept="\n".join(self.history),
            decision=structured.get("decision"),
            failure=None if failed is None else failed.groupdict(),
        )


def _text(result: CallToolResult) -> str:
    return "" if not result.is_error else str(result.content)


class McpHost:
    """A server for each conversation."""

    has_sync = False
    in_process = False

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> Conversation:
        server = build_server(memory, subject=subject, deadline_ms=options.deadline_ms, clock=options.clock)
        return Conversation(server, options)


@pytest.mark.parametrize("check", ADAPTER_CHECKS, ids=lambda check: check.__name__)
def test_the_server_keeps_an_adapters_promises(check: Callable[[HostUnderTest], None]) -> None:
    check(McpHost())
