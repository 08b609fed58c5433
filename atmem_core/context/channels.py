"""What each channel would show for one query, best first, before anything is cut to size.

Only the recalled notes were judged. What stands beside them, unjudged, must be nothing that a decision would
have kept back: no text of a page or a tool, no command, no piece of one, and nothing that the user just asked
to forget.
"""

from collections.abc import Iterable, Sequence

from atmem_core.context import lines
from atmem_core.context.assembly import Offered
from atmem_core.policy.trust import may_stand_unjudged
from atmem_core.recall.reader import Answer
from atmem_core.recall.request import Request
from atmem_core.records import (
    VOUCHED,
    Advice,
    Lesson,
    Linked,
    Note,
    Procedure,
    ProfileFact,
    RecordKind,
    ShownFor,
    SupportClass,
)


def recalled(answer: Answer, *, preview_chars: int) -> list[Offered]:
    """What the decision released, with its class and its score."""
    judged = {one.record_id: one for one in answer.decision.candidates}
    return [
        Offered(
            record_id=note.id,
            lines=lines.recalled_line(note, preview_chars=preview_chars),
            vouched=note.trust >= VOUCHED,
            shown_for=_class(judged[note.id].support_class),
            score=judged[note.id].rank_score,
        )
        for note in answer.released
    ]


def anchors(answer: Answer) -> list[str]:
    """Ids of the released records that are direct support: what a link may hang on."""
    direct = {
        one.record_id
        for one in answer.decision.candidates
        if one.support_class is SupportClass.DIRECT_SUPPORT
    }
    return [note.id for note in answer.released if note.id in direct]


def linked(
    found: Iterable[Linked], beside: Sequence[Note], request: Request, *, preview_chars: int
) -> list[Offered]:
    """Neighbours that pass the filter of the read, none with the words of a note that is shown already."""
    shown = {note.content_hash for note in beside}
    offers = []
    for one in found:
        if one.note.content_hash in shown or not _asked_for(one.note, request):
            continue
        shown.add(one.note.content_hash)
        offers.append(
            Offered(
                record_id=one.note.id,
                lines=lines.linked_line(one, preview_chars=preview_chars),
                vouched=one.note.trust >= VOUCHED,
                shown_for=ShownFor.LINKED,
                anchor=one.via if one.depth > 1 else one.anchor,
            )
        )
    return offers


def _asked_for(note: Note, request: Request) -> bool:
    wanted = set(request.tags) <= set(note.tags) and (not request.kinds or note.kind in request.kinds)
    return wanted and may_stand_unjudged(note)


def index(notes: Iterable[Note], *, preview_chars: int) -> list[Offered]:
    """Notes, the newest first."""
    return [
        Offered(
            record_id=note.id,
            lines=lines.index_line(note, preview_chars=preview_chars),
            vouched=note.trust >= VOUCHED,
            shown_for=ShownFor.NEWEST,
            told=note.created_at.isoformat(),
        )
        for note in notes
    ]


def indexable(note: Note, *, session: str | None, shown: frozenset[str]) -> bool:
    """Is it a line of the index? Not what stands elsewhere: in the block, or in this conversation."""
    said_here = session is not None and note.scope.session == session
    archived = note.archived_at is not None
    plain = note.kind is RecordKind.NOTE
    return plain and not (said_here or archived or note.id in shown) and may_stand_unjudged(note)


def profile(facts: Iterable[ProfileFact]) -> list[Offered]:
    """In the given order: pinned first."""
    return [
        Offered(
            record_id=fact.id,
            lines=lines.profile_line(fact),
            vouched=fact.trust >= VOUCHED,
            shown_for=ShownFor.PINNED if fact.pinned else ShownFor.KEYWORD,
        )
        for fact in facts
    ]


def lessons(found: Iterable[Lesson]) -> list[Offered]:
    """In the given order."""
    return [_advice(one, lines.lesson_line(one)) for one in found]


def procedures(found: Iterable[Procedure]) -> list[Offered]:
    """In the given order."""
    return [_advice(one, lines.procedure_line(one)) for one in found]


def _advice(one: Advice, said: lines.Lines) -> Offered:
    return Offered(record_id=one.id, lines=said, shown_for=ShownFor.KEYWORD, vouched=one.trust >= VOUCHED)


def _class(support: SupportClass) -> ShownFor:
    direct = support is SupportClass.DIRECT_SUPPORT
    return ShownFor.DIRECT_SUPPORT if direct else ShownFor.BACKGROUND_CONTEXT
