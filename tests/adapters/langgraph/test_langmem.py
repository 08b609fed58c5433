"""LangMem's tools over ``AtmemStore``, where LangMem is installed."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from atmem_core import Memory
from atmem_langgraph import AtmemStore

pytestmark = pytest.mark.skipif(
    find_spec("langmem") is None, reason="needs langmem, which holds other packages back: pip install langmem"
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None) as memory:
        yield memory


def tools(memory: Memory, user: str) -> tuple[Any, Any]:
    """LangMem's two tools for one user, over a store in which a label of the namespace is the subject."""
    langmem = import_module("langmem")
    store, namespace = AtmemStore(memory, subject=1), ("memories", user)
    return (
        langmem.create_manage_memory_tool(namespace=namespace, store=store),
        langmem.create_search_memory_tool(namespace=namespace, store=store),
    )


def test_its_tools_create_find_update_and_delete(memory: Memory) -> None:
    manage, search = tools(memory, "ada")
    told = manage.invoke({"content": "Brutus is my Bernese mountain dog.", "action": "create"})
    key = told.split()[-1]
    assert "Bernese" in search.invoke({"query": "Which dog is Brutus?"})
    manage.invoke({"content": "Brutus is my Leonberger.", "action": "update", "id": key})
    found = search.invoke({"query": "Which dog is Brutus?"})
    assert "Leonberger" in found
    assert "Bernese" not in found
    manage.invoke({"action": "delete", "id": key})
    assert "Leonberger" not in search.invoke({"query": "Which dog is Brutus?"})


def test_one_users_tools_find_nothing_of_another(memory: Memory) -> None:
    manage, search = tools(memory, "ada")
    told = manage.invoke({"content": "Brutus is my Bernese mountain dog.", "action": "create"})
    other, others_search = tools(memory, "eve")
    other.invoke({"content": "Mine.", "action": "update", "id": told.split()[-1]})
    assert "Bernese" not in others_search.invoke({"query": "Which dog is Brutus?"})
    assert "Bernese" in search.invoke({"query": "Which dog is Brutus?"})


async def test_its_tools_work_from_an_event_loop(memory: Memory) -> None:
    manage, search = tools(memory, "ada")
    await manage.ainvoke({"content": "Brutus is my Bernese mountain dog.", "action": "create"})
    assert "Bernese" in await search.ainvoke({"query": "Which dog is Brutus?"})
