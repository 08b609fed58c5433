"""``python -m tests.benchmarks``: all of them, which is one so far."""

import sys

from tests.benchmarks.decision import main

sys.exit(main())
