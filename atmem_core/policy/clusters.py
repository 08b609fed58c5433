"""Which notes may show one lesson together: tied by links, of one project, with a tag in common. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from atmem_core.records import Note


def clusters(notes: Sequence[Note], ties: Iterable[tuple[str, str]], *, least: int) -> list[tuple[Note, ...]]:
    """Groups of at least so many notes, the largest first; no note is in two.

    Args:
        notes: Those that may be in a group.
        ties: Pairs of ids that a link ties.
        least: Fewest notes of a group.
    """
    beside: dict[str, set[str]] = defaultdict(set)
    for one, other in ties:
        beside[one].add(other)
        beside[other].add(one)
    groups: dict[tuple[str | None, str], dict[str, Note]] = defaultdict(dict)
    for note in notes:
        for tag in note.tags:
            groups[note.scope.project, tag][note.id] = note
    found = [part for held in groups.values() for part in _parts(held, beside) if len(part) >= least]
    # The same notes may share several tags; ties by id, so that nothing depends on the order of writing.
    found.sort(key=lambda part: (-len(part), [note.id for note in part]))
    taken: set[str] = set()
    apart = []
    for part in found:
        if taken.isdisjoint(note.id for note in part):
            taken.update(note.id for note in part)
            apart.append(part)
    return apart


def _parts(held: Mapping[str, Note], beside: Mapping[str, set[str]]) -> list[tuple[Note, ...]]:
    """Those that hang together by links among themselves; each by id."""
    left = set(held)
    parts = []
    while left:
        reached, edge = set[str](), {min(left)}
        while edge:
            reached |= edge
            edge = {other for one in edge for other in beside.get(one, ())} & left - reached
        left -= reached
        parts.append(tuple(held[one] for one in sorted(reached)))
    return parts
