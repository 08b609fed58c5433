"""``memory.procedures``: steps that worked. They are told, never carried out."""

from collections.abc import Callable, Iterable, Sequence

from atmem_core.advice.drafting import (
    checked_parents,
    checked_steps,
)
from atmem_core.advice.shelf import Shelf, fitting
from atmem_core.errors import InvalidInput
from atmem_core.records import Procedure, ProcedureRecall, ProcedureStep, RecordKind, Scope


class Procedures(Shelf[Procedure]):
    """Procedures of one memory."""

    _kind = RecordKind.PROCEDURE

    def add(
        self,
        activation: str,
        steps: Iterable[ProcedureStep | str],
        *,
        subject: str,
        project: str | None = None,
        tags: Iterable[str] = (),
        parent_ids: Sequence[str] = (),
        lesson_ids: Sequence[str] = (),
        source: str = "user",
        trust: float | None = None,
    ) -> Procedure:
        """Store a procedure.

        Args:
            activation: When it applies; at most 240 characters.
            steps: 2 to 8, each of at most 400 characters; a ``ProcedureStep`` may name a tool.
            subject: Whose memory.
            project: Where it belongs.
            tags: At most 12, of letters, digits, ``_`` and ``-``.
            parent_ids: Notes that it was drawn from, as of ``Lessons.add``.
            lesson_ids: Lessons that it goes with: it is deprecated and erased with any of them.
            source: Where it came from.
            trust: 0 to 1; by its source when None.

        Raises:
            NotFound, WriteRefused, InvalidInput: As ``Lessons.add``.
        """
        scope = Scope(subject=subject, project=project)
        return self._put(
            Procedure(
                id=self._clock.new_id("r"),
                steps=checked_steps(steps, self._config.redaction),
                parent_ids=checked_parents("parent_ids", parent_ids),
                lesson_ids=self._lessons(lesson_ids, scope),
                **self._about(activation, scope, tags, source=source, trust=trust),
            )
        )

    def _lessons(self, lesson_ids: Sequence[str], scope: Scope) -> tuple[str, ...]:
        ids = checked_parents("lesson_ids", lesson_ids)
        for one in ids:
            lesson = self._store.advice_store.get(scope.subject, one, RecordKind.LESSON)
            if lesson.scope.project != scope.project:
                raise InvalidInput("lesson_ids", "are lessons of another project")
        return ids

    def list(
        self,
        *,
        subject: str,
        project: str | None = None,
        status: str | None = "active",
        limit: int = 20,
        offset: int = 0,
    ) -> "list[Procedure]":
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
    ) -> ProcedureRecall:
        """Active procedures that share a word with the query, best first; as ``Lessons.recall``."""
        found, held_back = self._recalled(query, subject, project, k)
        kept, omitted = fitting(found, budget_tokens, count)
        return ProcedureRecall(procedures=tuple(kept), omitted=omitted, held=tuple(held_back))
