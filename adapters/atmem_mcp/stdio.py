"""The server on standard input and output: one JSON-RPC message a line, and nothing else.

Rule: every line on standard output is a message of the protocol; what anything in this process prints
goes to standard error. A line that is no message, or too long, is answered with an error, and the server
lives: the SDK alone drops such a line in silence, and its client waits for ever.
"""

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError

MAX_LINE_BYTES = 1_048_576
"""Longest message that is read."""
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve one client until it closes standard input."""
    with _wire() as (reading, writing):
        anyio.run(_serve, server, reading, writing)


async def _serve(server: MCPServer[Any], reading: BinaryIO, writing: BinaryIO) -> None:
    output = _Output(writing)
    source = cast("anyio.AsyncFile[str]", _Lines(reading, output))
    # The SDK asks both for one method each; anyio's class wants a file object of Python's around them.
    async with stdio_server(source, cast("anyio.AsyncFile[str]", output)) as (incoming, outgoing):
        lowlevel = server._lowlevel_server  # noqa: SLF001 - as its own run_stdio_async does, which takes no streams
        await lowlevel.run(incoming, outgoing, lowlevel.create_initialization_options())


@contextmanager
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The two ends of the wire, kept from all else in this process and its children."""
    kept_in, kept_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        # closefd: a thread may still wait on the descriptor when the loop has ended.
        yield os.fdopen(kept_in, "rb", closefd=False), os.fdopen(kept_out, "wb", closefd=False)
    finally:
        sys.stdout.flush()  # what was printed and held back must not come out on the wire
        os.dup2(kept_in, 0)
        os.dup2(kept_out, 1)


class _Output:
    """Standard output, for whole lines of two writers."""

    def __init__(self, wire: BinaryIO) -> None:
        self._wire = wire
        self._turn = anyio.Lock()

    async def write(self, line: str) -> None:
        """One line, at once."""
        async with self._turn:
            await anyio.to_thread.run_sync(self._put, line.encode("utf-8", "backslashreplace"))

    async def flush(self) -> None:
        """Nothing is held back."""

    def _put(self, line: bytes) -> None:
        self._wire.write(line)
        self._wire.flush()


class _Lines:
    """The messages on standard input; what is none is answered here."""

    def __init__(self, wire: BinaryIO, output: _Output) -> None:
        self._wire = wire
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True):
            error = _fault(line)
            if error is None:
                yield line.decode("utf-8")
            elif line.strip():
                await self._output.write(json.dumps(error) + "\n")

    def _read(self) -> bytes:
        line = self._wire.readline(MAX_LINE_BYTES + 1)
        rest = line
        while len(line) > MAX_LINE_BYTES and rest and not rest.endswith(b"\n"):
            rest = self._wire.readline(MAX_LINE_BYTES)
        return line


def _fault(line: bytes) -> dict[str, Any] | None:
    """The error that answers a line; None for a message."""
    if len(line) > MAX_LINE_BYTES:
        return _error(None, _INVALID_REQUEST, f"a message has {MAX_LINE_BYTES} bytes at most")
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValidationError, ValueError):
        return _unread(line)
    # A request whose id is no id passes for a notification, and its client would wait for ever.
    if isinstance(message, JSONRPCNotification) and "id" in json.loads(line):
        return _unread(line)
    return None


def _unread(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, _PARSE_ERROR, "the line is no JSON in UTF-8")
    asked = given.get("id") if isinstance(given, dict) else None
    return _error(
        asked if isinstance(asked, str | int) else None, _INVALID_REQUEST, "no JSON-RPC 2.0 message"
    )


def _error(asked: str | int | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": message}}
