"""Whatever is given: stored and found, or refused with the field and the limit named. Never another error."""

import math
import os
import time
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from atmem_core import InvalidInput, Memory, WriteRefused
from atmem_core.testing.clocks import FakeClock

ADA = "ada"
TEXTS = {
    "one character": "x",
    "NUL": "the dog\0house is red",
    "a lone surrogate": "the dog \ud83d house is red",
    "bidi": "the dog \u202ehouse\u202c is red",
    "zero width": "the\u200b dog\u200d house is red",
    "composed": "caf\u00e9 with a red dog house",
    "decomposed": "cafe\u0301 with a red dog house",
    "an emoji sequence": "the 👩‍👩‍👧‍👦 family has a red dog house 🏳️‍🌈",
    "a flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f red dog house",
    "private use": "the \ue000 dog house is red",
    "the last code point": "the \U0010ffff dog house is red",
    "a non-character": "the \ufffe dog house is red",
    "a byte order mark": "\ufeffthe dog house is red",
    "controls": "the \x01\x1b[31m dog house\x7f is red",
    "line ends of every kind": "the dog\r\nhouse\u2028is\u2029red\x85here",
    "many marks": "the dog h" + "\u0301" * 300 + "ouse is red",
    "right to left": "בית הכלב אדום",
    "no spaces": "犬小屋は赤いです",
    "Thai": "บ้านสุนัขเป็นสีแดง",
    "SQL": "'); DROP TABLE notes; -- dog house",
    "FTS": 'dog NEAR(house, 2) OR "red" * -search_text:x',
    "parentheses": "(" * 1_900 + " dog house " + ")" * 1_900,
    "JSON": '{"dog": ["house", {"red": null}]}',
    "a format": "{0} %s %(dog)s ${house} red",
    "as long as fits": "dog " * 1_000,
}
SIZES = (4_001, 100_000, 10_000_000)
BAD_NUMBERS: tuple[object, ...] = (
    math.nan,
    math.inf,
    -math.inf,
    -1,
    10**5_000,
    -(10**5_000),
    True,
    "1",
    b"1",
    None,
    [],
    1e309,
    2**63,
)
AWARE = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAIVE = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - what is refused
ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Pacific/Apia", "Pacific/Kiritimati", "Etc/GMT+12")
ODD_TIMES = {
    "a gap of New York": datetime(2026, 3, 8, 2, 30, tzinfo=ZoneInfo("America/New_York")),
    "an hour told twice": datetime(2026, 11, 1, 1, 30, fold=1, tzinfo=ZoneInfo("America/New_York")),
    "a day that Apia never had": datetime(2011, 12, 30, 12, tzinfo=ZoneInfo("Pacific/Apia")),
    "a leap day": datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=ZoneInfo("Asia/Tokyo")),
    "long ago": datetime(1583, 1, 1, tzinfo=UTC),
    "far off": datetime(9998, 12, 31, tzinfo=UTC),
}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None, clock=clock) as opened:
        yield opened


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest) -> Iterator[ZoneInfo]:
    """The machine's own zone, too."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield ZoneInfo(request.param)
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_stored_word_for_word_and_found_again(kind: str, memory: Memory) -> None:
    given = TEXTS[kind]
    told = memory.remember(given, subject=ADA)
    storable = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in given)
    assert memory.get(told.id, subject=ADA).text == storable.replace("\0", "").strip()
    assert memory.remember(given, subject=ADA).created is False
    asked = memory.search(given, subject=ADA)
    assert [hit.record_id for hit in asked] == ([told.id] if any(map(_is_word, given)) else [])
    memory.decide(given, subject=ADA)
    assert memory.verify() == []


def _is_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LN"


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_one_line_of_the_block_and_shows_nothing_unseen(kind: str, memory: Memory) -> None:
    told = memory.remember(TEXTS[kind], subject=ADA)
    block = memory.context(TEXTS[kind], subject=ADA, allow_background=True, budget_tokens=20_000).text
    if block:
        assert len(block.splitlines()) == 5
        assert told.id in block
        unseen = [
            char for char in block.replace("\n", "") if unicodedata.category(char) in {"Cc", "Cf", "Cs"}
        ]
        assert unseen == []


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_comes_in_by_every_other_door(kind: str, memory: Memory) -> None:
    given = TEXTS[kind]
    memory.facts.add("user", "said", given[:1_900], subject=ADA)
    memory.sessions.append(given, subject=ADA, session="s")
    memory.supersede(memory.remember("An old one.", subject=ADA).id, given, subject=ADA)
    memory.facts.search(given, subject=ADA)
    memory.sessions.search(given, subject=ADA, session="s")
    lines = list(memory.export_records(subject=ADA))
    with Memory.open(":memory:", embedder=None) as other:
        assert other.import_records(lines).problems == ()
        assert [note.text for note in other.notes(subject=ADA)] == [
            note.text for note in memory.notes(subject=ADA)
        ]
    assert memory.verify() == []


@pytest.mark.parametrize("size", SIZES)
def test_a_text_that_is_too_long_is_refused_with_the_limit(size: int, memory: Memory) -> None:
    long = "x" * size
    told = memory.remember("An old one.", subject=ADA)
    for act, limit in (
        (lambda: memory.remember(long, subject=ADA), "4000"),
        (lambda: memory.supersede(told.id, long, subject=ADA), "4000"),
        (lambda: memory.facts.add("user", "said", long, subject=ADA), "2000"),
        (lambda: memory.facts.add(long, "said", "x", subject=ADA), "200"),
    ):
        with pytest.raises(WriteRefused) as refused:
            act()
        assert refused.value.code == "text_too_long"
        assert str(size) in str(refused.value)
        assert limit in str(refused.value)
        assert len(str(refused.value)) < 300
    if size > 200_000:
        with pytest.raises(WriteRefused, match="200000"):
            memory.sessions.append(long, subject=ADA, session="s")


@pytest.mark.parametrize("size", SIZES)
def test_a_long_query_is_cut_and_never_refused(size: int, memory: Memory) -> None:
    memory.remember("The dog house is red.", subject=ADA)
    query = "dog house " * (size // 10)
    begun = time.perf_counter()
    assert memory.decide(query, subject=ADA).reason_codes
    memory.search(query, subject=ADA)
    memory.facts.search(query, subject=ADA)
    memory.sessions.search(query[:200_000], subject=ADA, session="s")
    assert time.perf_counter() - begun < 20


def test_five_thousand_tags_are_refused_with_the_limit(memory: Memory) -> None:
    tags = [f"tag{number}" for number in range(5_000)]
    with pytest.raises(InvalidInput, match="5000 tags, at most 16 fit"):
        memory.remember("The dog house is red.", subject=ADA, tags=tags)
    with pytest.raises(InvalidInput, match="at most 16 fit"):
        memory.facts.add("user", "likes", "tea", subject=ADA, tags=tags)
    assert memory.notes(subject=ADA, tags=tags) == []
    assert memory.search("dog", subject=ADA, tags=tags) == []


NUMBERS: dict[str, tuple[Callable[[Memory, Any], object], tuple[object, ...]]] = {
    "trust": (lambda memory, n: memory.remember("x", subject=ADA, trust=n), (None,)),
    "confidence": (lambda memory, n: memory.facts.add("a", "b", "c", subject=ADA, confidence=n), ()),
    "k": (lambda memory, n: memory.search("x", subject=ADA, k=n), ()),
    "limit": (lambda memory, n: memory.notes(subject=ADA, limit=n), ()),
    "offset": (lambda memory, n: memory.notes(subject=ADA, offset=n), ()),
    "budget_tokens": (lambda memory, n: memory.context("x", subject=ADA, budget_tokens=n), (None,)),
    "deadline_ms": (lambda memory, n: memory.decide("x", subject=ADA, deadline_ms=n), (None,)),
    "limit of facts": (lambda memory, n: memory.facts.list(subject=ADA, limit=n), ()),
    "limit of suspects": (lambda memory, n: memory.quarantine.list(subject=ADA, limit=n), ()),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_is_none_is_refused_with_its_field(name: str, memory: Memory) -> None:
    act, fine = NUMBERS[name]
    for number in BAD_NUMBERS:
        if any(number is one for one in fine):
            continue
        with pytest.raises(InvalidInput) as refused:
            act(memory, number)
        assert refused.value.field == name.split(" ", maxsplit=1)[0]
        assert len(str(refused.value)) < 300


TIMES: dict[str, Callable[[Memory, Any], object]] = {
    "occurred_at": lambda memory, at: memory.remember("x", subject=ADA, occurred_at=at),
    "valid_from": lambda memory, at: memory.remember("x", subject=ADA, valid_from=at),
    "valid_to": lambda memory, at: memory.remember("x", subject=ADA, valid_to=at),
    "as_of": lambda memory, at: memory.decide("x", subject=ADA, as_of=at),
    "older_than": lambda memory, at: memory.forget(subject=ADA, older_than=at),
    "at": lambda memory, at: memory.facts.as_of(at, subject=ADA),
}


@pytest.mark.parametrize("name", TIMES)
def test_a_time_without_a_zone_is_refused(name: str, memory: Memory) -> None:
    for wrong in (NAIVE, "2026-03-01T12:00:00Z", 1_772_366_400, math.nan):
        with pytest.raises(InvalidInput) as refused:
            TIMES[name](memory, wrong)
        assert refused.value.field == name


@pytest.mark.parametrize("kind", ODD_TIMES)
def test_an_odd_time_is_the_same_instant_again(kind: str, memory: Memory) -> None:
    at = ODD_TIMES[kind]
    told = memory.remember("The dog house is red.", subject=ADA, occurred_at=at)
    back = memory.get(told.id, subject=ADA).occurred_at
    assert back is not None
    assert back == at.astimezone(UTC)
    assert back.utcoffset() == timedelta(0)


def test_one_instant_is_one_whatever_the_zone(zone: ZoneInfo, memory: Memory) -> None:
    here = AWARE.astimezone(zone)
    one = memory.remember(
        "The shop is open.", subject=ADA, valid_from=AWARE, valid_to=AWARE + timedelta(hours=1)
    )
    two = memory.remember(
        "The shop is open.", subject=ADA, valid_from=here, valid_to=here + timedelta(hours=1)
    )
    assert (two.id, two.created) == (one.id, False)


def test_a_record_ends_at_the_instant_in_every_zone(zone: ZoneInfo, memory: Memory, clock: FakeClock) -> None:
    end = (clock.now() + timedelta(minutes=30)).astimezone(zone)
    told = memory.remember("The shop is open.", subject=ADA, valid_to=end)
    assert [hit.record_id for hit in memory.search("shop", subject=ADA)] == [told.id]
    clock.advance(timedelta(minutes=29, seconds=59))
    assert memory.search("shop", subject=ADA)
    clock.advance(timedelta(seconds=1))
    assert memory.search("shop", subject=ADA) == []
    before = end - timedelta(seconds=1)
    assert [hit.record_id for hit in memory.search("shop", subject=ADA, as_of=before)] == [told.id]


def test_a_clock_that_goes_back_loses_nothing(memory: Memory, clock: FakeClock) -> None:
    old = memory.remember("The dog house is red.", subject=ADA)
    fact = memory.facts.add("user", "lives in", "Lisbon", subject=ADA).fact
    clock.advance(-timedelta(days=400))
    new = memory.supersede(old.id, "The dog house is blue.", subject=ADA)
    memory.facts.update(fact.id, "Porto", subject=ADA)
    memory.remember("The cat house is green.", subject=ADA)
    assert [note.id for note in memory.versions(new.id, subject=ADA)] == [old.id, new.id]
    assert [note.text for note in memory.recall("Is the dog house blue?", subject=ADA).records] == [
        "The dog house is blue."
    ]
    assert [one.object for one in memory.facts.list(subject=ADA)] == ["Porto"]
    lines = list(memory.export_records(subject=ADA))
    with Memory.open(":memory:", embedder=None) as other:
        assert other.import_records(lines).problems == ()
    assert memory.verify() == []
    memory.forget(new.id, subject=ADA)
    memory.erase(subject=ADA, everything=True)
    assert memory.notes(subject=ADA, all_states=True) == []
