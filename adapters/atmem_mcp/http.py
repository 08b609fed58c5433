"""The server over streamable HTTP, for several hosts on one machine: loopback, and a token.

A browser on the same machine can reach a loopback port, so Host and Origin are checked; other users of the
machine can too, so every request needs the token.
"""

import hmac
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from atmem_core import InvalidInput

TOKEN_VARIABLE = "ATMEM_MCP_TOKEN"  # noqa: S105 - the name of a variable, not a token
"""Environment variable that holds the token; on a command line every user of the machine could read it."""
PATH = "/mcp"
_HOST = "127.0.0.1"
_MAX_BODY_BYTES = 1_048_576
_LEAST_TOKEN_CHARS = 16
_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]
App: TypeAlias = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def http_app(server: MCPServer[Any], *, port: int, token: str) -> App:
    """The server as an ASGI application that answers on a loopback port, to who has the token.

    Raises:
        InvalidInput: The token is shorter than 16 characters or not ASCII.
    """
    if len(token) < _LEAST_TOKEN_CHARS or not token.isascii():
        raise InvalidInput("token", f"must have {_LEAST_TOKEN_CHARS} ASCII characters or more")
    places = [f"{name}:{port}" for name in (_HOST, "localhost")]
    checks = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=places,
        allowed_origins=[f"http://{place}" for place in places],
    )
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=_MAX_BODY_BYTES,
        transport_security=checks,
        host=_HOST,
    )
    return _with_token(inner, token)


def serve_http(server: MCPServer[Any], *, port: int, token: str | None = None) -> None:
    """Serve on ``127.0.0.1`` until stopped.

    Args:
        server: What ``build_server`` made.
        port: Port to listen on.
        token: None takes it from ``ATMEM_MCP_TOKEN``, or makes one and shows it on standard error.
    """
    told = token or os.environ.get(TOKEN_VARIABLE)
    if told is None:
        told = secrets.token_urlsafe(24)
        print(f"{TOKEN_VARIABLE}={told}", file=sys.stderr)  # noqa: T201 - once, to the person who starts it
    app = http_app(server, port=port, token=told)
    uvicorn.run(app, host=_HOST, port=port, log_level="warning", access_log=False)


def _with_token(app: App, token: str) -> App:
    wanted = f"Bearer {token}".encode("ascii")

    async def guarded(scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, wanted):
                await _refuse(send)
                return
        await app(scope, receive, send)

    return guarded


async def _refuse(send: _Send) -> None:
    headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": b"this server needs its token\n"})
