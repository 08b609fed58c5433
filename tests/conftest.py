"""What every test may count on: this tree's code, none of the machine's settings."""

import os
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# pytest's `pythonpath` reaches this process only; tests also start `python -m atmem_cli`.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
os.environ.pop("ATMEM_SUBJECT", None)

# No deadline: a loaded machine is no fault of the code. In CI the same examples each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
