"""What was said around a turn: the turn before, the turn after, and the rest of its session.

An answer often shares nothing with the question but the turn that it follows ("Since 2019!"), so the words
of both count together. It orders candidates; it never makes one relevant.
"""

from collections.abc import Mapping

from atmem_core.policy.lexical import coverage
from atmem_core.recall.scale import Measured, Scale
from atmem_core.records import Surroundings
from atmem_core.store.protocol import Document, ReadView

_BEST_OF_SESSION = 3


def surroundings(
    view: ReadView, found: Mapping[int, Document], measured: Mapping[int, Measured], scale: Scale
) -> dict[int, Surroundings]:
    """By row, for those that belong to a session."""
    beside = view.turns_beside([row for row, one in found.items() if one.note.scope.session is not None])
    turns = dict.fromkeys(turn for one in beside.values() for turn in (one.before, one.after))
    missing = [turn for turn in turns if turn is not None and turn not in measured]
    known = {**measured, **(scale.measure(view, missing) if missing else {})}
    sessions = _sessions({row: found[row] for row in beside}, measured)
    around: dict[int, Surroundings] = {}
    for row, one in beside.items():
        before = None if one.before is None else known[one.before]
        around[row] = Surroundings(
            window=0.0 if before is None else _window(known[row], before, scale),
            before=0.0 if before is None else before.relevance,
            after=0.0 if one.after is None else known[one.after].relevance,
            session=sessions[_session(found[row])],
        )
    return around


def _window(turn: Measured, before: Measured, scale: Scale) -> float:
    added = before.match.matched - turn.match.matched
    weights, total = scale.wording.weights, scale.wording.total
    return coverage([stem for stem in weights if stem in added], weights, total=total)


def _session(document: Document) -> tuple[str | None, str | None]:
    scope = document.note.scope
    return scope.project, scope.session


def _sessions(
    found: Mapping[int, Document], measured: Mapping[int, Measured]
) -> dict[tuple[str | None, str | None], float]:
    """Mean relevance of each session's best candidates."""
    members: dict[tuple[str | None, str | None], list[float]] = {}
    for row, document in found.items():
        members.setdefault(_session(document), []).append(measured[row].relevance)
    return {
        session: sum(sorted(relevances, reverse=True)[:_BEST_OF_SESSION]) / _BEST_OF_SESSION
        for session, relevances in members.items()
    }
