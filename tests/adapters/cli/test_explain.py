"""``decide --explain``: what a person reads."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atmem_cli.explaining import print_decision, print_explained
from atmem_core import (
    Decision,
    JudgedCandidate,
    Note,
    ReasonCode,
    Scope,
    SemanticState,
    SignalContribution,
    Source,
    SupportClass,
)
from tests.adapters.cli.shell import PLAIN, atmem, stored

NOW = datetime(2026, 5, 1, 18, tzinfo=UTC)
DIRECT = JudgedCandidate(
    record_id="n1",
    support_class=SupportClass.DIRECT_SUPPORT,
    relevance_score=0.912,
    rank_score=0.951,
    contributions=(
        SignalContribution(
            name="lexical",
            version="1",
            normalized_score=0.62,
            raw_score=0.62,
            eligible_for_support=True,
        ),
        SignalContribution(
            name="trust",
            version="1",
            normalized_score=0.9,
            raw_score=0.9,
            eligible_for_support=False,
        ),
        SignalContribution(
            name="novel",
            version="1",
            normalized_score=0.0,
            raw_score=None,
            eligible_for_support=True,
        ),
    ),
    reason_codes=(ReasonCode.DIRECT_THRESHOLD,),
)
WEAK = replace(
    DIRECT,
    record_id="n2",
    support_class=SupportClass.NO_USEFUL_MEMORY,
    relevance_score=0.03,
    rank_score=0.05,
    contributions=DIRECT.contributions[:1],
    reason_codes=(ReasonCode.BELOW_THRESHOLD,),
)
DECISION = Decision(
    decision_id="d1",
    decided_at=NOW,
    query_sha256="0" * 64,
    scope=Scope(subject="ada"),
    support_class=SupportClass.DIRECT_SUPPORT,
    ranked_record_ids=("n1",),
    candidates=(DIRECT, WEAK),
    reason_codes=(ReasonCode.DIRECT_THRESHOLD,),
    policy_version="1",
    calibration_version="7",
    thresholds={"direct": 0.6, "background": 0.25, "drop_off": 1.5},
    semantic=SemanticState(identity="abc", epoch=None, health="healthy"),
    degraded=(ReasonCode.VECTORS_MISSING,),
    withheld={"direct_support": 0, "background_context": 0, "no_useful_memory": 1},
)
NOTE = Note(
    id="n1",
    scope=Scope(subject="ada"),
    text="Brutus is my [bold]Bernese[/bold] mountain dog.",
    speaker="user",
    source=Source.USER,
    trust=0.9,
    content_hash="0" * 64,
    created_at=NOW,
)
EXPLAINED = """\
direct support: 1 record may be injected
Relevance reached the threshold of direct support. (direct_threshold)

╭─ 1  direct support  released ────────────────────────────────────────────────────────────────────╮
│ n1  relevance 0.912  rank 0.951  2026-05-01  user                                                │
│ “Brutus is my [bold]Bernese[/bold] mountain dog.”                                                │
│                                                                                                  │
│ signal   score                   may support  measures                                           │
│ lexical  ██████████░░░░░░  0.62  yes          words in common                                    │
│ trust    ██████████████░░  0.90  no           trust in the source                                │
│ novel    ░░░░░░░░░░░░░░░░  0.00  yes                                                             │
│                                                                                                  │
│ Why: Relevance reached the threshold of direct support. (direct_threshold)                       │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
1 more below these; --limit 2 shows all.

thresholds  direct support from 0.600, background context from 0.250
withheld    Seen and not released: 1 no useful memory.
judged by   policy 1, calibration 7
semantic    profile abc, healthy
degraded    Some records have no vector yet and were compared by words alone. (vectors_missing)
decision    d1, 2026-05-01T18:00:00+00:00
"""
SHORT = """\
direct support: 1 record may be injected
  n1  relevance 0.91
  Relevance reached the threshold of direct support. (direct_threshold)
  Some records have no vector yet and were compared by words alone. (vectors_missing)
  Seen and not released: 1 no useful memory.
"""


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines())


def test_a_decision_is_explained_so_that_a_person_understands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_explained(DECISION, {"n1": NOTE}, most=1)
    assert shown(capsys) == EXPLAINED


def test_at_80_columns_no_score_and_no_name_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    longest = replace(DIRECT.contributions[1], name="candidate_prior", normalized_score=1.0)
    print_explained(replace(DECISION, candidates=(replace(DIRECT, contributions=(longest,)),)), {}, most=1)
    text = shown(capsys)
    assert "│ candidate_prior  ████████████████  1.00  no " in text
    assert "…" not in text


def test_the_short_form_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_decision(DECISION)
    assert shown(capsys) == SHORT


def test_without_text_the_id_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print_explained(DECISION, {}, most=2)
    text = shown(capsys)
    assert "Bernese" not in text
    assert "│ n2  relevance 0.030  rank 0.050 " in text
    assert "not released" in text


def test_a_decision_without_candidates_is_explained_too(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = replace(
        DECISION,
        support_class=SupportClass.NO_USEFUL_MEMORY,
        ranked_record_ids=(),
        candidates=(),
        reason_codes=(ReasonCode.SMALL_TALK,),
        semantic=None,
        degraded=(),
        withheld={},
    )
    print_explained(nothing, {}, most=5)
    text = shown(capsys)
    assert text.startswith("no useful memory: nothing is injected\nA greeting")
    assert "withheld    Seen and not released: none.\n" in text
    assert "degraded    no\n" in text


def test_the_command_shows_the_text_unless_told_not_to(database: Path) -> None:
    stored(database, "Brutus is my Bernese mountain dog.")
    words = ("decide", database, "What breed is Brutus?", "--subject", "ada", "--explain")
    assert "“Brutus is my Bernese mountain dog.”" in atmem(*words).out
    assert "Bernese" not in atmem(*words, "--no-text").out
