"""A new statement against what is stored: add, update or no-op. Pure.

Rule: nothing is ever lost and nothing of a stranger is ever closed. How it works:

| what is stored | what happens |
|---|---|
| the same triple stands, as trusted, and began no later | no-op |
| the same triple stands, less trusted, or began later | update: it gives way to the better telling |
| another value of a predicate that has one value | update: that one ends where the new one begins |
| such a value that began later | add, into the past: the new one ends where the later one begins |
| the caller names a fact of the same entity that it contradicts | update: that one ends |
| the caller names what isn't there, is closed, is foreign or about something else | add, and say so |
| what would be closed is more trusted | add beside it, and say so |

Warning: similarity never closes anything; only an equal key or an id that the caller gave does.
"""

from atmem_core.policy.predicates import folded, predicate_key
from atmem_core.records import Fact, FactAction, FactDraft, FactNote, FactPlan, PriorFacts
from atmem_core.text import STEMS, stopwords_of


def consolidate(draft: FactDraft, prior: PriorFacts, supersedes: str | None) -> FactPlan:
    """What to do with a statement.

    Args:
        draft: The statement.
        prior: What is stored that it may touch, of its subject alone.
        supersedes: Id of the fact that the caller wants closed; a model may have made it up.
    """
    known = _known(draft, prior)
    named, notes = _named(draft, prior, supersedes)
    if known is not None:
        closes = _stand_in(draft, known, named)
        return FactPlan(action=FactAction.NOOP, closes=closes, notes=(FactNote.KNOWN, *notes))
    later = _later(draft, prior)
    closes, spared = _closes(draft, prior, named)
    if spared:
        notes = (*notes, FactNote.LESS_TRUSTED)
    if later is not None:
        notes = (*notes, FactNote.HISTORICAL)
    return FactPlan(
        action=FactAction.UPDATE if closes and later is None else FactAction.ADD,
        closes=closes,
        succeeded_by=later,
        notes=notes,
    )


def _known(draft: FactDraft, prior: PriorFacts) -> Fact | None:
    """The fact that says it already, as well as the new one would."""
    same = prior.same
    if same is None or same.trust < draft.note.trust or draft.valid_from < same.valid_from:
        return None
    if same.valid_to is not None and same.valid_to <= draft.valid_from:
        return None
    if draft.note.valid_to is not None and draft.note.valid_to != same.valid_to:
        return None
    return same


def _stand_in(draft: FactDraft, known: Fact, named: Fact | None) -> tuple[str, ...]:
    """The named fact gives way to the one that says the new statement already."""
    if named is None or named.id == known.id or named.trust > draft.note.trust:
        return ()
    return (named.id,)


def _named(
    draft: FactDraft, prior: PriorFacts, supersedes: str | None
) -> tuple[Fact | None, tuple[FactNote, ...]]:
    """The fact to close on the caller's word, if that word can be taken."""
    if supersedes is None:
        return None, ()
    fact = prior.named
    if fact is None:
        return None, (FactNote.SUPERSEDES_UNKNOWN,)
    if fact.superseded_by is not None or fact.forgotten_at is not None:
        return None, (FactNote.SUPERSEDES_STALE,)
    if not _related(draft, fact):
        return None, (FactNote.SUPERSEDES_UNRELATED,)
    return fact, ()


def _related(draft: FactDraft, fact: Fact) -> bool:
    """The same entity, in the same project, and the same predicate or a word of the statement in common."""
    if folded(draft.entity) != folded(fact.entity) or draft.note.scope.project != fact.scope.project:
        return False
    if predicate_key(draft.predicate) == predicate_key(fact.predicate):
        return True
    mine = _stems(f"{draft.predicate} {draft.object}")
    return bool(mine & _stems(f"{fact.predicate} {fact.object}"))


def _stems(text: str) -> frozenset[str]:
    words = folded(text).split()
    stop = stopwords_of(words)
    return frozenset(STEMS[word] for word in words if word not in stop)


def _later(draft: FactDraft, prior: PriorFacts) -> Fact | None:
    """The value that takes over from the new one, which is told late."""
    after = prior.after
    if not draft.single or after is None:
        return None
    end = draft.note.valid_to
    return None if end is not None and end <= after.valid_from else after


def _closes(draft: FactDraft, prior: PriorFacts, named: Fact | None) -> tuple[tuple[str, ...], bool]:
    """Ids of the facts that end, and whether one was spared for being more trusted."""
    found: dict[str, Fact] = {}
    if named is not None:
        found[named.id] = named
    if prior.same is not None and _gives_way(draft, prior.same):
        found[prior.same.id] = prior.same
    if draft.single:
        earlier = [*prior.standing, *([prior.before] if prior.before is not None else [])]
        found |= {one.id: one for one in earlier if _open_at(one, draft)}
    kept = [one for one in found.values() if one.trust <= draft.note.trust]
    return tuple(sorted(one.id for one in kept)), len(kept) < len(found)


def _gives_way(draft: FactDraft, same: Fact) -> bool:
    """Is the new telling of the same statement the better one?"""
    if draft.note.valid_to is not None:
        return False
    return draft.note.trust > same.trust or (not draft.single and draft.valid_from < same.valid_from)


def _open_at(fact: Fact, draft: FactDraft) -> bool:
    """Does it hold where the new one begins?"""
    if fact.valid_from > draft.valid_from:
        return False
    return fact.valid_to is None or fact.valid_to > draft.valid_from
