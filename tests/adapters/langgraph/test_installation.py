"""What somebody sees who has not installed a host."""

import subprocess
import sys

import pytest

import atmem_langgraph

BLOCKED = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
{code}
"""


def run_without(package: str, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(package=package, code=code)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_langgraph_the_import_names_the_pip_line() -> None:
    ran = run_without("langgraph", "import atmem_langgraph")
    assert ran.returncode == 1
    assert "pip install 'atmem-core[langgraph]'" in ran.stderr


def test_without_langchain_the_nodes_work_and_the_middleware_names_the_pip_line() -> None:
    ran = run_without("langchain", "from atmem_langgraph import RecallNode; print('nodes')")
    assert ran.stdout == "nodes\n"
    ran = run_without("langchain", "from atmem_langgraph import AtmemMiddleware")
    assert ran.returncode == 1
    assert "pip install 'atmem-core[langgraph]'" in ran.stderr


def test_the_core_imports_no_host() -> None:
    code = "import atmem_core, sys; print('langgraph' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.parametrize("wrong", ["Nothing", "middleware_of_old"])
def test_a_name_that_isnt_there_is_an_attribute_error(wrong: str) -> None:
    with pytest.raises(AttributeError, match=wrong):
        getattr(atmem_langgraph, wrong)
