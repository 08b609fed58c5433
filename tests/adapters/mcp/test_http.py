"""The server over HTTP on loopback: a real client, and everybody who must not get in."""

import asyncio
import http.client
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from atmem_core import InvalidInput, Memory
from atmem_mcp import build_server, http_app

ASKED = "What is the code of my gym locker?"
TELLTALE = "quillfeather"
TOKEN = "a-token-for-a-test"  # noqa: S105 - opens a server of a test
BEARER = f"Bearer {TOKEN}"


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held


@asynccontextmanager
async def served(memory: Memory, listening: socket.socket) -> AsyncIterator[int]:
    """The server on the socket's port, in this loop."""
    port: int = listening.getsockname()[1]
    app = http_app(build_server(memory, subject="ada"), port=port, token=TOKEN)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    await asyncio.to_thread(_reachable, port)
    yield port
    server.should_exit = True
    await running


async def test_a_real_client_recalls_over_http(memory: Memory, listening: socket.socket) -> None:
    async with (
        served(memory, listening) as port,
        httpx2.AsyncClient(headers={"authorization": BEARER}) as web,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)) as client,
    ):
        recalled: Any = await client.call_tool("memory_recall_decision", {"query": ASKED})
    assert TELLTALE in recalled.structured_content["context"]


def _reachable(port: int) -> None:
    """Returns when the server answers; the socket listens before it, so a connection waits."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    connection.getresponse().read()
    connection.close()


def post(port: int, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    told = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    try:
        connection.request("POST", "/mcp", body, {**told, **headers})
        response = connection.getresponse()
        return response.status, response.read()
    except BrokenPipeError:
        # Refused before all of the body was read.
        return connection.getresponse().status, b""
    finally:
        connection.close()


CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "0"},
        },
    }
).encode()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": BEARER}, 200),
        ({"authorization": BEARER, "origin": "http://127.0.0.1:{port}"}, 200),
        ({"authorization": BEARER, "host": "localhost:{port}"}, 200),
        ({}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": f"{BEARER}x"}, 401),
        ({"authorization": TOKEN}, 401),
        ({"authorization": BEARER, "origin": "https://evil.example"}, 403),
        ({"authorization": BEARER, "origin": "null"}, 403),
        ({"authorization": BEARER, "host": "evil.example"}, 421),
        ({"authorization": BEARER, "host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"authorization": BEARER, "host": "127.0.0.1:1"}, 421),
    ],
)
async def test_who_gets_in(
    memory: Memory, listening: socket.socket, headers: dict[str, str], status: int
) -> None:
    async with served(memory, listening) as port:
        told = {name: value.format(port=port) for name, value in headers.items()}
        got, body = await asyncio.to_thread(post, port, told, CALL)
    assert got == status, body


async def test_garbage_and_too_much_are_refused_and_the_server_lives(
    memory: Memory, listening: socket.socket
) -> None:
    told = {"authorization": BEARER}
    async with served(memory, listening) as port:
        garbage, _ = await asyncio.to_thread(post, port, told, b"hello")
        too_much, _ = await asyncio.to_thread(post, port, told, b" " * 2_000_000)
        fine, _ = await asyncio.to_thread(post, port, told, CALL)
    assert (garbage, too_much, fine) == (400, 413, 200)


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "ü" * 20])
def test_a_weak_token_is_refused(memory: Memory, token: str) -> None:
    with pytest.raises(InvalidInput, match="token"):
        http_app(build_server(memory, subject="ada"), port=1, token=token)
