"""The benchmarks still run; how fast, no test says."""

import json
import subprocess
import sys

from tests.conftest import ROOT


def test_the_benchmark_of_a_decision_runs_at_200_notes() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.decision", "--notes", "200", "--json"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert len(rows) == 14
    assert all(row["cost"]["median_ms"] > 0 for row in rows)
    shares = [row["matched"] for row in rows if row["matched"] is not None]
    assert len(shares) == 9
    assert all(0 < share <= 1 for share in shares)
