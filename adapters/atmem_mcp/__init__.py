"""An MCP server over one subject's memory: what a client may recall is decided, not searched.

``build_server`` gives the server, ``serve_stdio`` and ``serve_http`` run it; ``atmem mcp DB --subject S`` is
the program.
"""

from atmem_core import MissingExtra

try:
    import mcp as _host  # noqa: F401 - here, so that its absence names the pip line
except ImportError as error:  # pragma: no cover - the tests' venv has it
    raise MissingExtra("mcp", "mcp") from error

from atmem_mcp.http import http_app, serve_http
from atmem_mcp.server import ServerOptions, build_server
from atmem_mcp.stdio import serve_stdio

__all__ = ["ServerOptions", "build_server", "http_app", "serve_http", "serve_stdio"]
