"""``memory.lessons``: principles that several notes show."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from atmem_core.advice.consolidation import Consolidator, Wanted
from atmem_core.advice.drafting import (
    PRINCIPLE_CHARS,
    checked_parents,
    checked_said,
)
from atmem_core.advice.shelf import Shelf, fitting
from atmem_core.chat import ChatModel
from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import AtmemError
from atmem_core.records import (
    ConsolidationReport,
    Lesson,
    LessonRecall,
    RecordKind,
    Scope,
    label,
    whole_number,
)
from atmem_core.store.protocol import Store


class Lessons(Shelf[Lesson]):
    """Lessons of one memory."""

    _kind = RecordKind.LESSON

    def __init__(self, store: Store, *, config: Config, clock: Clock) -> None:
        super().__init__(store, config=config, clock=clock)
        self._stops: list[threading.Event] = []

    def add(
        self,
        activation: str,
        principle: str,
        *,
        subject: str,
        project: str | None = None,
        tags: Iterable[str] = (),
        parent_ids: Sequence[str] = (),
        source: str = "user",
        trust: float | None = None,
    ) -> Lesson:
        """Store a lesson.

        Args:
            activation: When it applies; at most 240 characters.
            principle: What it says; at most 800.
            subject: Whose memory.
            project: Where it belongs.
            tags: At most 12, of letters, digits, ``_`` and ``-``.
            parent_ids: Notes that it was drawn from. It leaves recall when one of them is superseded or
                forgotten, and is erased with any of them.
            source: Where it came from; it sets the default trust.
            trust: 0 to 1.

        Raises:
            NotFound: A parent isn't there, or isn't current.
            WriteRefused: ``empty_text``, ``text_too_long``, ``secret_found``.
            InvalidInput: An argument is wrong.
        """
        about = self._about(
            activation, Scope(subject=subject, project=project), tags, source=source, trust=trust
        )
        said = checked_said("principle", principle, PRINCIPLE_CHARS, self._config.redaction)
        parents = checked_parents("parent_ids", parent_ids)
        return self._put(Lesson(id=self._clock.new_id("l"), principle=said, parent_ids=parents, **about))

    def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        status: str | None = "active",
        limit: int = 20,
        offset: int = 0,
    ) -> "list[Lesson]":
        """Best votes first, then the newest; 1 to 100 a call. ``status=None`` lists deprecated ones too."""
        return self._listed(subject, project, status, limit=limit, offset=offset)

    def recall(
        self,
        query: str,
        *,
        subject: str,
        project: str | None = None,
        k: int = 2,
        budget_tokens: int | None = None,
        count: Callable[[str], int] = len,
    ) -> LessonRecall:
        """Active lessons that share a word with the query, best first; 1 to 10. A long query is cut.

        By words alone, then by votes and outcomes. Left out are those whose notes were superseded or
        forgotten; ``held`` names those that a page or a tool said, or that command their reader.

        Args:
            query: What they should bear on; empty finds none.
            subject: Whose memory.
            project: Only those of this project.
            k: Most lessons.
            budget_tokens: Most of them together; what doesn't fit is named. None: all.
            count: Gives the size of a text for ``budget_tokens``; characters by default.
        """
        found, held_back = self._recalled(query, subject, project, k)
        kept, omitted = fitting(found, budget_tokens, count)
        return LessonRecall(lessons=tuple(kept), omitted=omitted, held=tuple(held_back))

    def consolidate(
        self,
        model: ChatModel,
        *,
        subject: str,
        project: str | None = None,
        min_cluster: int = 3,
        most_clusters: int = 5,
        untouched_for: timedelta = timedelta(days=1),
        timeout_ms: float = 45_000,
        progress: Callable[[int, int], None] | None = None,
    ) -> ConsolidationReport:
        """Draw a lesson and a procedure from each cluster of notes, and deprecate what is stale.

        A cluster is of one project, tied by links, with a tag in common. Its notes are archived: they leave
        the index of a context and stay recallable. One call of the model a cluster, which may fail alone.

        Args:
            model: Is asked.
            subject: Whose notes.
            project: Only notes of this project.
            min_cluster: Fewest notes of a cluster.
            most_clusters: Of one pass; ``left`` counts the others.
            untouched_for: Notes that were told or used since then wait.
            timeout_ms: For each call.
            progress: Told how many clusters are done, and of how many.

        Raises:
            InvalidInput: An argument is wrong.
        """
        wanted = Wanted(
            scope=Scope(subject=subject, project=project),
            least=whole_number("min_cluster", min_cluster, least=2),
            most=whole_number("most_clusters", most_clusters, least=1),
            untouched_for=untouched_for,
        )
        consolidator = Consolidator(self._store, config=self._config, clock=self._clock)
        done, left = consolidator.run(wanted, model, timeout_ms=timeout_ms, progress=progress)
        stale = self.deprecate_stale(subject=subject)
        return ConsolidationReport(clusters=tuple(done), deprecated=stale, left=left)

    def consolidate_every(
        self, model: ChatModel, *, subject: str, interval_ms: int = 21_600_000
    ) -> Callable[[], None]:
        """Consolidate now and then, in a thread of its own, until the returned function is called.

        A pass that fails is passed over; the next one begins after the interval, six hours by default. It
        ends with the memory, too.
        """
        who = label("subject", subject)
        pause = whole_number("interval_ms", interval_ms, least=1) / 1000
        stop = threading.Event()
        self._stops.append(stop)

        def run() -> None:
            while not stop.wait(pause):
                with suppress(AtmemError):
                    self.consolidate(model, subject=who)

        threading.Thread(target=run, name="atmem-consolidation", daemon=True).start()
        return stop.set

    def close(self) -> None:
        """End what ``consolidate_every`` began."""
        for stop in self._stops:
            stop.set()
