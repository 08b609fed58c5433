"""What is stored, what is refused, and what is derived once."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.clock import SystemClock
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import NoteDraft, Scope
from atmem_core.remember.ingest import MAX_TEXT_CHARS, Telling, draft
from atmem_core.text.near import near_keys


def drafted(text: object, **changes: Any) -> NoteDraft:
    return draft(Telling(text=text, scope=Scope(subject="ada"), **changes), SystemClock())


@given(st.text(min_size=1, max_size=200).filter(lambda text: text.replace("\0", "").strip()))
def test_any_text_is_drafted_and_storable(text: str) -> None:
    made = drafted(text)
    made.text.encode("utf-8")
    made.search_text.encode("utf-8")
    assert "\0" not in made.text
    assert made.token_count == (len(made.search_text.split(" ")) if made.search_text else 0)


@pytest.mark.parametrize("text", ["", "   ", "\0", "\n\t"])
def test_an_empty_text_is_refused_with_a_code(text: str) -> None:
    with pytest.raises(WriteRefused) as refused:
        drafted(text)
    assert refused.value.code == "empty_text"


def test_a_long_text_is_refused_and_not_cut() -> None:
    assert drafted("x" * MAX_TEXT_CHARS).text
    with pytest.raises(WriteRefused, match="split it") as refused:
        drafted("x" * (MAX_TEXT_CHARS + 1))
    assert refused.value.code == "text_too_long"


def test_a_recalled_block_alone_is_not_stored_again() -> None:
    with pytest.raises(WriteRefused) as refused:
        drafted("<atmem-memory>\n- [n1 2026-01-01 user (user)] a\n</atmem-memory>")
    assert refused.value.code == "only_recalled_memory"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", "rumour"),
        ("kind", "thought"),
        ("trust", 1.5),
        ("trust", True),
        ("tags", "one"),
        ("tags", [" "]),
        ("tags", ["x" * 41]),
        ("tags", [str(n) for n in range(17)]),
        ("occurred_at", datetime(2026, 1, 1)),  # noqa: DTZ001 - naive on purpose
        ("speaker", ""),
        ("idempotency_key", ""),
    ],
)
def test_a_wrong_argument_is_named(field: str, value: object) -> None:
    with pytest.raises(InvalidInput) as wrong:
        drafted("a statement", **{field: value})
    assert wrong.value.field == field


def test_an_interval_must_not_be_empty() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="valid_to"):
        drafted("a statement", valid_from=at, valid_to=at)


def test_a_subject_is_required_and_exact() -> None:
    for subject in ("", " ", "a\0b", "x" * 513, None):
        with pytest.raises(InvalidInput, match="subject"):
            Scope(subject=subject)  # type: ignore[arg-type]  # the wrong type is the point
    assert Scope(subject=" a ").subject == " a "


def test_white_space_and_form_don_t_make_a_new_note_but_scope_speaker_and_interval_do() -> None:
    plain = drafted("Caf\u00e9  at noon").dedupe_hash
    assert drafted("Cafe\u0301 at\nnoon").dedupe_hash == plain
    others = [
        drafted("Café at noon", speaker="Bea"),
        drafted("Café at noon", valid_from=datetime(2026, 1, 1, tzinfo=UTC)),
        draft(Telling(text="Café at noon", scope=Scope(subject="ada", project="p")), SystemClock()),
    ]
    assert plain not in {one.dedupe_hash for one in others}


def test_near_duplicates_share_a_key_and_strangers_rarely_do() -> None:
    words = [f"word{n}" for n in range(20)]
    close = frozenset([*words[:-1], "other"])
    assert set(near_keys(frozenset(words))) & set(near_keys(close))
    far = frozenset(f"far{n}" for n in range(20))
    assert not set(near_keys(frozenset(words))) & set(near_keys(far))
    assert near_keys(frozenset()) == ()


def test_a_named_speaker_is_indexed_and_a_role_is_not() -> None:
    assert drafted("I live in Rome.", speaker="Anna").search_text.startswith("anna i live")
    assert drafted("I live in Rome.", speaker="user").search_text.startswith("i live")
