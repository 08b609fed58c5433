"""A stand-in chat server on loopback: it answers what a test scripted and notes what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent back to one request."""

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    """Say nothing until the server ends."""
    drip: bool = False
    """Send a byte now and then, for ever."""


@dataclass(slots=True)
class StandIn:
    """The server as a test sees it."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    """Used up one a request; the last one stays."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    refuses: Callable[[dict[str, Any]], bool] = lambda body: False
    """Which requests are answered with 403, whatever was scripted."""

    def take(self, body: dict[str, Any], key: str | None) -> Answer:
        self.bodies.append(body)
        self.keys.append(key)
        if self.refuses(body):
            return Answer(status=403)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def said(text: str) -> Answer:
    """A reply of text."""
    return _completion({"role": "assistant", "content": text})


def called(arguments: object, name: str = "apply_memory_ops") -> Answer:
    """A reply that calls the tool."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": written}}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]})


def _completion(message: object) -> Answer:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return Answer(body=json.dumps({"id": "x", "choices": [choice]}).encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stand_in: StandIn


@contextmanager
def standing_in(*answers: Answer) -> Iterator[StandIn]:
    """A server with these answers."""
    server = _Server(("127.0.0.1", 0), _Handler)
    stand_in = StandIn(url=f"http://127.0.0.1:{server.server_address[1]}/v1", answers=list(answers))
    server.stand_in = stand_in
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        answer = self.server.stand_in.take(body, self.headers.get("Authorization"))
        if answer.silent:
            self.server.stand_in.ended.wait()
            return
        with suppress(OSError):  # the client may be gone
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.drip:
            self.end_headers()
            while not self.server.stand_in.ended.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()
            return
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the tests' output."""
