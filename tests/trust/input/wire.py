"""A real MCP server on its standard streams, and a client that sends it anything."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

_HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LAST: dict[str, Any] = {"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {}}


def answered(database: Path, lines: list[bytes]) -> int:
    """Send the lines; how many were answered. Every line back must be a message."""
    words = [sys.executable, "-m", "atmem_cli", "mcp", str(database), "--subject", "ada"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ.copy()
    ) as server:
        patience = threading.Timer(300, server.kill)
        patience.start()
        try:
            return _exchanged(server, lines)
        finally:
            patience.cancel()
            server.kill()


def _exchanged(server: subprocess.Popen[bytes], lines: list[bytes]) -> int:
    assert server.stdin is not None
    assert server.stdout is not None
    given = [json.dumps(_HELLO).encode(), json.dumps(_READY).encode(), *lines, json.dumps(_LAST).encode()]
    # A thread sends: a server that answers into a full pipe would wait for us, and we for it.
    sending = threading.Thread(target=_send, args=(server.stdin, given), daemon=True)
    sending.start()
    count = 0
    for line in server.stdout:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == "last":
            assert message["result"]["tools"], "the server lives and works"
            return count
        count += "result" in message or "error" in message
    raise AssertionError("the server ended")


def _send(stdin: IO[bytes], lines: list[bytes]) -> None:
    for line in lines:
        stdin.write(line + b"\n")
        stdin.flush()
