"""Vectors for every record of an owner that has none of an identity: a build, a reindex, the backfill.

Rule: the query for missing vectors is all the state there is. Newest first, one call at a time, a page a
transaction, and no transaction across a call. Whatever is killed goes on where it ended. A record that the
model can't embed is passed over in this run; a model that answers nothing any more ends it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from atmem_core.embedding import Embedder
from atmem_core.errors import EmbeddingUnavailable
from atmem_core.records import EmbedPurpose
from atmem_core.remember.index import embed_records
from atmem_core.store.protocol import Pending, Store

BATCH = 16
Progress = Callable[[int, int], None]
"""Told the records done and all that were to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """How a run ended."""

    done: int
    left: int
    reason: str = ""
    """Of the last failure: the ``reason`` of its EmbeddingUnavailable; ``stopped``; or empty."""
    answers: bool = True
    """Did the model answer to the end?"""


def never() -> bool:
    """For a run that nobody stops."""
    return False


def fill(
    store: Store,
    owner: str | None,
    embedder: Embedder,
    *,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = never,
    before: int | None = None,
) -> Filled:
    """Embed what is missing, in passes until one finds nothing new.

    With ``before``, records below that row alone, in one pass: what is stored meanwhile embeds itself.
    """
    try:
        digest = embedder.identity.digest
    except EmbeddingUnavailable as error:
        return Filled(done=0, left=0, reason=error.reason, answers=False)
    run = _Run(store, owner, embedder, digest=digest, progress=progress, stopped=stopped)
    while run.one_pass(before) and before is None:
        pass
    left = store.epoch_store.coverage(owner, digest).missing
    reason = "stopped" if left and stopped() else run.reason
    return Filled(done=run.done, left=left, reason=reason if left else "", answers=not run.ended)


class _Run:
    def __init__(
        self,
        store: Store,
        owner: str | None,
        embedder: Embedder,
        *,
        digest: str,
        progress: Progress | None,
        stopped: Callable[[], bool],
    ) -> None:
        self._store = store
        self._owner = owner
        self._embedder = embedder
        self._digest = digest
        self._progress = progress
        self._stopped = stopped
        self._total = store.epoch_store.coverage(owner, digest).missing
        self.ended = False
        self.done = 0
        self.reason = ""

    def one_pass(self, before: int | None) -> bool:
        """From the newest down. Did it embed anything, so that another may find what came meanwhile?"""
        at_start = self.done
        while not self.ended and not self._stopped():
            page = self._store.epoch_store.missing(self._owner, self._digest, limit=BATCH, before=before)
            if not page:
                break
            self._embed(page)
            before = page[-1].row
            if self._progress is not None:
                self._progress(self.done, max(self._total, self.done))
        return self.done > at_start and not self.ended and not self._stopped()

    def _embed(self, page: Sequence[Pending]) -> None:
        try:
            embed_records(self._store, self._embedder, page)
        except EmbeddingUnavailable as error:
            self.reason = error.reason
            if not self._answers():
                self.ended = True
            elif len(page) > 1:
                for one in page:
                    if not self.ended and not self._stopped():
                        self._embed([one])
        else:
            self.done += len(page)

    def _answers(self) -> bool:
        try:
            self._embedder.embed(["health"], purpose=EmbedPurpose.DOCUMENT)
        except EmbeddingUnavailable:
            return False
        return True
