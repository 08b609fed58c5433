"""OpenClaw's plugin: its files, its schema, the folder that a command names, and its own tests under Node."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hatchling.build import build_wheel

from tests.adapters.cli.shell import atmem
from tests.house.tree import ROOT, project

FOLDER = ROOT / "adapters" / "openclaw"
SHIPPED = {path.name for path in FOLDER.iterdir() if path.is_file()}
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node on the path")


def manifest() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / "openclaw.plugin.json").read_text())
    return read


def valid(config: dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator(manifest()["configSchema"]).is_valid(config)


def test_the_command_names_the_folder_of_the_plugin() -> None:
    printed = Path(atmem("openclaw", "path").out.strip())
    assert printed == FOLDER
    assert {"package.json", "openclaw.plugin.json", "index.js"} <= SHIPPED


def test_a_wheel_holds_the_plugin_where_the_command_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path))) as wheel:
        wheel.extractall(tmp_path)
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from atmem_cli.main import main; main()"
    words = [sys.executable, "-I", "-c", program, str(tmp_path), "openclaw", "path"]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    printed = Path(ran.stdout.strip())
    assert printed == tmp_path / "atmem_cli" / "openclaw"
    assert {path.name for path in printed.iterdir()} == SHIPPED


def test_package_and_manifest_say_the_same_as_the_project() -> None:
    package = json.loads((FOLDER / "package.json").read_text())
    assert package["version"] == project()["project"]["version"]
    assert (manifest()["id"], manifest()["kind"]) == ("atmem", "memory")
    for entry in package["openclaw"]["extensions"]:
        assert (FOLDER / entry).is_file()


@pytest.mark.parametrize(
    ("config", "right"),
    [
        ({"database": "/m.db", "subject": "ada"}, True),
        ({"database": "/m.db", "subject": "ada", "senders": {"telegram:7": "eve"}, "capture": "off"}, True),
        ({"database": "/m.db"}, False),
        ({"database": "/m.db", "subject": ""}, False),
        ({"database": "/m.db", "subject": "ada", "capture": "all"}, False),
        ({"database": "/m.db", "subject": "ada", "deadlineMs": 15_000}, False),
        ({"database": "/m.db", "subject": "ada", "recallAll": True}, False),
    ],
)
def test_the_schema_takes_what_the_plugin_reads_and_nothing_else(
    config: dict[str, Any], *, right: bool
) -> None:
    assert valid(config) is right


def test_each_default_fits_its_own_rule() -> None:
    for name, rule in manifest()["configSchema"]["properties"].items():
        if "default" in rule:
            assert valid({"database": "/m.db", "subject": "ada", name: rule["default"]}), name


@needs_node
@pytest.mark.parametrize(
    ("tests", "least"),
    [
        ("tests/plugin.test.js", 9),
        pytest.param("tests/scopes.soak.js", 4, marks=pytest.mark.soak),
    ],
)
def test_the_plugin_keeps_its_promises_in_a_host(tests: str, least: int) -> None:
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}"}
    ran = subprocess.run(
        [str(NODE), "--test", "--test-reporter=tap", tests],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env=environment,
    )
    assert ran.returncode == 0, ran.stdout[-8000:]
    passed = re.search(r"^# pass (\d+)$", ran.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= least
