"""What every test may count on: this tree's code, none of the machine's settings."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from atmem_core import Config, Key

ROOT = Path(__file__).resolve().parent.parent

# pytest's `pythonpath` reaches this process only; tests also start `python -m atmem_cli`.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
for name in ("ATMEM_SUBJECT", "ATMEM_KEY", "ATMEM_KEY_FILE"):
    os.environ.pop(name, None)

# The same tests on encrypted files: every Config has this key unless it says another one.
# See docs/how-to/encrypt.md.
if os.environ.get("ATMEM_TEST_KEY"):
    os.environ["ATMEM_KEY"] = os.environ["ATMEM_TEST_KEY"]
    assert Config.__init__.__kwdefaults__ is not None
    Config.__init__.__kwdefaults__["key"] = Key.from_environment()

_NOT_WITH_A_KEY = {
    "looks for words in the bytes of the file, where they would have been": (
        "store/test_erase.py::test_erase_leaves_no_byte",
        "store/test_erase.py::test_an_erase_under_a_reader",
        "store/test_facts.py::test_erase_leaves_no_byte_of_a_fact",
        "remember/test_history.py::test_an_erased_turn_is_in_no_file",
        "adapters/cli/test_facts.py::test_an_erased_fact_is_in_no_file",
        "adapters/cli/test_removal.py::test_an_erased_text_is_in_no_file",
        "trust/redaction/test_redaction.py::test_the_bytes_of_a_secret",
        "trust/redaction/test_redaction.py::test_without_redaction",
    ),
    "opens, damages or makes the file with a driver of its own, which has no key": (
        "store/test_damage.py",
        "store/test_files.py",
        "store/test_facts.py::test_a_file_of_the_first_schema",
        "store/test_facts.py::test_verify_finds_damage",
        "adapters/cli/test_file.py",
    ),
    "works in processes that open the file without a key": (
        "store/test_processes.py",
        "store/test_forks.py",
        "transfer/test_killed.py",
    ),
    "a file of another kind is one with a wrong key": (
        "adapters/cli/test_bad_input.py::test_another_kind_of_file",
        "memory/test_aio.py::test_a_file_that_is_no_database",
    ),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With a key, leave out what can't be so, and say why."""
    if not os.environ.get("ATMEM_TEST_KEY"):
        return
    for item in items:
        for reason, names in _NOT_WITH_A_KEY.items():
            if item.nodeid.removeprefix("tests/").startswith(names):
                item.add_marker(pytest.mark.skip(reason=f"with a key: {reason}"))


# No deadline: a loaded machine is no fault of the code. In CI the same examples each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
