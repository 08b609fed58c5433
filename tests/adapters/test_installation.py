"""What somebody sees who has not installed a host."""

import subprocess
import sys

import pytest

HOSTS = {
    "atmem_agent_framework": ("agent_framework", "agent-framework"),
    "atmem_langgraph": ("langgraph", "langgraph"),
    "atmem_mcp": ("mcp", "mcp"),
    "atmem_openai_agents": ("agents", "openai-agents"),
    "atmem_pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("adapter", HOSTS)
def test_without_its_host_an_adapter_names_the_pip_line(adapter: str) -> None:
    host, extra = HOSTS[adapter]
    ran = run(f"import sys; sys.modules[{host!r}] = None; import {adapter}")
    assert ran.returncode == 1
    assert f"pip install 'atmem-core[{extra}]'" in ran.stderr


def test_the_core_and_its_kits_import_no_host() -> None:
    hosts = {host for host, _ in HOSTS.values()} | {"opentelemetry", "numpy", "pytest"}
    ran = run(f"import sys, atmem_core.host, atmem_core.testing; print({hosts} & set(sys.modules))")
    assert ran.stdout == "set()\n", ran.stderr


def test_the_core_imports_neither_event_loop_nor_a_clients_network() -> None:
    # CPU time can't be compared between machines; these are what made an import slow.
    heavy = {"asyncio", "httpx", "ssl", "numpy", "onnxruntime", "sqlite_vec", "rapidfuzz", "tomllib"}
    others = "len([name for name in sys.modules if not name.startswith('atmem_core')])"
    ran = run(f"import sys, atmem_core; print({heavy} & set(sys.modules), {others})")
    told, modules = ran.stdout.rsplit(" ", 1)
    assert told == "set()", ran.stderr
    assert int(modules) < 260


def test_the_core_compiles_no_rule_before_it_reads_a_turn() -> None:
    code = "import atmem_core; from atmem_core.remember.extraction.rule_table import _compiled"
    assert run(f"{code}; print(_compiled.cache_info().currsize)").stdout == "0\n"
