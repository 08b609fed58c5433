"""The plugin in the real OpenClaw: ``npm install openclaw@2026.9.6 node@24`` somewhere, and say where.

ATMEM_TEST_OPENCLAW=/that/folder python -m pytest -m long tests/adapters/openclaw/test_real_host.py
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import ROOT

INSTALLED = os.environ.pop("ATMEM_TEST_OPENCLAW", None)
TOLD = "The code of my gym locker is quillfeather."
ASKED = "What is the code of my gym locker?"
START = (
    f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'adapters')!r}];"
    " from atmem_cli.main import main; main()"
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        INSTALLED is None, reason="ATMEM_TEST_OPENCLAW names no folder with openclaw and node"
    ),
]


class Model(BaseHTTPRequestHandler):
    """Streams "Noted.", as an OpenAI-compatible server does, and keeps the requests."""

    requests: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta, end in (({"role": "assistant", "content": "Noted."}, None), ({}, "stop")):
            chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}
            chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": end}]
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def model() -> Iterator[str]:
    Model.requests = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def configuration(folder: Path, url: str) -> dict[str, Any]:
    plugin = {
        "database": str(folder / "m.db"),
        "subject": "ada",
        "deadlineMs": 14_000,
        "command": sys.executable,
        "commandArgs": ["-c", START],
    }
    served = {"id": "fake-1", "name": "Fake", "reasoning": False, "input": ["text"]}
    served |= {"contextWindow": 100_000, "maxTokens": 1_000}
    provider = {"baseUrl": url, "apiKey": "none", "api": "openai-completions", "models": [served]}
    return {
        "agents": {"defaults": {"model": {"primary": "fake/fake-1"}}},
        "models": {"providers": {"fake": provider}},
        "tools": {"toolSearch": False},  # else ours are found by a search, and not in the request
        "plugins": {
            "load": {"paths": [str(ROOT / "adapters" / "openclaw")]},
            "slots": {"memory": "atmem"},
            "entries": {
                "atmem": {"enabled": True, "config": plugin, "hooks": {"allowConversationAccess": True}}
            },
        },
    }


def say(folder: Path, session: str, text: str) -> None:
    modules = Path(str(INSTALLED)) / "node_modules"
    environment = {
        "PATH": f"{modules / '.bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "OPENCLAW_STATE_DIR": str(folder / "state"),
    }
    words = ["node", str(modules / "openclaw" / "openclaw.mjs"), "agent", "--local", "--agent", "main"]
    words += ["--session-key", f"agent:main:{session}", "--message", text, "--json"]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=180)
    assert ran.returncode == 0, ran.stderr[-4000:]


def test_a_recalled_note_is_in_the_request_and_not_in_the_transcript(tmp_path: Path, model: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "openclaw.json").write_text(json.dumps(configuration(tmp_path, model)))
    say(tmp_path, "t1", TOLD)
    say(tmp_path, "t2", ASKED)
    asked = json.dumps(Model.requests[-1]["messages"])
    assert ASKED in asked
    assert TOLD in asked
    assert "<atmem-memory>" in asked
    tools = {tool["function"]["name"] for tool in Model.requests[-1]["tools"]}
    assert {"memory_recall", "memory_store", "memory_forget"} <= tools
    agents = [path for path in (tmp_path / "state" / "agents").rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in agents)
    assert ASKED.encode() in kept
    assert b"<atmem-memory>" not in kept
