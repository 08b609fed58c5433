"""``memory.lessons``: principles that several notes show."""

from collections.abc import Callable, Iterable, Sequence

from atmem_core.advice.drafting import (
    ACTIVATION_CHARS,
    PRINCIPLE_CHARS,
    checked_marks,
    checked_parents,
    checked_said,
)
from atmem_core.advice.shelf import Shelf, fitting
from atmem_core.records import Lesson, LessonRecall, RecordKind, Scope, Source, member
from atmem_core.remember.ingest import checked_trust


class Lessons(Shelf[Lesson]):
    """Lessons of one memory."""

    kind = RecordKind.LESSON

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
        given, now, redaction = member(Source, "source", source), self._clock.now(), self._config.redaction
        return self._put(
            Lesson(
                id=self._clock.new_id("l"),
                scope=Scope(subject=subject, project=project),
                activation=checked_said("activation", activation, ACTIVATION_CHARS, redaction),
                principle=checked_said("principle", principle, PRINCIPLE_CHARS, redaction),
                tags=checked_marks(tags),
                parent_ids=checked_parents("parent_ids", parent_ids),
                source=given,
                trust=checked_trust(trust, given),
                created_at=now,
                updated_at=now,
            )
        )

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
        forgotten, and those that command their reader.

        Args:
            query: What they should bear on; empty finds none.
            subject: Whose memory.
            project: Only those of this project.
            k: Most lessons.
            budget_tokens: Most of them together; what doesn't fit is named. None: all.
            count: Gives the size of a text for ``budget_tokens``; characters by default.
        """
        kept, omitted = fitting(self._recalled(query, subject, project, k), budget_tokens, count)
        return LessonRecall(lessons=tuple(kept), omitted=omitted)
