"""``atmem mcp``: serve a memory to MCP clients."""

from importlib import import_module
from typing import Annotated, Any

import typer

from atmem_cli import options
from atmem_cli.opening import existing_or_new
from atmem_core import MissingExtra

Http = Annotated[
    int | None,
    typer.Option(
        "--http",
        metavar="PORT",
        min=1,
        max=65535,
        help="Serve streamable HTTP on this loopback port instead of stdio; the token is ATMEM_MCP_TOKEN.",
    ),
]
LegacyTools = Annotated[
    bool,
    typer.Option("--legacy-tools", help="Also list memory_recall, a ranking without authority to inject."),
]

AllTools = Annotated[
    bool,
    typer.Option("--all-tools", help="Also list the functions memory.*, for hosts built around them."),
]
HostTools = Annotated[
    bool,
    typer.Option("--host-tools", help="Also list memory_finish_turn, for a host's program, not for a model."),
]


def mcp(
    database: options.Database,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    allow_background: options.AllowBackground = False,
    budget_tokens: options.BudgetTokens = None,
    deadline_ms: options.DeadlineMs = None,
    http: Http = None,
    legacy_tools: LegacyTools = False,
    all_tools: AllTools = False,
    host_tools: HostTools = False,
) -> None:
    """Serve a subject's memory to MCP clients; makes the database when it isn't there."""
    served = _adapter()
    with existing_or_new(database) as memory:
        server = served.build_server(
            memory,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            allow_background=allow_background,
            budget_tokens=budget_tokens or 400,
            deadline_ms=deadline_ms,
            legacy_tools=legacy_tools,
            all_tools=all_tools,
            host_tools=host_tools,
        )
        if http is None:
            served.serve_stdio(server)
        else:
            served.serve_http(server, port=http)


def _adapter() -> Any:  # noqa: ANN401 - a module that is found by its name
    """The adapter of MCP: a program beside this one, started by its name (docs/adr/0008)."""
    try:
        return import_module("atmem_mcp")
    except ModuleNotFoundError as error:
        if error.name == "atmem_mcp":  # pragma: no cover - the wheel holds both
            raise MissingExtra("mcp", "mcp") from error
        raise
