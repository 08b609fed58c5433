"""The backfill: what has no vector gets one in the background, after a start delay, until the memory closes.

Its only state is what is missing, so it goes on at the next open wherever it ended. It never raises: a model
that stops answering ends it quietly, and the doctor and ``memory.semantic.status`` show what is left.
"""

import logging
import threading

from atmem_core.errors import AtmemError
from atmem_core.semantic.filling import fill
from atmem_core.semantic.profiles import Profiles
from atmem_core.store.protocol import Store

_LOG = logging.getLogger("atmem_core.semantic")
_START_DELAY_S = 5.0
_STOP_WAIT_S = 10.0
"""A call of the model that is under way ends first; its vectors are stored or made again."""


class Backfill:
    """One run over every subject in a thread of its own."""

    def __init__(self, store: Store, profiles: Profiles, *, delay_s: float = _START_DELAY_S) -> None:
        self._store = store
        self._profiles = profiles
        self._delay_s = delay_s
        self._stop = threading.Event()
        self._below: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name="atmem-backfill", daemon=True)

    def start(self) -> None:
        """Begin after the delay, with what is stored now. Once."""
        try:
            self._below = dict(self._store.epoch_store.subjects())
        except AtmemError:  # a damaged file opens too: for a look at it, and its repair
            return
        if self._below:
            self._thread.start()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the end of the run."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    def stop(self) -> None:
        """End it between two calls of the model. Stopping twice is fine."""
        self._stop.set()
        self.join(_STOP_WAIT_S)

    def _run(self) -> None:
        if self._stop.wait(self._delay_s):
            return
        try:
            for subject, below in self._below.items():
                if self._stop.is_set() or not self._fill(subject, below):
                    return
        except AtmemError as error:  # a file that is busy, full or closed: another open goes on
            _LOG.info("backfill ended: %s", type(error).__name__)

    def _fill(self, subject: str, below: int) -> bool:
        """False when the model answers no more."""
        embedder = self._profiles.serving(subject).embedder
        if embedder is None:
            return True
        filled = fill(self._store, subject, embedder, stopped=self._stop.is_set, before=below)
        if filled.done or filled.left:
            _LOG.info("backfill: %d embedded, %d left %s", filled.done, filled.left, filled.reason)
        return filled.answers
