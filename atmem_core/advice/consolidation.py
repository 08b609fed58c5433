"""Consolidation: clusters of notes become a lesson and a procedure; the notes are archived, not removed.

Rule: one model call a cluster, and nothing is held while it thinks. What it says is checked like what anybody
says, and trusted no more than the least trusted of its notes. A call that fails leaves its notes alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from atmem_core.advice import distilling
from atmem_core.advice.drafting import ACTIVATION_CHARS, PRINCIPLE_CHARS, checked_said, checked_steps
from atmem_core.advice.shelf import commands, held
from atmem_core.chat import ChatModel, ask_within
from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.errors import ChatUnavailable, InvalidInput, WriteRefused
from atmem_core.policy.clusters import clusters
from atmem_core.policy.trust import may_stand_unjudged
from atmem_core.recall.request import request
from atmem_core.records import (
    Advice,
    Consolidation,
    Lesson,
    Note,
    Procedure,
    RecordKind,
    Scope,
    Source,
)
from atmem_core.remember.ingest import DEFAULT_TRUST
from atmem_core.store.protocol import Store

_PAGE = 500
NOTHING = "nothing_learned"
Progress = Callable[[int, int], None]
"""Told how many clusters are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which notes are looked at."""

    scope: Scope
    least: int
    """Fewest notes of a cluster."""
    most: int
    """Clusters of one pass."""
    untouched_for: timedelta


class Consolidator:
    """Consolidates the notes of one memory."""

    def __init__(self, store: Store, *, config: Config, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def run(
        self, wanted: Wanted, model: ChatModel, *, timeout_ms: float, progress: Progress | None
    ) -> tuple[list[Consolidation], int]:
        """Consolidate the largest clusters; what became of each, and how many are left."""
        found = self.waiting(wanted)
        done: list[Consolidation] = []
        for cluster in found[: wanted.most]:
            done.append(self.consolidate(cluster, model, timeout_ms=timeout_ms))
            if progress is not None:
                progress(len(done), min(wanted.most, len(found)))
        return done, len(found) - len(done)

    def waiting(self, wanted: Wanted) -> list[tuple[Note, ...]]:
        """Clusters of notes that nothing was drawn from yet, the largest first."""
        before = self._clock.now() - wanted.untouched_for
        drawn = self._drawn_from(wanted.scope.subject)
        notes = [
            note
            for note in self._notes(wanted.scope)
            if note.archived_at is None
            and note.id not in drawn
            and max(note.created_at, note.last_used_at or note.created_at) <= before
            and may_stand_unjudged(note)
        ]
        ties = self._store.link_store.ties(wanted.scope.subject, [note.id for note in notes])
        return clusters(notes, ties, least=wanted.least)

    def consolidate(self, cluster: Sequence[Note], model: ChatModel, *, timeout_ms: float) -> Consolidation:
        """Ask about one cluster, store what comes, archive its notes."""
        ids = tuple(note.id for note in cluster)
        none = Consolidation(note_ids=ids)
        try:
            reply = ask_within(model, distilling.asked(cluster), timeout_ms=timeout_ms)
        except ChatUnavailable as error:
            return replace(none, failure=error.reason)
        parts = distilling.read(reply)
        if parts is None:
            return replace(none, failure="invalid_reply")
        try:
            advice = self._advice(cluster, *parts)
        except (InvalidInput, WriteRefused):
            return replace(none, failure="invalid_reply")
        if not advice:
            return replace(none, failure=NOTHING)
        if any(commands(one) for one in advice):
            return replace(none, failure="instruction_shaped")
        return self._stored(cluster, advice)

    def _stored(self, cluster: Sequence[Note], advice: Sequence[Advice]) -> Consolidation:
        scope, ids = cluster[0].scope, tuple(note.id for note in cluster)
        self._store.advice_store.put(scope.subject, [held(one) for one in advice])
        archived = self._store.set_archived(scope.subject, ids, at=self._clock.now())
        by_kind = {type(one): one.id for one in advice}
        return Consolidation(
            note_ids=ids,
            lesson_id=by_kind.get(Lesson),
            procedure_id=by_kind.get(Procedure),
            archived=archived,
        )

    def _advice(
        self, cluster: Sequence[Note], lesson: distilling.Part, procedure: distilling.Part
    ) -> list[Advice]:
        """What the model said, checked; raises for what can't be stored."""
        now, redaction = self._clock.now(), self._config.redaction
        common = {
            "scope": Scope(subject=cluster[0].scope.subject, project=cluster[0].scope.project),
            "parent_ids": tuple(note.id for note in cluster),
            "tags": _shared_tags(cluster),
            "source": Source.ASSISTANT,
            "trust": min(DEFAULT_TRUST[Source.ASSISTANT], *(note.trust for note in cluster)),
            "created_at": now,
            "updated_at": now,
        }
        made: list[Advice] = []
        if lesson is not None:
            activation = checked_said("activation", lesson.get("activation"), ACTIVATION_CHARS, redaction)
            principle = checked_said("principle", lesson.get("principle"), PRINCIPLE_CHARS, redaction)
            one = Lesson(id=self._clock.new_id("l"), activation=activation, principle=principle, **common)  # type: ignore[arg-type]  # fields, by name
            made.append(one)
        if procedure is not None:
            activation = checked_said("activation", procedure.get("activation"), ACTIVATION_CHARS, redaction)
            steps = checked_steps(procedure.get("steps"), redaction)
            lessons = tuple(one.id for one in made)
            made.append(
                Procedure(
                    id=self._clock.new_id("r"),
                    activation=activation,
                    steps=steps,
                    lesson_ids=lessons,
                    **common,  # type: ignore[arg-type]  # fields, by name
                )
            )
        return made

    def _notes(self, scope: Scope) -> Iterator[Note]:
        asked = request(scope, kinds=[RecordKind.NOTE]).filter(self._clock.now())
        offset = 0
        while page := self._store.notes(asked, limit=_PAGE, offset=offset, all_states=False):
            yield from page
            offset += len(page)

    def _drawn_from(self, subject: str) -> frozenset[str]:
        """Ids of notes that are parents already: a run that was killed before it archived them."""
        found: set[str] = set()
        for kind in (RecordKind.LESSON, RecordKind.PROCEDURE):
            after = 0
            while page := self._store.advice_store.every(subject, kind, after=after, limit=_PAGE):
                after = page[-1][0]
                found.update(parent for _, one in page for parent in one.advice.parent_ids)
        return frozenset(found)


def _shared_tags(cluster: Sequence[Note]) -> tuple[str, ...]:
    """Tags that all of them have."""
    first, *others = cluster
    return tuple(tag for tag in first.tags if all(tag in note.tags for note in others))
