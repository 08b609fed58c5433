"""The real program: a real client, a client that talks nonsense, and what stands on standard output."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters

from atmem_core import Memory
from atmem_mcp.stdio import MAX_LINE_BYTES
from tests.house.tree import ROOT

ASKED = "What is the code of my gym locker?"
TELLTALE = "quillfeather"
ENVIRONMENT = {"PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "0"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def words(database: Path) -> list[str]:
    return ["-m", "atmem_cli", "mcp", str(database), "--subject", "ada"]


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_a_real_client_recalls_stores_and_forgets(
    database: Path, mode: Literal["auto", "legacy"], version: str
) -> None:
    server = StdioServerParameters(command=sys.executable, args=words(database), env=ENVIRONMENT)
    async with Client(server, mode=mode) as client:
        assert client.session.protocol_version == version
        recalled: Any = await client.call_tool("memory_recall_decision", {"query": ASKED})
        stored: Any = await client.call_tool("memory_store", {"text": "Ada's bike is green."})
        note = stored.structured_content["record_id"]
        forgotten = await client.call_tool("memory_forget", {"record_id": note})
    assert TELLTALE in recalled.structured_content["context"]
    assert forgotten.structured_content == {"record_ids": [note]}
    with Memory.open(database, embedder=None) as memory:
        assert len(memory.notes(subject="ada")) == 3


class Wire:
    """A client by hand."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self.stdout = process, process.stdin, process.stdout
        # A server that doesn't answer is ended, and reading from it gives nothing.
        self.patience = threading.Timer(60, process.kill)
        self.patience.start()

    def send(self, line: bytes | dict[str, Any]) -> None:
        self.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode())
        self.stdin.write(b"\n")
        self.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next line, which must be a message."""
        line = self.stdout.readline()
        assert line, "the server never answered"
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, line: bytes | dict[str, Any]) -> dict[str, Any]:
        self.send(line)
        return self.receive()

    def close(self) -> tuple[bytes, bytes]:
        """What is left on both streams when the client hangs up."""
        left, errors = self.process.communicate()
        self.patience.cancel()
        return left, errors


@pytest.fixture
def wire(database: Path) -> Iterator[Wire]:
    with started(words(database)) as process:
        wire = Wire(process)
        assert wire.ask(INITIALIZE)["result"]["protocolVersion"] == "2025-11-25"
        wire.send(READY)
        yield wire
        wire.patience.cancel()
        process.kill()


def started(arguments: list[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT
    )


def recall(number: int) -> dict[str, Any]:
    params = {"name": "memory_recall_decision", "arguments": {"query": ASKED}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.parametrize(
    ("garbage", "code", "answered_to"),
    [
        (b"hello", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 7', -32700, None),
        (b"\xff\xfe\x00", -32700, None),
        (b"[" * 50_000, -32700, None),
        (b"[]", -32600, None),
        (b"42", -32600, None),
        (b'{"id": 7, "method": "ping"}', -32600, 7),
        (b'{"jsonrpc": "1.0", "id": "x", "method": "ping"}', -32600, "x"),
        (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "no/such"}', -32601, 8),
    ],
    ids=lambda one: str(one)[:24] if isinstance(one, bytes) else "",
)
def test_garbage_is_answered_and_the_server_lives(
    wire: Wire, garbage: bytes, code: int, answered_to: object
) -> None:
    answer = wire.ask(garbage)
    assert (answer["error"]["code"], answer.get("id")) == (code, answered_to)
    answer = wire.ask(recall(9))
    assert answer["id"] == 9
    assert TELLTALE in answer["result"]["structuredContent"]["context"]


def test_a_line_that_is_too_long_is_refused_whole(wire: Wire) -> None:
    long = {**recall(5), "padding": "x" * (3 * MAX_LINE_BYTES)}
    answer = wire.ask(long)
    assert answer["error"] == {"code": -32600, "message": f"a message has {MAX_LINE_BYTES} bytes at most"}
    assert wire.ask(recall(6))["id"] == 6


def test_blank_lines_are_no_messages(wire: Wire) -> None:
    wire.send(b"")
    wire.send(b"  ")
    assert wire.ask(recall(3))["id"] == 3


def test_arguments_that_fit_no_schema_are_an_error_of_the_tool(wire: Wire) -> None:
    for arguments in ({}, {"query": 7}, {"query": ""}, {"query": None}):
        params = {"name": "memory_recall_decision", "arguments": arguments}
        answer = wire.ask({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params})
        assert answer["result"]["isError"] is True
    assert wire.ask(recall(5))["id"] == 5


def test_the_server_ends_when_its_client_hangs_up(wire: Wire) -> None:
    wire.ask(recall(2))
    left, errors = wire.close()
    assert left == b""
    assert wire.process.returncode == 0
    assert TELLTALE.encode() not in errors
    assert b"gym locker" not in errors


PRINTING = """
import os, sys
from atmem_core import Memory
from atmem_mcp import build_server, serve_stdio

class Loud:
    def __init__(self, memory):
        self.memory = memory
    def __getattr__(self, name):
        print("printed by a library")
        os.write(1, b"written by C code\\n")
        os.system("echo echoed by a child")
        return getattr(self.memory, name)

with Memory.open(sys.argv[1], embedder=None) as memory:
    server = build_server(Loud(memory), subject="ada")
    print("before", file=sys.stderr)
    serve_stdio(server)
print("after the wire")
"""


def test_what_anything_prints_stays_off_the_wire(database: Path) -> None:
    with started(["-c", PRINTING, str(database)]) as process:
        wire = Wire(process)
        wire.ask(INITIALIZE)
        wire.send(READY)
        assert TELLTALE in wire.ask(recall(2))["result"]["structuredContent"]["context"]
        left, errors = wire.close()
    assert left == b"after the wire\n"
    for noise in (b"printed by a library", b"written by C code", b"echoed by a child"):
        assert noise in errors


def test_a_missing_extra_names_its_pip_line(database: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None\nfrom atmem_cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "mcp", str(database), "--subject", "ada"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert ran.returncode == 1
    assert "pip install 'atmem-core[mcp]'" in ran.stderr


def test_the_command_makes_the_database(tmp_path: Path) -> None:
    with started(words(tmp_path / "new.db")) as process:
        wire = Wire(process)
        wire.ask(INITIALIZE)
        wire.send(READY)
        answer = wire.ask(recall(2))["result"]["structuredContent"]
        assert answer["decision"]["support_class"] == "no_useful_memory"
        wire.close()
    assert (tmp_path / "new.db").exists()
