"""Lives of notes, facts and turns, drawn at random: told, superseded, forgotten, archived, used, linked."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from atmem_core import Memory, Source
from atmem_core.records import NoteLink
from atmem_core.testing.clocks import FakeClock

SUBJECT = "ada"
START = datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
_CHARS = st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(_CHARS, min_size=1, max_size=40).filter(lambda text: bool(text.strip()))
_NAMES = st.text(_CHARS, min_size=1, max_size=8).filter(lambda text: bool(text.strip()))
_TAGS = st.lists(_NAMES.map(str.strip).filter(bool), max_size=3, unique=True)
_MOMENTS = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    timezones=st.sampled_from([UTC]),
)
_INTERVALS = st.tuples(st.none() | _MOMENTS, st.none() | st.integers(1, 10**9)).map(
    lambda pair: {
        "valid_from": pair[0],
        "valid_to": pair[0] + timedelta(seconds=pair[1]) if pair[0] and pair[1] else None,
    }
)
TELLINGS = st.fixed_dictionaries(
    {"text": TEXTS},
    optional={
        "project": _NAMES,
        "session": _NAMES,
        "agent": _NAMES,
        "speaker": _NAMES | st.just("assistant"),
        "source": st.sampled_from([one.value for one in Source]),
        "trust": st.floats(0, 1),
        "tags": _TAGS,
        "occurred_at": _MOMENTS,
        "interval": _INTERVALS,
        "idempotency_key": _NAMES,
    },
)
Act = Callable[[Memory, FakeClock, list[str]], None]


def _tell(given: dict[str, Any]) -> Act:
    def act(memory: Memory, _: FakeClock, ids: list[str]) -> None:
        told = {**given, **given.get("interval", {})}
        told.pop("interval", None)
        ids.append(memory.remember(told.pop("text"), subject=SUBJECT, **told).id)

    return act


def _on_one(number: int, what: Callable[[Memory, FakeClock, str], object]) -> Act:
    def act(memory: Memory, clock: FakeClock, ids: list[str]) -> None:
        if ids:
            what(memory, clock, ids[number % len(ids)])

    return act


def _supersede(number: int, text: str) -> Act:
    def act(memory: Memory, _: FakeClock, ids: list[str]) -> None:
        if ids:
            ids.append(memory.supersede(ids[number % len(ids)], text, subject=SUBJECT).id)

    return act


def _link(one: int, other: int, weight: float) -> Act:
    def act(memory: Memory, clock: FakeClock, ids: list[str]) -> None:
        if ids:
            link = NoteLink(
                from_id=ids[one % len(ids)],
                to_id=ids[other % len(ids)],
                kind="about",
                weight=weight,
                created_at=clock.now(),
            )
            memory._store.copy_links(SUBJECT, [link])

    return act


def _state(given: dict[str, Any]) -> Act:
    def act(memory: Memory, _: FakeClock, ids: list[str]) -> None:
        told = {**given, **given.get("interval", {})}
        told.pop("interval", None)
        source = told.pop("said_by", None)
        if source is not None and ids:
            told["source_id"] = ids[source % len(ids)]
        parts = [told.pop(name) for name in ("entity", "predicate", "object")]
        ids.append(memory.facts.add(*parts, subject=SUBJECT, **told).id)

    return act


def _restate(number: int, stated: str) -> Act:
    def act(memory: Memory, _: FakeClock, ids: list[str]) -> None:
        if ids:
            ids.append(memory.facts.update(ids[number % len(ids)], stated, subject=SUBJECT).id)

    return act


def _finish(given: dict[str, Any]) -> Act:
    def act(memory: Memory, _: FakeClock, ids: list[str]) -> None:
        waits = {**given, "session": given.get("session", "s")}
        turn = memory.sessions.finish(waits.pop("text"), "I see.", subject=SUBJECT, **waits)
        assert memory.sessions.drain()
        if turn is not None:
            ids.append(turn.id)

    return act


def _archive(memory: Memory, clock: FakeClock, note_id: str) -> None:
    memory._store.set_archived(SUBJECT, [note_id], at=clock.now())


_NUMBERS = st.integers(0, 50)
_STATEMENTS = st.fixed_dictionaries(
    {
        "entity": st.sampled_from(["user", "my sister", "Brutus"]),
        "predicate": st.sampled_from(["lives in", "likes", "favourite colour"]),
        "object": st.sampled_from(["Lisbon", "Porto", "red"]) | TEXTS,
    },
    optional={
        "project": _NAMES,
        "session": _NAMES,
        "speaker": st.sampled_from(["user", "Ines"]),
        "source": st.sampled_from([one.value for one in Source]),
        "trust": st.floats(0, 1),
        "confidence": st.floats(0, 1),
        "tags": _TAGS,
        "occurred_at": _MOMENTS,
        "interval": _INTERVALS,
        "said_by": _NUMBERS,
    },
)
_MOVES = st.sampled_from(["Lisbon", "Porto", "Faro"]).map(
    lambda city: {"entity": "user", "predicate": "lives in", "object": city}
)
"""Each one closes the one before."""
_TURNS = st.fixed_dictionaries(
    {"text": st.sampled_from(["I live in Lisbon.", "I live in Porto now.", "I like tea."]) | TEXTS},
    optional={"session": _NAMES, "project": _NAMES, "idempotency_key": _NAMES, "occurred_at": _MOMENTS},
)
_KEEPING = (
    TELLINGS.map(_tell),
    TELLINGS.map(_tell),
    st.builds(_supersede, _NUMBERS, TEXTS),
    _NUMBERS.map(lambda number: _on_one(number, lambda m, _, one: m.forget(one, subject=SUBJECT))),
    _NUMBERS.map(lambda number: _on_one(number, lambda m, _, one: m.mark_used([one], subject=SUBJECT))),
    _NUMBERS.map(lambda number: _on_one(number, _archive)),
    _STATEMENTS.map(_state),
    _MOVES.map(_state),
    _MOVES.map(_state),
    st.builds(_restate, _NUMBERS, TEXTS),
    _NUMBERS.map(lambda number: _on_one(number, lambda m, _, one: m.facts.forget(one, subject=SUBJECT))),
    _TURNS.map(_finish),
    st.builds(_link, _NUMBERS, _NUMBERS, st.floats(allow_nan=False, allow_infinity=False)),
)
_ERASING = _NUMBERS.map(lambda number: _on_one(number, lambda m, _, one: m.erase(one, subject=SUBJECT)))
LIVES = st.lists(st.one_of(*_KEEPING, _ERASING), min_size=2, max_size=20)
LIVES_WITHOUT_ERASURE = st.lists(st.one_of(*_KEEPING), min_size=2, max_size=12)
"""An export says nothing of what was erased, so it can't erase it elsewhere."""
