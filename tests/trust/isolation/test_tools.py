"""No MCP tool or resource gives one subject's memory to another. What isn't in the table fails a test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs mcp: pip install 'atmem-core[mcp]'")

from mcp import Client, MCPError

from atmem_core import Memory
from atmem_mcp import build_server
from tests.trust.isolation.owner import NAMES, OWNER, QUERY, Ids, everything, seen, settle

TOOLS: dict[str, Any] = {
    "memory_recall_decision": lambda ids: {"query": QUERY},
    "memory_store": lambda ids: {"text": "I like tea."},
    "memory_forget": lambda ids: {"record_id": ids.note},
    "search_memory": lambda ids: {"query": "Periwinkle", "limit": 50},
    "forget_fact": lambda ids: {"fact_id": ids.fact},
    "memory_finish_turn": lambda ids: {"user": "I like tea.", "assistant": "Noted.", "key": ids.note},
    "memory_recall": lambda ids: {"query": QUERY, "k": 50},
}
RESOURCES: dict[str, Any] = {
    "memory://index": lambda ids: "memory://index",
    "memory://note/{record_id}": lambda ids: f"memory://note/{ids.note}",
}
SMUGGLED = {"subject": OWNER, "scope": {"subject": OWNER}, "user_id": OWNER, "project": "p", "session": "s"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "agent.db", embedder=None) as opened:
        yield opened


@pytest.fixture
def ids(memory: Memory) -> Ids:
    return settle(memory)


def server(memory: Memory, who: object) -> Any:
    more: Any = {"legacy_tools": True, "host_tools": True}
    return build_server(memory, subject=str(who), allow_background=True, **more)


async def test_every_tool_and_resource_is_in_the_table(memory: Memory) -> None:
    async with Client(server(memory, OWNER)) as client:
        tools: Any = await client.list_tools()
        resources: Any = await client.list_resources()
        templates: Any = await client.list_resource_templates()
    assert {tool.name for tool in tools.tools} == set(TOOLS)
    found = {str(one.uri) for one in resources.resources}
    assert found | {one.uri_template for one in templates.resource_templates} == set(RESOURCES)
    for tool in tools.tools:
        assert "subject" not in str(tool.input_schema)


@pytest.mark.parametrize("kind", ["foreign", "upper case", "LIKE's any", "Cyrillic a", "zero width"])
async def test_a_tool_gives_a_stranger_nothing_and_changes_nothing(
    kind: str, memory: Memory, ids: Ids
) -> None:
    before = everything(memory)
    async with Client(server(memory, NAMES[kind])) as client:
        for name, arguments in TOOLS.items():
            for more in ({}, SMUGGLED):
                result = await client.call_tool(name, {**arguments(ids), **more})
                assert seen(result.model_dump_json()) == [], name
        for uri in RESOURCES.values():
            try:
                read: Any = await client.read_resource(uri(ids))
                shown = read.model_dump_json()
            except MCPError as error:
                shown = str(error)
            assert seen(shown) == []
    assert everything(memory) == before
