"""Text for terminals, documents for programs."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from atmem_cli.output import as_json, one_line, plain
from atmem_core import Check, CheckStatus, DoctorReport, Scope


@given(st.text())
def test_no_text_moves_the_cursor(text: str) -> None:
    assert plain(text).isprintable() or not any(
        ord(char) < 32 or 127 <= ord(char) < 160 for char in plain(text)
    )


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_a_short_text_is_not_cut() -> None:
    assert one_line("  two\n words ", 9) == "two words"
    assert one_line("two words", 8) == "two wor…"


def test_records_become_plain_json() -> None:
    report = DoctorReport(checks=(Check(name="file", status=CheckStatus.OK, detail="fine"),))
    value = {
        "report": report,
        "at": datetime(2026, 5, 1, tzinfo=UTC),
        "scope": Scope(subject="ada"),
        "none": None,
    }
    assert json.loads(json.dumps(as_json(value))) == {
        "report": {"checks": [{"name": "file", "status": "ok", "detail": "fine"}]},
        "at": "2026-05-01T00:00:00+00:00",
        "scope": {"subject": "ada", "project": None, "session": None, "agent": None},
        "none": None,
    }
