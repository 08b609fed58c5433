"""Session history: order, keys, a search that stays in its session, and what leaves with an erase."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from atmem_core.config import Config
from atmem_core.errors import InvalidInput, NotFound, WriteRefused
from atmem_core.records import ExtractionState, Scope, Selector
from atmem_core.remember.history import MAX_TURN_CHARS, Said, SessionHistory
from atmem_core.store.sqlite import turns
from atmem_core.store.sqlite.store import SqliteStore
from atmem_core.testing.clocks import FakeClock
from atmem_core.text import fenced
from tests.store.test_query_plans import plan, scans

SCOPE = Scope(subject="ada", session="monday")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(path, config=Config())
    yield opened
    opened.close()


@pytest.fixture
def history(store: SqliteStore, clock: FakeClock) -> SessionHistory:
    return SessionHistory(store.turn_store, clock)


def tell(history: SessionHistory, text: object, *, waits: bool = False, **given: object) -> str:
    said = Said(**{"text": text, "scope": SCOPE, **given})  # type: ignore[arg-type]
    (turn,) = history.append([history.draft(said, waits=waits)])
    return turn.id


def texts(history: SessionHistory, session: str = "monday", subject: str = "ada") -> list[str]:
    return [turn.text for turn in history.recent(subject, session)]


def test_recent_turns_come_newest_first_also_at_one_instant(history: SessionHistory) -> None:
    for at in range(5):
        tell(history, f"turn {at}")
    assert texts(history) == ["turn 4", "turn 3", "turn 2", "turn 1", "turn 0"]


def test_an_older_turn_that_is_told_late_stands_where_it_was_said(
    history: SessionHistory, clock: FakeClock
) -> None:
    tell(history, "now")
    tell(history, "before", occurred_at=clock.now() - timedelta(days=1))
    assert texts(history) == ["now", "before"]


@pytest.mark.parametrize(("limit", "count"), [(-3, 0), (0, 0), (2, 2), (10_000, 7)])
def test_a_limit_is_brought_into_range(history: SessionHistory, limit: int, count: int) -> None:
    for at in range(7):
        tell(history, f"turn {at}")
    assert len(history.recent("ada", "monday", limit=limit)) == count
    assert len(history.search("turn", "ada", "monday", limit=limit)) == count


def test_sessions_and_subjects_are_apart(history: SessionHistory) -> None:
    tell(history, "ours")
    tell(history, "another day's", scope=Scope(subject="ada", session="tuesday"))
    tell(history, "another person's", scope=Scope(subject="bob", session="monday"))
    assert texts(history) == ["ours"]
    assert history.search("another", "ada", "monday") == []


def test_a_search_ranks_by_the_rare_words_of_its_session(history: SessionHistory) -> None:
    for at in range(6):
        tell(history, f"the weather is fine {at}")
    tell(history, "the weather in Lisbon is fine")
    found = history.search("weather in Lisbon?", "ada", "monday")
    assert found[0].turn.text == "the weather in Lisbon is fine"
    assert found[0].score > found[1].score


@pytest.mark.parametrize("query", ["", "  ", "?", "'", '" OR 1', "C++ NEAR(", "\0", "\ud800", "*"])
def test_any_text_may_be_searched(history: SessionHistory, query: str) -> None:
    tell(history, "plain")
    assert history.search(query, "ada", "monday") == []


def test_the_same_key_stores_once_and_another_text_is_refused(history: SessionHistory) -> None:
    first = tell(history, "once", idempotency_key="k")
    assert tell(history, "once", idempotency_key="k") == first
    with pytest.raises(WriteRefused) as raised:
        tell(history, "twice", idempotency_key="k")
    assert raised.value.code == "idempotency_conflict"
    assert texts(history) == ["once"]


def test_recalled_blocks_are_taken_out(history: SessionHistory) -> None:
    block = fenced(["- ada lives in Lisbon"], "Recalled.")
    tell(history, f"{block}\nWhat else?")
    assert texts(history) == ["What else?"]
    with pytest.raises(WriteRefused) as raised:
        tell(history, block)
    assert raised.value.code == "only_recalled_memory"


@pytest.mark.parametrize(
    ("text", "code"), [(" \n", "empty_text"), ("a" * (MAX_TURN_CHARS + 1), "text_too_long")]
)
def test_what_is_no_turn_is_refused(history: SessionHistory, text: str, code: str) -> None:
    with pytest.raises(WriteRefused) as raised:
        tell(history, text)
    assert raised.value.code == code


@pytest.mark.parametrize(
    "given",
    [
        {"text": None},
        {"role": "king"},
        {"source": "rumour"},
        {"scope": Scope(subject="ada")},
        {"speaker": " "},
    ],
)
def test_wrong_arguments_are_named(history: SessionHistory, given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        history.draft(Said(**{"text": "a", "scope": SCOPE, **given}))  # type: ignore[arg-type]


def test_waiting_turns_come_oldest_first_with_their_answer(
    history: SessionHistory, store: SqliteStore
) -> None:
    first = tell(history, "I live in Lisbon.", waits=True)
    said = Said(text="Noted.", scope=SCOPE, role="assistant", source="assistant")
    history.append([history.draft(said, answers=first)])
    second = tell(history, "I moved.", waits=True, scope=Scope(subject="bob", session="x"))
    jobs = [job for _, job in store.turn_store.pending(limit=9)]
    assert [(job.turn_id, job.assistant_text) for job in jobs] == [(first, "Noted."), (second, "")]
    assert [job.turn_id for _, job in store.turn_store.pending(limit=9, subject="bob")] == [second]
    after = store.turn_store.pending(limit=1)[0][0]
    assert [job.turn_id for _, job in store.turn_store.pending(limit=9, after=after)] == [second]


def test_a_settled_turn_waits_no_longer(history: SessionHistory, store: SqliteStore) -> None:
    store.turn_store.settle(tell(history, "I live in Lisbon.", waits=True), ExtractionState.DONE)
    store.turn_store.settle("gone", ExtractionState.DONE)
    assert store.turn_store.pending(limit=9) == []
    assert store.turn_store.counts("ada") == {ExtractionState.DONE: 1}


def test_a_turn_is_given_up_after_so_many_attempts(history: SessionHistory, store: SqliteStore) -> None:
    turn_id = tell(history, "I live in Lisbon.", waits=True)
    states = [store.turn_store.attempted(turn_id, most=3) for _ in range(4)]
    assert [one.value for one in states] == ["pending", "pending", "failed", "none"]
    assert store.turn_store.pending(limit=9) == []


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({"everything": True}, []),
        ({"session": "monday"}, ["tuesday's"]),
        ({"session": "sunday"}, ["tuesday's", "monday's"]),
        ({"project": "p"}, ["tuesday's"]),
    ],
)
def test_an_erase_takes_the_turns_of_its_choice(
    history: SessionHistory, store: SqliteStore, *, chosen: dict[str, object], left: list[str]
) -> None:
    tell(history, "monday's", scope=Scope(subject="ada", session="monday", project="p"))
    tell(history, "tuesday's", scope=Scope(subject="ada", session="tuesday"))
    tell(history, "bob's", scope=Scope(subject="bob", session="monday", project="p"))
    receipt = store.erase("ada", Selector(**chosen), at=FakeClock().now())  # type: ignore[arg-type]
    assert receipt.counts.get("turns", 0) == 2 - len(left)
    assert texts(history, "tuesday") + texts(history) == left
    assert texts(history, "monday", "bob") == ["bob's"]


def test_an_erased_turn_is_in_no_file_any_more(
    history: SessionHistory, store: SqliteStore, clock: FakeClock, path: Path
) -> None:
    turn_id = tell(history, "my locker code is Xylophone-77")
    said = Said(text="Noted, Xylophone-77.", scope=SCOPE, role="assistant", source="assistant")
    history.append([history.draft(said, answers=turn_id)])
    tell(history, "this stays")
    receipt = store.erase("ada", Selector(note_id=turn_id), at=clock.now())
    assert (len(receipt.ids), receipt.counts["turns"], receipt.pending_checkpoint) == (2, 2, False)
    assert texts(history) == ["this stays"]
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"ylophone" not in stored
    assert b"this stays" in stored


def test_another_subjects_turn_is_not_found(
    history: SessionHistory, store: SqliteStore, clock: FakeClock
) -> None:
    turn_id = tell(history, "mine")
    with pytest.raises(NotFound):
        store.erase("bob", Selector(note_id=turn_id), at=clock.now())
    assert store.turn_store.of_ids("bob", [turn_id]) == {}
    assert texts(history) == ["mine"]


def test_what_is_forgotten_is_not_extracted_afterwards(
    history: SessionHistory, store: SqliteStore, clock: FakeClock
) -> None:
    tell(history, "I live in Lisbon.", waits=True)
    tell(history, "I live in Porto.", waits=True, scope=Scope(subject="bob", session="monday"))
    store.forget("ada", Selector(session="monday"), at=clock.now())
    assert [job.scope.subject for _, job in store.turn_store.pending(limit=9)] == ["bob"]
    assert texts(history) == ["I live in Lisbon."]


@pytest.mark.parametrize("name", sorted(turns.WRITE_STATEMENTS))
def test_a_statement_is_an_index_look_up(history: SessionHistory, store: SqliteStore, name: str) -> None:
    for at in range(60):
        tell(history, f"turn {at}", scope=Scope(subject=f"s{at % 2}", session="one"))
    assert scans(plan(store, turns.WRITE_STATEMENTS[name])) == []
