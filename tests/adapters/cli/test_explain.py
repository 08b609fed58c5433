"""``decide --explain``: what a person reads."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atmem_cli.deciding import ACCOUNTS, what_decided
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
from tests.house.markdown import rows, section
from tests.house.tree import ROOT

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
│ Released: relevance 0.91 stands 0.31 above the threshold (0.60); the one signal for it was       │
│ lexical 0.62.                                                                                    │
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


JUDGED = replace(
    DECISION,
    thresholds={
        "direct": 0.03,
        "background": 0.03,
        "drop_off": 1.0,
        "judge_weight": 0.5,
        "judge_bar": -2.0,
    },
)
BUT_FOR = "Would be direct support but for {}: relevance 0.91 stands 0.31 above the threshold (0.60)."
HELD = "Look at it with `atmem quarantine list`; what is confirmed there is weighed as any other record."
OBJECTED = (
    "identifier_absent name_absent owner_mismatch polarity_mismatch asked_kind_absent question_shaped"
    " newer_record duplicate_content untrusted_source instruction_shaped found_by_rewriting"
)


def answered(share: float) -> SignalContribution:
    return SignalContribution(
        name="answerable", version="1", normalized_score=share, raw_score=share, eligible_for_support=False
    )


def lowered(
    code: str, relevance: float = 0.912, answer: float | None = None, *more: SignalContribution
) -> JudgedCandidate:
    said = () if answer is None else (answered(answer),)
    return replace(
        DIRECT,
        record_id="n3",
        support_class=SupportClass.BACKGROUND_CONTEXT,
        relevance_score=relevance,
        contributions=(*DIRECT.contributions[:1], *more, *said),
        reason_codes=(ReasonCode(code),),
    )


def listed(candidate: JudgedCandidate, decision: Decision = DECISION) -> Decision:
    return replace(decision, candidates=(DIRECT, candidate))


CASES: dict[str, tuple[JudgedCandidate, Decision, str]] = {
    **{code: (lowered(code), DECISION, BUT_FOR.format(code)) for code in OBJECTED.split()},
    "background_threshold": (
        lowered("background_threshold", 0.57),
        DECISION,
        "Relevance 0.57 is 0.03 short of direct support (0.60); the one signal for it was lexical 0.62.",
    ),
    "below_threshold": (
        lowered("below_threshold", 0.03),
        DECISION,
        (
            "Relevance 0.03 is 0.57 short of direct support (0.60) and 0.22 short of background context"
            " (0.25); the one signal for it was lexical 0.62."
        ),
    ),
    "below_drop_off": (
        lowered("below_drop_off", 0.61),
        listed(lowered("below_drop_off", 0.61)),
        (
            "Lies 1.89 behind the best record in log odds, where 1.50 is allowed: relevance had to be 0.70"
            " in place of 0.61."
        ),
    ),
    **{code: (lowered(code), DECISION, HELD) for code in ("quarantined", "split_instruction")},
    "not_answered": (
        lowered("not_answered", 0.2, 0.02),
        JUDGED,
        "The judge's answer was 0.02; at this relevance it had to be at least 0.23.",
    ),
    "not_judged": (
        lowered("not_judged", 0.2),
        replace(JUDGED, candidates=(lowered("not_answered", 0.3, 0.02),) * 3),
        (
            "The judge reads only the 3 that ranked best, as many as judged_answers says; this one came"
            " after them. The judge wasn't asked; at this relevance its answer had to be at least 0.23."
        ),
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_a_lowered_record_says_what_would_have_changed_it(code: str) -> None:
    candidate, decision, sentences = CASES[code]
    assert " ".join(what_decided(candidate, decision)) == sentences


def test_every_code_that_lowers_a_class_has_its_sentence_and_its_case() -> None:
    page = (ROOT / "docs" / "reference" / "decision.md").read_text(encoding="utf-8")
    told = rows(section(page, "Reason codes"))
    lowers = {code for code, meaning in told.items() if meaning.startswith("lowered")}
    short = {"background_threshold", "below_threshold"}
    assert set(CASES) == lowers | short
    assert set(ACCOUNTS) == lowers | short | {"direct_threshold"}


def test_every_objection_is_named() -> None:
    both = replace(
        lowered("owner_mismatch"), reason_codes=(ReasonCode.OWNER_MISMATCH, ReasonCode.NAME_ABSENT)
    )
    (said,) = what_decided(both, DECISION)
    assert said.startswith("Would be direct support but for owner_mismatch, name_absent: ")


def test_a_record_above_the_limit_says_which_setting_kept_it_back() -> None:
    over = replace(DIRECT, record_id="n9")
    assert " ".join(what_decided(over, DECISION)) == (
        "Direct support: relevance 0.91 stands 0.31 above the threshold (0.60); the one signal for it was"
        " lexical 0.62. Not among the 1 that was released: a higher max_released would release it too."
    )


def test_background_that_was_allowed_says_so() -> None:
    candidate = lowered("background_threshold", 0.57)
    said = what_decided(candidate, replace(DECISION, ranked_record_ids=("n1", "n3")))
    assert said[-1] == "Released, since background context was allowed."
