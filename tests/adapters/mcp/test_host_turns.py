"""A host that speaks MCP stores the turns that it saw; no model is shown the tool for it."""

from typing import Any

import pytest
from mcp import Client

from atmem_core import Memory
from atmem_mcp import build_server


async def finish(memory: Memory, **arguments: Any) -> Any:
    async with Client(build_server(memory, subject="ada", agent="main", host_tools=True)) as client:
        return await client.call_tool("memory_finish_turn", arguments)


@pytest.mark.parametrize("host_tools", [False, True])
async def test_the_tool_is_listed_for_a_hosts_program_alone(memory: Memory, *, host_tools: bool) -> None:
    async with Client(build_server(memory, subject="ada", host_tools=host_tools)) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
    assert ("memory_finish_turn" in listed) is host_tools


async def test_each_side_is_stored_as_who_said_it_where_the_host_says(memory: Memory) -> None:
    told = await finish(memory, user="My bike is red.", assistant="Noted.", session="s1")
    notes = [memory.get(one, subject="ada") for one in told.structured_content["record_ids"]]
    assert [(note.text, note.source, note.scope.session, note.scope.agent) for note in notes] == [
        ("My bike is red.", "user", "s1", "main"),
        ("Noted.", "assistant", "s1", "main"),
    ]


async def test_a_turn_is_stored_once_under_its_key_and_without_recalled_text(memory: Memory) -> None:
    block = '<atmem-memory note="data">My canoe is green.</atmem-memory>'
    first = await finish(memory, user=f"{block}\nMy bike is red.", key="s1/r1")
    again = await finish(memory, user="My bike is red.", key="s1/r1")
    assert first.structured_content == again.structured_content
    (note_id,) = first.structured_content["record_ids"]
    assert memory.get(note_id, subject="ada").text == "My bike is red."


async def test_a_refused_turn_is_an_error_of_the_tool(memory: Memory) -> None:
    memory.close()
    assert (await finish(memory, user="My bike is red.")).is_error
