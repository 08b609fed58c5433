"""What every test may count on: this tree's code, none of the machine's settings."""

import os
from pathlib import Path

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

# No deadline: a loaded machine is no fault of the code. In CI the same examples each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
