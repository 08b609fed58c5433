"""``make lock``: what pip would install for CI, as one version and one digest each, in .ci/lock.txt."""

import json
import sys
from typing import Any

from packaging.utils import canonicalize_name

from tests.house.tree import ROOT

LOCK = ROOT / ".ci" / "lock.txt"
_HEAD = """\
# What CI installs: Linux on x86_64, Python 3.11. Written by `make lock`; pip checks each file's digest.
"""


def locked(report: dict[str, Any]) -> list[str]:
    """Lines of the lock, from the report of ``pip install --dry-run --report``."""
    lines = []
    for one in report["install"]:
        name = canonicalize_name(one["metadata"]["name"])
        if name == "atmem-core":
            continue
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={one['metadata']['version']} --hash=sha256:{digest}")
    return sorted(lines)


if __name__ == "__main__":
    LOCK.write_text(_HEAD + "\n".join(locked(json.load(sys.stdin))) + "\n", encoding="utf-8")
