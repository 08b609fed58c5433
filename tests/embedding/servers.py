"""A stand-in on loopback that speaks Ollama's and OpenAI's embedding API, and Core's as it is assumed."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from atmem_core.embedding import Embedder, HashingEmbedder
from atmem_core.records import EmbedPurpose


@dataclass(slots=True)
class Stand:
    """The server as a test sees and bends it."""

    url: str
    dimensions: int = 64
    digest: str = "sha-1"
    installed: bool = True
    """Has Ollama the model?"""
    enabled: bool = True
    """Is Core's module on?"""
    model: str = "nomic-embed-text"
    statuses: list[int] = field(default_factory=list)
    """Of the next answers; 200 when none is left."""
    silent: bool = False
    spoil: str = ""
    """nan, zero, short, flat, text: what is wrong with the vectors."""
    shape: str = "embeddings"
    """embeddings, embedding, nested, data, list."""
    serves: Embedder | None = None
    """Whose vectors it gives; made of words and letters when None."""
    asked: list[tuple[str, Any]] = field(default_factory=list)
    """Path and body of each request."""
    keys: list[str | None] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def texts(self) -> list[str]:
        """All that was sent to be embedded."""
        return [text for _, body in self.asked if body for text in body.get("input", [])]

    def rows(self, texts: list[str]) -> list[Any]:
        model = self.serves or HashingEmbedder(self.dimensions)
        made = model.embed(texts, purpose=EmbedPurpose.DOCUMENT)
        rows: list[Any] = [[2.0 * float(one) for one in row] for row in made]
        if self.spoil == "nan":
            rows[0][0] = float("nan")
        elif self.spoil == "zero":
            rows[0] = [0.0] * self.dimensions
        elif self.spoil == "short":
            rows = rows[1:]
        elif self.spoil == "ragged":
            rows[0] = rows[0][1:]
        elif self.spoil == "text":
            rows[0] = ["quillfeather"] * self.dimensions
        return rows

    def shaped(self, rows: list[Any]) -> object:
        match self.shape:
            case "embedding":
                return {"embedding": rows[0]}
            case "nested":
                return {"embedding": [rows[0]]}
            case "data":
                items = [{"embedding": row, "index": at} for at, row in enumerate(rows)]
                return {"data": items[::-1]}
            case "list":
                return [{"embedding": [row]} for row in rows]
            case _:
                return {"embeddings": rows}

    def answer(self, path: str, body: Any) -> tuple[int, bytes]:
        self.asked.append((path, body))
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return status, b"quillfeather is secret"
        return 200, self._said(path, body)

    def _said(self, path: str, body: Any) -> bytes:
        match path:
            case "/api/tags":
                models = [{"name": f"{self.model}:latest", "digest": self.digest}] if self.installed else []
                return json.dumps({"models": models}).encode()
            case "/api/pull":
                self.installed = True
                lines = [{"status": "pulling", "completed": 5, "total": 10}, {"status": "success"}]
                return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            case "/v1/embedding" if body is None:
                said = {"enabled": self.enabled, "model": f"{self.model}@r1", "dimensions": self.dimensions}
                return json.dumps(said).encode()
            case "/v1/nothing":
                return b"no json"
            case _:
                return json.dumps(self.shaped(self.rows(body["input"]))).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stand: Stand


@contextmanager
def embedding_server(**bent: Any) -> Iterator[Stand]:
    """A server, bent as the test wants it."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.stand = Stand(url=f"http://127.0.0.1:{server.server_address[1]}", **bent)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield server.stand
    finally:
        server.stand.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._do(None)

    def do_POST(self) -> None:
        self._do(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _do(self, body: Any) -> None:
        stand = self.server.stand
        stand.keys.append(self.headers.get("Authorization"))
        if stand.silent:
            stand.ended.wait()
            return
        status, answer = stand.answer(self.path, body)
        with suppress(OSError):  # the client may be gone
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the tests' output."""
