"""What is public is listed, sorted and documented."""

import ast
import dataclasses
import importlib
import inspect
from types import ModuleType

import pytest

import atmem_core
from tests.house.markdown import rows, section
from tests.house.tree import ROOT

REFERENCE = ROOT / "docs" / "reference"
PUBLIC_MODULES = (
    "aio",
    "chat",
    "context",
    "embedding",
    "errors",
    "evaluation",
    "events",
    "host",
    "testing",
)
"""Modules that callers may import beside the top level; some come with later releases."""
ADAPTERS = {
    "atmem_core.host": "host.md",
    "atmem_core.testing": "testing.md",
    "atmem_agent_framework": "agent-framework.md",
    "atmem_langgraph": "langgraph.md",
    "atmem_mcp": "mcp.md",
    "atmem_openai_agents": "openai-agents.md",
    "atmem_pydantic_ai": "pydantic-ai.md",
}
"""Packages whose every name has a row, and the page of each: adapters, and what adapters are made of.
``atmem_cli`` is a program: see cli.md."""


def reference(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


def existing_modules() -> list[str]:
    package = ROOT / "atmem_core"
    return [
        module
        for module in PUBLIC_MODULES
        if (package / f"{module}.py").exists() or (package / module / "__init__.py").exists()
    ]


def public_methods(owner: type) -> list[str]:
    """Its own, and those of the parts that are mixed in."""
    parts = [part for part in owner.__mro__ if part.__module__.startswith("atmem_core.")]
    return sorted({key for part in parts for key in vars(part) if not key.startswith("_")})


def test_the_public_names_are_sorted() -> None:
    assert atmem_core.__all__ == sorted(atmem_core.__all__)


def test_the_top_level_holds_names_and_nothing_else() -> None:
    tree = ast.parse((ROOT / "atmem_core" / "__init__.py").read_text(encoding="utf-8"))
    statements = {type(node) for node in tree.body}
    assert statements <= {ast.Expr, ast.ImportFrom, ast.Assign}


def test_the_public_names_are_those_of_the_reference() -> None:
    documented = rows(section(reference("python.md"), "Names"))
    assert list(documented) == atmem_core.__all__


@pytest.mark.parametrize("name", atmem_core.__all__)
def test_a_public_name_says_what_it_is(name: str) -> None:
    documented = rows(section(reference("python.md"), "Names"))
    assert documented[name], f"docs/reference/python.md: `{name}` has no description"
    assert inspect.getdoc(getattr(atmem_core, name)), f"{name} has no docstring"


def test_every_method_of_memory_is_in_the_reference() -> None:
    documented = rows(section(reference("python.md"), "Memory"))
    assert sorted(documented) == public_methods(atmem_core.Memory)
    assert all(documented.values())


def test_every_method_of_facts_is_in_the_reference() -> None:
    documented = rows(section(reference("facts.md"), "Memory.facts"))
    inside = {"close", "recorder"}
    assert sorted(documented) == [name for name in public_methods(atmem_core.Facts) if name not in inside]
    assert all(documented.values())


def test_every_note_on_a_statement_is_in_the_reference() -> None:
    documented = rows(section(reference("facts.md"), "Notes"))
    assert sorted(documented) == sorted(atmem_core.FactNote)


def test_every_public_module_is_in_the_reference() -> None:
    documented = rows(section(reference("python.md"), "Public modules"))
    assert sorted(documented) == [f"atmem_core.{module}" for module in existing_modules()]
    assert all(documented.values())


@pytest.mark.parametrize("module", existing_modules())
def test_a_public_module_imports_and_says_what_it_is(module: str) -> None:
    assert inspect.getdoc(importlib.import_module(f"atmem_core.{module}"))


@pytest.mark.parametrize(("adapter", "page"), ADAPTERS.items())
def test_every_name_of_an_adapter_is_in_the_reference(adapter: str, page: str) -> None:
    module: ModuleType = importlib.import_module(adapter)
    names: list[str] = module.__all__
    assert names == sorted(names)
    assert list(rows(section(reference(page), "Names"))) == names


def test_every_setting_is_in_the_reference_with_its_default() -> None:
    documented = rows(reference("configuration.md"))
    defaults = {field.name: f"`{field.default}`" for field in dataclasses.fields(atmem_core.Config)}
    assert {key: row.split(" | ")[1] for key, row in documented.items()} == defaults


def test_every_reason_code_is_in_the_reference() -> None:
    documented = rows(section(reference("decision.md"), "Reason codes"))
    assert sorted(documented) == sorted(atmem_core.ReasonCode)
    assert all(documented.values())
